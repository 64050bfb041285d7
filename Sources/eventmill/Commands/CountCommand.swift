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
    result.check(read.facts, options.run.read, besides: read.lostLines)
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
      [isCSV ? .text(Self.csv(shown)) : .table(Self.table(counts, top: top))]
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
      var text = ByteBuffer()
      CSV.append([shown("\(counts.grouping.column)"), "name", "count"], to: &text)
      for row in rows { CSV.append([shown(row.group), row.name, "\(row.count)"], to: &text) }
      return [.text(text.view.text)]
    }
    return (result, counts.rows.count - rows.count)
  }

  private static func csv(_ counts: EventCountLines) -> String {
    var text = ByteBuffer()
    CSV.append(["name", "count", "first_seen", "last_seen", "duplicates"], to: &text)
    for row in counts.rows {
      let seen = row.total.seen
      let times =
        seen.isNever ? ["", ""] : [Timestamp.text(seen.first), Timestamp.text(seen.last)]
      CSV.append(
        [row.name, "\(row.total.count)"] + times + ["\(row.total.duplicates)"], to: &text)
    }
    return text.view.text
  }

  /// The rows, in order, followed by the omitted ones and the total.
  private static func table(_ counts: GroupedCounts, _ rows: [GroupedCounts.Row]) -> TextTable {
    var table = TextTable([
      ("\(counts.grouping.column)", .left), ("name", .left), ("count", .right),
    ])
    for row in rows {
      table.add([harmless(row.group), row.name, NumberFormat.grouped(row.count)])
    }
    let all = counts.rows.reduce(0) { $0 + $1.count }
    if rows.count < counts.rows.count {
      let rest = all - rows.reduce(0) { $0 + $1.count }
      table.add([
        "\(NumberFormat.grouped(counts.rows.count - rows.count)) more", "",
        NumberFormat.grouped(rest),
      ])
    }
    table.add(["total", "", NumberFormat.grouped(all)])
    return table
  }

  /// The counts, in descending order, equal ones by name, followed by the rest beyond `top` and the
  /// totals. There is a column of source names if there are any.
  static func table(_ counts: EventCountLines, top: Int? = nil) -> TextTable {
    let rows = counts.rows.enumerated().sorted {
      ($1.element.total.count, $0.offset) < ($0.element.total.count, $1.offset)
    }
    let hasSourceNames = rows.contains { !$0.element.sourceNames.isEmpty }
    let columns: [(String, TextTable.Alignment)] = [
      ("name", .left), ("count", .right), ("first seen", .left), ("last seen", .left),
    ]
    var table = TextTable(hasSourceNames ? columns + [("source names", .left)] : columns)
    let most = min(top ?? rows.count, rows.count)
    for (_, row) in rows.prefix(most) {
      let names =
        row.sourceNames.isEmpty
        ? "-" : row.sourceNames.names.map(shown).joined(separator: ", ")
      table.add(
        cells(row.name, row.total.count, row.total.seen) + (hasSourceNames ? [names] : []))
    }
    let none = hasSourceNames ? ["-"] : []
    if most < rows.count {
      let rest = "\(NumberFormat.grouped(rows.count - most)) more"
      table.add(sum(rest, rows.dropFirst(most).map { $0.element.total }) + none)
    }
    table.add(sum("total", rows.map { $0.element.total }) + none)
    return table
  }

  private static func sum(_ name: String, _ totals: [EventTotals.Total]) -> [String] {
    var seen = Seen.never
    for total in totals { seen.merge(total.seen) }
    return cells(name, totals.reduce(0) { $0 + $1.count }, seen)
  }

  /// A name from a log in a table: cut, without terminal control characters, and quoted where it
  /// could be read as two.
  private static func shown(_ name: String) -> String {
    let text =
      harmless(String(String.UnicodeScalarView(name.unicodeScalars.prefix(longestShown))))
      + (name.unicodeScalars.count > longestShown ? "…" : "")
    return text.contains(", ") ? "\"\(text)\"" : text
  }

  /// The text without terminal control characters.
  static func harmless(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
      let category = scalar.properties.generalCategory
      return category == .control || category == .format ? "?" : scalar
    }
    return String(String.UnicodeScalarView(scalars))
  }

  /// Scalars of a source name in a table.
  private static let longestShown = 40

  private static func cells(_ name: String, _ count: Int, _ seen: Seen) -> [String] {
    [
      name, NumberFormat.grouped(count), seen.isNever ? "-" : Timestamp.text(seen.first),
      seen.isNever ? "-" : Timestamp.text(seen.last),
    ]
  }
}
