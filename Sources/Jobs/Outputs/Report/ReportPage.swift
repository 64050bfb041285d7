import Pipeline
import Stages

/// The contents of the report page of a job that has read logs.
protocol PagedReport: SendableMetatype {
  /// The names of the job and of its output: `run` and `Night`.
  static var words: (job: String, output: String) { get }

  var options: RunOptions { get }
  var stamp: RunStamp { get }
  var ignoredFiles: IgnoredFiles { get }
  /// The stages of the job, in flow order.
  var stages: [StageTime] { get }
  /// Ledgers, reasons, losses, and what was read.
  var ingest: IngestOutcome { get }
  /// Events of this job in the counts per event name; nil without such counts.
  var counted: Int? { get }
  /// Why nothing was published; nil when it was.
  var refusal: String? { get }

  /// Writes the options of `report.json` as fields of the open object.
  var recorded: RecordedOptions { get }
  /// The key figures of the page.
  func tiles(on page: ReportPage<Self>) -> [PageTile]
  /// The sections of the page, from top to bottom.
  func sections(on page: ReportPage<Self>) -> [PageSection]
}

/// A key figure: its name, its value, and a remark.
typealias PageTile = (name: String, value: String, more: String)
/// Writes a section.
typealias PageSection = (inout HTMLWriter) -> Void

/// The page of a report (`report.html`): one self-contained file, without network access and
/// scripts.
///
/// Made from the same facts as `report.json`. Everything that comes from an input (paths, names) is
/// escaped by ``HTMLWriter``, and the page's content security policy forbids loading or running
/// anything. Its size is bounded: tables show the first or the most frequent rows and the number of
/// others.
struct ReportPage<Report: PagedReport> {
  let report: Report
  /// Duration of the job.
  let seconds: Double

  /// The subject of most sections.
  var merge: IngestOutcome { report.ingest }

  /// The whole page.
  func html() -> ByteBuffer {
    HTMLWriter.page("Eventmill \(Report.words.job): \(verdict.text)") { html in
      html.element("header") { html in
        writeTitle(to: &html)
        html.tiles(report.tiles(on: self))
      }
      html.element("main") { html in
        var body = HTMLWriter()
        for section in report.sections(on: self) { section(&body) }
        writeContents(body.headings, to: &html)
        html.append(body)
      }
      writeFooter(to: &html)
    }
  }

  /// Writes a section with a heading, an optional sentence below it, and what `content` writes.
  func section(
    _ title: String, _ note: String = "", to html: inout HTMLWriter,
    _ content: (inout HTMLWriter) -> Void
  ) {
    html.element("section", ["id": html.addHeading(title)]) { html in
      html.element("h2", title)
      if !note.isEmpty { writeNote(note, to: &html) }
      content(&html)
    }
    html.endLine()
  }

  /// Writes the list of sections.
  private func writeContents(_ headings: [String], to html: inout HTMLWriter) {
    html.element("nav", ["aria-label": "Contents"]) { html in
      html.element("ul") { html in
        for heading in headings {
          html.element("li") { html in
            html.element(
              "a", ["href": "#\(HTMLWriter.anchor(of: heading))"], heading)
          }
        }
      }
    }
    html.endLine()
  }

  /// Writes a table with a row for each of the first `most` of `items`; the number of the others is
  /// written as so many more `rest`.
  func writeTable<Items: Collection>(
    _ caption: String, _ columns: [(title: String, kind: ReportTable.Kind)], of items: Items,
    atMost most: Int = .max, rest: String = "", to html: inout HTMLWriter,
    _ cells: (Items.Element) -> [ReportTable.Cell]
  ) {
    ReportTable(columns: columns, rows: items.prefix(most).map(cells)).write(caption, to: &html)
    writeRest(items.count - most, rest, to: &html)
  }

  /// Writes the number of omitted rows of a table, if any.
  func writeRest(_ count: Int, _ what: String, to html: inout HTMLWriter) {
    if count > 0 { writeNote("and \(NumberFormat.grouped(count)) more \(what)", to: &html) }
  }

  /// Writes a sentence beside the content.
  func writeNote(_ text: String, to html: inout HTMLWriter) {
    html.element("p", ["class": "note"], text)
  }
}

// MARK: - Frame

extension ReportPage {
  /// The result of the job in two words, and their style.
  private var verdict: (text: String, style: String) {
    if report.refusal != nil { return ("not published: too many rejects", "bad") }
    let lost = merge.outcomes.count { $0.lost != nil }
    if lost > 0 { return ("published, with damaged inputs", "warn") }
    return ("published", "good")
  }

  private func writeTitle(to html: inout HTMLWriter) {
    html.title("Eventmill \(Report.words.job)", verdict.text, verdict.style)
    html.element(
      "p", ["class": "soft"],
      "\(Report.words.output) \(HTMLWriter.clipped(report.stamp.night)), \(Report.words.job) from "
        + report.stamp.text)
    let hours = merge.activity.shownHours
    guard let first = hours.first?.number, let last = hours.last?.number else { return }
    html.element(
      "p", ["class": "soft"],
      "Events from \(ReportClock.minute(first * HourCounts.milliseconds)) to "
        + "\(ReportClock.minute((last + 1) * HourCounts.milliseconds)) UTC")
  }

  private func writeFooter(to html: inout HTMLWriter) {
    html.element("footer") { html in
      html.element("p") { html in
        html.text("The same facts and further ones are in ")
        html.element("code", RunFiles.report)
        html.text("; every rejected part with its reasons and its line is in ")
        html.element("code", RunFiles.rejects)
        html.text(".")
      }
      html.program(report.stamp.tool)
    }
  }
}

// MARK: - Key figures

extension ReportPage {
  /// Lines that were read.
  var linesTile: PageTile {
    (
      "Lines", NumberFormat.grouped(merge.total.lines),
      NumberFormat.bytes(merge.outcomes.decompressedBytes)
    )
  }

  /// Lines with a rejected part.
  var rejectsTile: PageTile {
    (
      "Lines with rejects", NumberFormat.grouped(merge.linesWithRejects),
      part(merge.linesWithRejects, of: merge.total.lines - merge.total.blank)
    )
  }

  /// Duration of the job, and the bytes written: `bytes`.
  func timeTiles(written bytes: Int) -> [PageTile] {
    let rate = Int(Double(merge.outcomes.decompressedBytes) / max(seconds, 1e-9))
    return [
      ("Time", "\(NumberFormat.tenths(seconds)) s", "\(NumberFormat.bytes(rate))/s"),
      (
        "Written", NumberFormat.bytes(bytes),
        "from \(NumberFormat.bytes(merge.outcomes.compressedBytes)) read"
      ),
    ]
  }

  /// `12.5 % of 800`, or nothing when the whole is zero.
  func part(_ count: Int, of whole: Int) -> String {
    whole > 0
      ? "\(NumberFormat.percent(Double(count) / Double(whole))) of \(NumberFormat.grouped(whole))"
      : ""
  }
}
