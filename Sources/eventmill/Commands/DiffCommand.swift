package import Jobs
package import Pipeline
import Stages

/// `eventmill diff`: shows the differences between two outputs (docs/reference/file-formats.md).
struct DiffCommand: Request {
  let options: CommandOptions
  private var old: String { options.operands[0] }
  private var new: String { options.operands[1] }

  func execute(on console: Console) throws(Failure) -> ExitCode {
    var outcome: DiffOutcome?
    try console.untilClosed { () throws(Failure) in
      outcome = try JobRunner.run(on: console) { control throws(Failure) in
        let job = DiffJob(old, new, control: control)
        guard options.listsProfiles else { return try job.run() }
        return try job.run { change throws(Failure) in try print(change, on: console) }
      }
    }
    guard let outcome else { return .different }
    var result = CommandResult { json in
      write(outcome, to: &json)
    } text: {
      let text = DiffText(outcome, width: console.resultWidth, heading: console.heading)
      let isApart = options.listsProfiles && outcome.profiles.differing > 0
      return [.lines((isApart ? [""] : []) + text.lines(old, new))]
    }
    result.code = outcome.isEqual ? .done : .different
    return try console.show(result)
  }

  private func print(_ change: ProfileChange, on console: Console) throws(Failure) {
    if console.settings.json {
      try console.print { json in
        json.members(["change": change.kind.rawValue, "kind": change.owner, "id": change.id])
        if change.kind == .changed {
          json.objects("fields", of: change.fields) { field, json in
            json.member("path", field.path)
            if let old = field.old { json.member("old") { $0.append(text: old) } }
            if let new = field.new { json.member("new") { $0.append(text: new) } }
          }
        }
      }
    } else {
      for line in DiffText.lines(of: change) { try console.print(line) }
    }
    try console.endIfClosed()
  }

  private func write(_ outcome: DiffOutcome, to json: inout JSONWriter) {
    json.members(["old": old, "new": new, "equal": outcome.isEqual])
    Named(outcome.totals.map { ($0.name, $0.count) }).write("totals", to: &json)
    outcome.events.write("events", to: &json)
    outcome.attributes.write("attributes", to: &json)
    outcome.profiles.write("profiles", to: &json)
    if let days = outcome.days { json.object("daily_counts") { write(days, to: &$0) } }
    write("rejects", outcome.rejects.map { ($0.code, $0.count) }, "code", to: &json)
  }

  private func write(_ changes: DailyChanges, to json: inout JSONWriter) {
    json.members(["old": changes.isCounted.old, "new": changes.isCounted.new])
    guard changes.isCounted.old, changes.isCounted.new else { return }
    if changes.start.old != changes.start.new {
      json.object("complete_from") { json in
        if let day = changes.start.old { json.member("old", day) }
        if let day = changes.start.new { json.member("new", day) }
      }
    }
    changes.days.write("days", to: &json)
    json.member("equal_days", changes.equal)
    write("weeks", changes.weeks, "week", to: &json)
    write("months", changes.months, "month", to: &json)
  }

  /// Writes an array of changes, whose names are in the field `name` of each. What an output does
  /// not have counts 0.
  private func write(
    _ key: StaticString, _ changes: [(String, Change)], _ name: StaticString,
    to json: inout JSONWriter
  ) {
    json.objects(key, of: changes) { change, json in
      json.member(name, change.0)
      if change.1.old > 0 { json.member("old", change.1.old) }
      if change.1.new > 0 { json.member("new", change.1.new) }
    }
  }
}

extension Change: WrittenObject {
  package static let fields: [Field<Change>] = [.written("old", \.old), .written("new", \.new)]
}

extension EventChange: WrittenObject {
  package static let fields: [Field<EventChange>] = [
    .written("name", \.name), .written("old", \.old), .written("new", \.new),
  ]
}

extension EventFigures: WrittenObject {
  package static let fields: [Field<EventFigures>] = [
    .written("count", \.count), .written("profiles", \.profiles),
    .written("duplicates", \.duplicates),
    .written("first_seen") { $0.firstSeen.map(Timestamp.text) },
    .written("last_seen") { $0.lastSeen.map(Timestamp.text) },
  ]
}

extension AttributeChange: WrittenObject {
  package static let fields: [Field<AttributeChange>] = [
    .written("name", \.name), .written("old") { $0.old.isEmpty ? nil : $0.old },
    .written("new") { $0.new.isEmpty ? nil : $0.new },
    .written("profiles") { $0.profiles > 0 ? $0.profiles : nil },
  ]
}

extension DailyChanges.Day: WrittenObject {
  package static let fields: [Field<DailyChanges.Day>] = [
    .written("day", \.name), .written("old", \.old), .written("new", \.new),
  ]
}

extension DailyChanges.Figures: WrittenObject {
  package static let fields: [Field<DailyChanges.Figures>] = [
    .written("events", \.events), .written("active", \.active), .written("new", \.new),
  ]
}

/// The differences between two outputs, for people.
struct DiffText {
  /// Most rows of a table; `--json` has all of them.
  private static let mostRows = 20

  private let outcome: DiffOutcome
  /// Greatest width of tables; nil for any width.
  private let width: Int?
  private let heading: (String) -> String

  init(_ outcome: DiffOutcome, width: Int?, heading: @escaping (String) -> String) {
    (self.outcome, self.width, self.heading) = (outcome, width, heading)
  }

  func lines(_ old: String, _ new: String) -> [String] {
    if outcome.isEqual {
      let profiles = NumberFormat.count(outcome.profiles.equal, "profile")
      return ["\(old) and \(new) are equal: \(profiles)"]
    }
    return [totals, events, days, attributes, rejects].filter { !$0.isEmpty }
      .reduce([]) { $0 + ($0.isEmpty ? [] : [""]) + $1 }
  }

  private var totals: [String] {
    lines(
      outcome.totals, Self.columns("", { $0.name.replacing("_", with: " ") }, \.count)
    ) + ["profiles: \(outcome.profiles.text)"]
  }

  private var events: [String] {
    if outcome.events.isEmpty { return [] }
    // The greatest changes come first; sorting keeps the order of names.
    let sorted = outcome.events.sorted { abs($0.count.difference) > abs($1.count.difference) }
    return lines(
      sorted.prefix(Self.mostRows),
      Self.columns("event names", { Self.marked($0.name, $0.old == nil, $0.new == nil) }, \.count)
        + [.number("profiles", \.profiles.new), .right("change") { Self.signed($0.profiles) }])
      + Self.more(than: outcome.events.count)
  }

  private var days: [String] {
    guard let changes = outcome.days, !changes.isEqual else { return [] }
    guard changes.isCounted.old, changes.isCounted.new else {
      let which = changes.isCounted.old ? "old" : "new"
      return ["days: only the \(which) output has counts by day"]
    }
    // Those that changed most, in their order.
    let most = changes.days.indices.sorted {
      abs(changes.days[$0].events.difference) > abs(changes.days[$1].events.difference)
    }.prefix(Self.mostRows)
    let table = lines(
      most.sorted().map { changes.days[$0] },
      Self.columns(
        "events by day", { Self.marked($0.name, $0.old == nil, $0.new == nil) }, \.events)
        + [.number("people", \.active.new), .right("change") { Self.signed($0.active) }])
    var lines = changes.days.isEmpty ? [] : table
    lines += Self.more(than: changes.days.count) + ["days: \(changes.counts.text)"]
    for (name, periods) in [("week", changes.weeks), ("month", changes.months)]
    where !periods.isEmpty {
      lines.append("active people: \(NumberFormat.count(periods.count, name)) changed")
    }
    if changes.start.old != changes.start.new {
      let (old, new) = (changes.start.old ?? "all", changes.start.new ?? "all")
      lines.append("complete from: \(old) before, \(new) now")
    }
    return lines
  }

  private var attributes: [String] {
    if outcome.attributes.isEmpty { return [] }
    func words(_ types: [String]) -> String? { types.isEmpty ? nil : types.joined(separator: ", ") }
    return lines(
      outcome.attributes.prefix(Self.mostRows),
      [
        .text("attribute names") { Self.marked($0.name, $0.old.isEmpty, $0.new.isEmpty) },
        .text("old types") { words($0.old) }, .text("new types") { words($0.new) },
      ]) + Self.more(than: outcome.attributes.count)
  }

  private var rejects: [String] {
    outcome.rejects.isEmpty
      ? [] : lines(outcome.rejects, Self.columns("rejects by reason", \.code, \.count))
  }

  static func lines(of change: ProfileChange) -> [String] {
    let start = marked(change.owner, change.kind == .added, change.kind == .gone)
    let fields = change.fields.map { field in
      "    \(field.path)  \(field.old ?? "-") → \(field.new ?? "-")".visible
    }
    return ["\(start) \(change.id.visible)"] + fields
  }

  private func lines<Row>(
    _ rows: some Sequence<Row>, _ columns: [TextTable.Column<Row>]
  ) -> [String] {
    TextTable(of: rows, columns).lines(width: width, heading: heading)
  }

  private static func columns<Row>(
    _ title: String, _ name: @escaping (Row) -> String, _ count: @escaping (Row) -> Change
  ) -> [TextTable.Column<Row>] {
    [
      .text(title, name), .number("old") { count($0).old }, .number("new") { count($0).new },
      .right("change") { signed(count($0)) },
    ]
  }

  private static func signed(_ count: Change) -> String {
    (count.difference > 0 ? "+" : "") + NumberFormat.grouped(count.difference)
  }

  private static func marked(_ name: String, _ isNew: Bool, _ isGone: Bool) -> String {
    "\(isNew ? "+" : isGone ? "-" : "~") \(name)"
  }

  private static func more(than count: Int) -> [String] {
    count > mostRows
      ? ["… and \(NumberFormat.grouped(count - mostRows)) more (--json has all of them)"] : []
  }
}
