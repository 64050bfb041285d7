import Jobs
import Pipeline
import Stages

/// `eventmill count`: counts events by name and writes no files.
struct CountCommand: Request {
  let options: ReadOptions
  var inputs: [String] { options.inputs }

  init(_ values: OptionValues, operands: [String]) throws(Failure) {
    options = try RunOptions(values, operands: operands, limit: .usual).read
  }

  /// Runs the command and prints a table, or one JSON object per event name.
  ///
  /// - Throws: why it failed; ``ExitCode`` follows from the kind.
  func execute(on console: Console) throws(Failure) -> ExitCode {
    let (counts, read) = try JobRunner.run(on: console) { control throws(Failure) in
      try CountJob(options, control: control).run()
    }
    if console.settings.json {
      var text = ByteBuffer()
      counts.appendJSON(to: &text)
      try console.write(text.view)
    } else {
      for line in Self.table(counts).lines(heading: console.heading) { try console.print(line) }
    }
    // The table first, also where both streams are one.
    try console.flush()
    let ledger = read.facts.total
    console.note(
      "\(NumberFormat.grouped(ledger.lines)) lines, \(NumberFormat.grouped(ledger.accepted)) events, "
        + "\(NumberFormat.grouped(ledger.duplicates)) duplicates, "
        + (ledger.outside > 0
          ? "\(NumberFormat.grouped(ledger.outside)) outside of --since and --until, " : "")
        + "\(NumberFormat.grouped(read.facts.linesWithRejects)) lines with a rejected part; "
        + JobRunner.speed(bytes: read.bytes, seconds: read.seconds))
    JobRunner.report(ignoredFiles: read.ignoredFiles, on: console)
    let code = JobRunner.report(lost: read.lost, on: console)
    try read.facts.check(options, besides: read.lostLines)
    return code
  }

  /// The counts, the greatest first, equal ones by name; the totals at the end. What sources call
  /// an event has a column where there is anything to tell.
  static func table(_ counts: EventCountLines) -> TextTable {
    let rows = counts.rows.enumerated().sorted {
      ($1.element.total.count, $0.offset) < ($0.element.total.count, $1.offset)
    }
    let hasSourceNames = rows.contains { !$0.element.sourceNames.isEmpty }
    let columns: [(String, TextTable.Alignment)] = [
      ("name", .left), ("count", .right), ("first seen", .left), ("last seen", .left),
    ]
    var table = TextTable(hasSourceNames ? columns + [("source names", .left)] : columns)
    var count = 0
    var seen = Seen.never
    for (_, row) in rows {
      count += row.total.count
      seen.merge(row.total.seen)
      let names =
        row.sourceNames.isEmpty
        ? "-" : row.sourceNames.names.map(shown).joined(separator: ", ")
      table.add(
        cells(row.name, row.total.count, row.total.seen) + (hasSourceNames ? [names] : []))
    }
    table.add(cells("total", count, seen) + (hasSourceNames ? ["-"] : []))
    return table
  }

  /// A name from a log as a table shows it: not more than its beginning, nothing that a terminal
  /// obeys, and quoted where it could be taken for two.
  private static func shown(_ name: String) -> String {
    let scalars = name.unicodeScalars.prefix(longestShown).map {
      $0.properties.generalCategory == .control || $0.properties.generalCategory == .format
        ? "?" : $0
    }
    let text =
      String(String.UnicodeScalarView(scalars))
      + (name.unicodeScalars.count > longestShown ? "…" : "")
    return text.contains(", ") ? "\"\(text)\"" : text
  }

  /// Scalars of a source name that a table shows.
  private static let longestShown = 40

  private static func cells(_ name: String, _ count: Int, _ seen: Seen) -> [String] {
    [
      name, NumberFormat.grouped(count), seen.isNever ? "-" : Timestamp.text(seen.first),
      seen.isNever ? "-" : Timestamp.text(seen.last),
    ]
  }
}
