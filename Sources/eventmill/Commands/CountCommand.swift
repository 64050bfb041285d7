import Jobs
import Pipeline
import Stages

/// `eventmill count`: counts events by name and writes no files.
struct CountCommand: JobRequest {
  let options: CommandOptions

  func result(_ control: JobControl, on console: Console) throws(Failure) -> CommandResult {
    let job = CountJob(options.run.read, control: control)
    var result: CommandResult
    let read: ReadSummary
    let others: Int
    if let grouping = options.grouping {
      let outcome = try job.run(by: grouping)
      read = outcome.read
      (result, others) = counted(outcome.counts, on: console)
    } else {
      let outcome = try job.run()
      read = outcome.read
      (result, others) = counted(outcome.lines)
    }
    // In a table they have a row.
    if others > 0, options.isCSV || console.settings.json {
      result.notes = [NumberFormat.count(others, "more row is", "more rows are") + " not shown"]
    }
    let ledger = read.facts.total
    let outside = "\(NumberFormat.grouped(ledger.outside)) outside of --since and --until"
    result.add(
      read,
      note: Summary.counts(
        read.facts,
        [NumberFormat.count(ledger.duplicates, "duplicate")] + (ledger.outside > 0 ? [outside] : [])
      ))
    result.failure = read.facts.excess(of: options.run.read, besides: read.lostLines)
    return result
  }

  /// The counts per name, and the number of omitted names.
  private func counted(_ counts: EventCountLines) -> (CommandResult, others: Int) {
    let (top, isCSV) = (options.top, options.isCSV)
    let shown = top.map(counts.mostFrequent) ?? counts
    let result = CommandResult {
      var text = ByteBuffer()
      shown.appendJSON(to: &text)
      return text
    } text: {
      if !isCSV { return [.table(Self.table(counts, top: top))] }
      return [
        Self.csv(
          ["name", "count", "first_seen", "last_seen", "duplicates"],
          shown.rows.map { row in
            [row.name, "\(row.total.count)"] + Self.times(row.total.seen, never: "")
              + ["\(row.total.duplicates)"]
          })
      ]
    }
    return (result, counts.order.count - shown.order.count)
  }

  /// The counts per group and name, and the number of omitted rows.
  private func counted(
    _ counts: GroupedCounts, on console: Console
  ) -> (CommandResult, others: Int) {
    let isCSV = options.isCSV
    let rows = options.top.map { top in counts.rows.mostFrequent(top) { $0.count } } ?? counts.rows
    let result = CommandResult {
      var text = ByteBuffer()
      counts.appendJSON(rows, to: &text)
      return text
    } text: {
      guard isCSV else { return [.table(Self.table(counts, rows))] }
      // Values of others reach a program as they are, and a terminal as a person may see them.
      let shown = { (text: String) in console.showsResults ? text.visible : text }
      return [
        Self.csv(
          [shown("\(counts.grouping.column)"), "name", "count"],
          rows.map { [shown($0.group), $0.name, "\($0.count)"] })
      ]
    }
    return (result, counts.rows.count - rows.count)
  }

  private static func csv(_ titles: [String], _ rows: [[String]]) -> CommandResult.Part {
    var text = ByteBuffer()
    for row in [titles] + rows { CSV.append(row, to: &text) }
    return .text(text.view.text)
  }

  /// The rows, in order, followed by the omitted ones and the total.
  private static func table(_ counts: GroupedCounts, _ rows: [GroupedCounts.Row]) -> TextTable {
    var table = TextTable(
      of: rows,
      [
        .text("\(counts.grouping.column)", \.group.harmless), .text("name", \.name),
        .number("count", \.count),
      ])
    let all = counts.rows.reduce(0) { $0 + $1.count }
    let others = counts.rows.count - rows.count
    if others > 0 {
      let rest = all - rows.reduce(0) { $0 + $1.count }
      table.add(["\(NumberFormat.grouped(others)) more", "", NumberFormat.grouped(rest)])
    }
    table.add(["total", "", NumberFormat.grouped(all)])
    return table
  }

  /// The counts, in descending order, equal ones by name, followed by the rest beyond `top` and the
  /// totals. There is a column of source names if there are any.
  static func table(_ counts: EventCountLines, top: Int? = nil) -> TextTable {
    let rows = counts.rows.mostFrequentFirst(by: \.total.count)
    let hasSourceNames = rows.contains { !$0.sourceNames.isEmpty }
    let columns: [(String, TextTable.Alignment)] = [
      ("name", .left), ("count", .right), ("first seen", .left), ("last seen", .left),
    ]
    var table = TextTable(hasSourceNames ? columns + [("source names", .left)] : columns)
    func add(_ name: String, _ totals: [EventTotals.Total], _ names: SourceNames? = nil) {
      var seen = Seen.never
      for total in totals { seen.merge(total.seen) }
      let sources = (names?.names ?? []).map(shown).joined(separator: ", ")
      table.add(
        [name, NumberFormat.grouped(totals.reduce(0) { $0 + $1.count })] + times(seen, never: "-")
          + (hasSourceNames ? [sources.isEmpty ? "-" : sources] : []))
    }
    let most = min(top ?? rows.count, rows.count)
    for row in rows.prefix(most) { add(row.name, [row.total], row.sourceNames) }
    if most < rows.count {
      add("\(NumberFormat.grouped(rows.count - most)) more", rows.dropFirst(most).map(\.total))
    }
    add("total", rows.map(\.total))
    return table
  }

  private static func times(_ seen: Seen, never: String) -> [String] {
    seen.isNever ? [never, never] : [Timestamp.text(seen.first), Timestamp.text(seen.last)]
  }

  /// A name from a log in a table: cut, without terminal control characters, and quoted where it
  /// could be read as two.
  private static func shown(_ name: String) -> String {
    let text =
      String(name.unicodeScalars.prefix(longestShown)).harmless
      + (name.unicodeScalars.count > longestShown ? "…" : "")
    return text.contains(", ") ? "\"\(text)\"" : text
  }

  /// Scalars of a source name in a table.
  private static let longestShown = 40
}

extension String {
  /// The text without terminal control characters, in a cell of a table.
  var harmless: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { scalar in
          [.control, .format].contains(scalar.properties.generalCategory) ? "?" : scalar
        }))
  }
}
