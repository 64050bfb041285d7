import Jobs
import Pipeline
import Stages

/// `eventmill count`: counts events by name and writes no files.
struct CountCommand: JobRequest {
  let options: CommandOptions

  /// Nil where events are counted by name only.
  private var group: EventGroup? {
    let isGrouped = options.grouping != nil || options.measured != nil || !options.countsNames
    return isGrouped
      ? EventGroup(options.grouping ?? .all, measured: options.measured ?? []) : nil
  }

  /// The rows in each form, and the number of those beyond `--top`.
  private struct Rows {
    let others: Int
    let ndjson: () -> ByteBuffer
    let csv: () -> CommandResult.Part
    let table: () -> TextTable
  }

  func result(_ control: JobControl, on console: Console) throws(Failure) -> CommandResult {
    let job = CountJob(options.run.read, control: control)
    let read: ReadSummary
    let rows: Rows
    if let group {
      let outcome = try job.run(by: group, withNames: options.countsNames)
      (read, rows) = (outcome.read, self.rows(outcome.counts, on: console))
    } else {
      let outcome = try job.run()
      (read, rows) = (outcome.read, self.rows(outcome.lines))
    }
    let format = options.format
    var result = CommandResult {
      var text = rows.ndjson()
      let total = JSONWriter.document { json in
        json.object("total") { json in
          read.facts.total.write("ledger", to: &json)
          json.member("lines_with_rejects", read.facts.linesWithRejects)
          if rows.others > 0 { json.member("rows_not_shown", rows.others) }
        }
      }
      text.append(total.view)
      return text
    } text: {
      switch format {
      case nil: [.table(rows.table())]
      case .csv: [rows.csv()]
      case .ndjson: [.text(rows.ndjson().view.text)]
      }
    }
    // In a table they have a row.
    if format != nil || console.settings.json { result.note(notShown: rows.others) }
    let ledger = read.facts.total
    let outside = "\(NumberFormat.grouped(ledger.outside)) outside of --since and --until"
    result.add(
      read,
      note: Summary.counts(
        read.facts,
        [NumberFormat.count(ledger.duplicates, "duplicate")] + (ledger.outside > 0 ? [outside] : [])
      ))
    result.warnings = Summary.copies(read.copies)
    result.failure = read.facts.excess(of: options.run.read, besides: read.lostLines)
    return result
  }

  private func rows(_ counts: EventCountLines) -> Rows {
    let top = options.top
    let shown = top.map(counts.mostFrequent) ?? counts
    return Rows(others: counts.order.count - shown.order.count) {
      var text = ByteBuffer()
      shown.appendJSON(to: &text)
      return text
    } csv: {
      Self.csv(
        ["name", "count", "first_seen", "last_seen", "duplicates"],
        shown.rows.map { row in
          [row.name, "\(row.total.count)"] + Self.times(row.total.seen, never: "")
            + ["\(row.total.duplicates)"]
        })
    } table: {
      Self.table(counts, top: top)
    }
  }

  private func rows(_ counts: GroupedCounts, on console: Console) -> Rows {
    let rows = options.top.map { top in counts.rows.mostFrequent(top) { $0.count } } ?? counts.rows
    return Rows(others: counts.rows.count - rows.count) {
      var text = ByteBuffer()
      counts.appendJSON(rows, options.figures, to: &text)
      return text
    } csv: {
      // Values of others reach a program as they are, and a terminal as a person may see them.
      let columns = self.columns(of: counts) {
        console.showsResults ? $0.group.visible : $0.group
      }
      return Self.csv(columns.map(\.title), rows.map { row in columns.map { $0.plain(row) } })
    } table: {
      self.table(counts, rows)
    }
  }

  /// A column of rows by group: its value in CSV, and if it is a number, as people read it.
  private struct Column {
    let title: String
    let plain: (GroupedCounts.Row) -> String
    var number: ((GroupedCounts.Row) -> String)?
  }

  private func columns(
    of counts: GroupedCounts, group: @escaping (GroupedCounts.Row) -> String
  ) -> [Column] {
    let isByGroup = counts.grouping != .all
    return (isByGroup ? [Column(title: "\(counts.grouping.column)", plain: group)] : [])
      + (options.countsNames ? [Column(title: "name", plain: \.name)] : [])
      + [
        Column(title: "count", plain: { "\($0.count)" }, number: { NumberFormat.grouped($0.count) })
      ]
      + options.figures.map { figure in
        Column(
          title: figure.rawValue, plain: { figure.text(of: $0.numbers) ?? "" },
          number: { figure.text(of: $0.numbers) ?? "-" })
      }
  }

  private static func csv(_ titles: [String], _ rows: [[String]]) -> CommandResult.Part {
    var text = ByteBuffer()
    for row in [titles] + rows { CSV.append(row, to: &text) }
    return .text(text.view.text)
  }

  private func table(_ counts: GroupedCounts, _ rows: [GroupedCounts.Row]) -> TextTable {
    let columns = self.columns(of: counts) { $0.group.harmless }
    var table = TextTable(columns.map { ($0.title, $0.number == nil ? .left : .right) })
    for row in rows { table.add(columns.map { ($0.number ?? $0.plain)(row) }) }
    let all = counts.rows.reduce(0) { $0 + $1.count }
    let others = counts.rows.count - rows.count
    func add(_ first: String, _ count: Int) {
      let position = columns.firstIndex { $0.title == "count" } ?? 0
      let cells = columns.indices.map { $0 == position ? NumberFormat.grouped(count) : "" }
      table.add(position == 0 ? cells : [first] + cells.dropFirst())
    }
    if others > 0 {
      add("\(NumberFormat.grouped(others)) more", all - rows.reduce(0) { $0 + $1.count })
    }
    add("total", all)
    return table
  }

  /// The counts in descending order, equal ones by name, then the rest and the totals.
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

  /// A name from a log in a table: cut, visible, and quoted if it could be read as two.
  private static func shown(_ name: String) -> String {
    let text =
      String(name.unicodeScalars.prefix(longestShown)).harmless
      + (name.unicodeScalars.count > longestShown ? "…" : "")
    return text.contains(", ") ? "\"\(text)\"" : text
  }

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
