import Pipeline
import Stages

/// What a page shows of the report of a job that has read logs.
protocol PagedReport: SendableMetatype {
  /// What the job is called, and what its output: `run` and `Night`.
  static var words: (job: String, output: String) { get }

  var tool: ToolVersion { get }
  var options: RunOptions { get }
  var stamp: RunStamp { get }
  var ignoredFiles: IgnoredFiles { get }
  /// Everything the job did in parallel, in the order of the flow.
  var stages: [StageTime] { get }
  /// Ledgers, reasons, losses, and what was read.
  var ingest: IngestOutcome { get }
  /// Events of this job in the counts per event name; nil where there are none.
  var counted: Int? { get }
  /// Why nothing was published; nil when it was.
  var refusal: String? { get }

  /// Writes the options that `report.json` has, as fields of the object that is open.
  func writeOptions(to json: inout JSONWriter)
  /// The key figures of the page.
  func tiles(on page: ReportPage<Self>) -> [PageTile]
  /// The sections of the page, from top to bottom.
  func sections(on page: ReportPage<Self>) -> [PageSection]
}

/// A key figure: its name, its value, and what is to be said beside it.
typealias PageTile = (name: String, value: String, more: String)
/// Writes a section.
typealias PageSection = (inout HTMLWriter) -> Void

/// The page of a report (`report.html`): one file that needs nothing else, no network and no
/// script.
///
/// Made of the same facts as `report.json`. Everything that comes from an input (paths, names) is
/// escaped by ``HTMLWriter``, and the page forbids itself, by its content security policy, to load
/// or run anything. Its size is bounded: tables show the first or the most frequent rows and say
/// how many more there are.
struct ReportPage<Report: PagedReport> {
  let report: Report
  /// How long the job took.
  let seconds: Double

  /// What most sections are about.
  var merge: IngestOutcome { report.ingest }

  /// The whole page.
  func html() -> ByteBuffer {
    var html = HTMLWriter()
    html.constant("<!doctype html>\n")
    html.element("html", ["lang": "en"]) { html in
      writeHead(to: &html)
      html.element("body") { html in
        html.element("header") { html in
          writeTitle(to: &html)
          writeTiles(to: &html)
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
    html.endLine()
    return html.finish()
  }

  /// Writes a section with a heading, a sentence below it unless there is nothing to say, and what
  /// `content` makes.
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

  /// Writes a table with a row for each of `items`, or for the first `most` of them and the others
  /// as so many more `rest`.
  func writeTable<Items: Collection>(
    _ caption: String, _ columns: [(title: String, kind: ReportTable.Kind)], of items: Items,
    atMost most: Int = .max, rest: String = "", to html: inout HTMLWriter,
    _ cells: (Items.Element) -> [ReportTable.Cell]
  ) {
    ReportTable(columns: columns, rows: items.prefix(most).map(cells)).write(caption, to: &html)
    writeRest(items.count - most, rest, to: &html)
  }

  /// Says how many rows a table has left out, if any.
  func writeRest(_ count: Int, _ what: String, to html: inout HTMLWriter) {
    if count > 0 { writeNote("and \(NumberFormat.grouped(count)) more \(what)", to: &html) }
  }

  /// Writes a sentence beside what is shown.
  func writeNote(_ text: String, to html: inout HTMLWriter) {
    html.element("p", ["class": "note"], text)
  }
}

// MARK: - Frame

extension ReportPage {
  private func writeHead(to html: inout HTMLWriter) {
    html.element("head") { html in
      html.void("meta", ["charset": "utf-8"])
      // Belt and braces: whatever stood in the page, nothing would be loaded and nothing run.
      html.void(
        "meta",
        [
          "http-equiv": "Content-Security-Policy",
          "content":
            "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
        ])
      html.void("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
      html.void("meta", ["name": "color-scheme", "content": "light dark"])
      html.element("title", "Eventmill \(Report.words.job): \(verdict.text)")
      html.element("style") { html in html.constant(ReportStyle.sheet) }
    }
    html.endLine()
  }

  /// How the job ended, in two words, and the style that shows it.
  private var verdict: (text: String, style: String) {
    if report.refusal != nil { return ("not published: too many rejects", "bad") }
    let lost = merge.outcomes.count { $0.lost != nil }
    if lost > 0 { return ("published, with damaged inputs", "warn") }
    return ("published", "good")
  }

  private func writeTitle(to html: inout HTMLWriter) {
    html.element("div", ["class": "title"]) { html in
      html.element("h1", "Eventmill \(Report.words.job)")
      html.element("span", ["class": "verdict \(verdict.style)"], verdict.text)
    }
    html.element(
      "p", ["class": "soft"],
      "\(Report.words.output) \(HTMLWriter.clipped(report.stamp.night)), \(Report.words.job) from "
        + report.stamp.text)
    let hours = merge.activity.hours.hours
    guard let first = hours.first?.number, let last = hours.last?.number else { return }
    html.element(
      "p", ["class": "soft"],
      "Events from \(ReportClock.minute(first * HourCounts.milliseconds)) to "
        + "\(ReportClock.minute((last + 1) * HourCounts.milliseconds)) UTC")
  }

  private func writeFooter(to html: inout HTMLWriter) {
    html.element("footer") { html in
      html.element("p") { html in
        html.text("The same facts, and more of them, are in ")
        html.element("code", RunFiles.report)
        html.text("; every rejected part with its reasons and its line is in ")
        html.element("code", RunFiles.rejects)
        html.text(".")
      }
      let tool = report.tool
      html.element("p", "eventmill \(tool.version), commit \(tool.commit), libzstd \(tool.zstd)")
    }
  }
}

// MARK: - Key figures

extension ReportPage {
  private func writeTiles(to html: inout HTMLWriter) {
    html.element("dl", ["class": "tiles"]) { html in
      for tile in report.tiles(on: self) {
        html.element("div") { html in
          html.element("dt", tile.name)
          html.element("dd", ["class": "value"], tile.value)
          html.element("dd", ["class": "more"], tile.more)
        }
      }
    }
    html.endLine()
  }

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

  /// How long the job took, and what it wrote: `bytes`.
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

  /// `12.5 % of 800`, or nothing when there is nothing to be a part of.
  func part(_ count: Int, of whole: Int) -> String {
    whole > 0
      ? "\(NumberFormat.percent(Double(count) / Double(whole))) of \(NumberFormat.grouped(whole))"
      : ""
  }
}
