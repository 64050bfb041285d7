import Pipeline
import Stages

/// The contents of the report page of a job that has read logs.
protocol PagedReport: SendableMetatype {
  /// The names of the job and of its output: `run` and `Night`.
  static var words: (job: String, output: String) { get }
  var options: RunOptions { get }
  var stamp: RunStamp { get }
  var ignoredFiles: IgnoredFiles { get }
  var stages: [StageTime] { get }
  /// Ledgers, reasons, losses, and what was read.
  var ingest: IngestOutcome { get }
  /// Events of this job in the counts per event name; nil without such counts.
  var counted: Int? { get }
  var refusal: String? { get }
  var verdict: Verdict { get }
  var recorded: RecordedOptions { get }
  var tiles: [PageTile] { get }
  var sections: [PageSection?] { get }
}

/// The page of a report (`report.html`): one self-contained file, without network access and
/// scripts. Everything from an input is escaped by ``HTMLWriter``, and the page's content security
/// policy forbids loading or running anything. Its size is bounded: tables show the first or most
/// frequent rows and the number of others.
extension PagedReport {
  var page: ByteBuffer {
    HTMLWriter.page("\(HTMLWriter.clipped(stamp.night)): \(verdict.level.rawValue)") { html in
      html.element("header") { html in
        writeTitle(to: &html)
        html.tiles(tiles)
      }
      html.element("main") { html in
        let sections = sections.compactMap { $0 }
        html.element("nav", ["aria-label": "Contents"]) { html in
          html.element("ul") { html in
            for section in sections {
              html.element("li") { html in
                html.element("a", ["href": "#\(section.anchor)"], section.title)
              }
            }
          }
        }
        html.endLine()
        for section in sections { section.write(to: &html) }
      }
      writeFooter(to: &html)
    }
  }

  /// The facts of `report.json` that all such jobs have.
  func reported(_ inputs: [ReportInput]) -> Report {
    Report(
      stamp: stamp, options: recorded.with(jobs: options.read.jobs), ledger: ingest.total,
      inputs: inputs, ignoredFiles: ignoredFiles, tally: ingest.tally,
      paths: ingest.outcomes.map(\.file.path), entries: ingest.rejects.lines,
      dialects: ingest.tally.dialects, verdict: verdict, times: ingest.times, stages: stages,
      records: ingest.total.records, bytes: ingest.outcomes.decompressedBytes)
  }

  private func writeTitle(to html: inout HTMLWriter) {
    let verdict = verdict
    html.title(
      "\(Self.words.output) \(HTMLWriter.clipped(stamp.night))", verdict.level.rawValue,
      verdict.level.style)
    if !verdict.reasons.isEmpty {
      html.element("ul", ["class": "reasons \(verdict.level.style)"]) { html in
        for reason in verdict.reasons { html.element("li", HTMLWriter.clipped(reason)) }
      }
    }
    html.element("p", ["class": "soft"], "Eventmill \(Self.words.job) from \(stamp.text)")
    let hours = ingest.activity.shownHours
    guard let first = hours.first?.start, let last = hours.last?.start else { return }
    html.element(
      "p", ["class": "soft"],
      "Events from \(ReportClock.minute(first)) to "
        + "\(ReportClock.minute(last + HourCounts.milliseconds)) UTC")
  }

  private func writeFooter(to html: inout HTMLWriter) {
    html.element("footer") { html in
      html.paragraph(
        "The same facts and further ones are in ", RunFiles.report,
        "; every rejected part with its reasons and its line is in ", RunFiles.rejects, ".")
      html.program(stamp.tool)
    }
  }
}

extension PagedReport {
  var linesTile: PageTile {
    (
      "Lines", NumberFormat.grouped(ingest.total.lines),
      NumberFormat.bytes(ingest.outcomes.decompressedBytes)
    )
  }

  var rejectsTile: PageTile {
    (
      "Lines with rejects", NumberFormat.grouped(ingest.linesWithRejects),
      part(ingest.linesWithRejects, of: ingest.total.lines - ingest.total.blank)
    )
  }

  func timeTiles(written bytes: Int) -> [PageTile] {
    let rate = Int(Double(ingest.outcomes.decompressedBytes) / max(stamp.seconds, 1e-9))
    return [
      ("Time", "\(NumberFormat.tenths(stamp.seconds)) s", "\(NumberFormat.bytes(rate))/s"),
      (
        "Written", NumberFormat.bytes(bytes),
        "from \(NumberFormat.bytes(ingest.outcomes.compressedBytes)) read"
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
