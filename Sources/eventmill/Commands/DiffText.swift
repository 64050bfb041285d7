import Jobs
import Pipeline
import Stages

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

  /// The lines about the outputs `old` and `new`.
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
      Self.columns(
        "event names", { Self.marked($0.name, $0.old == nil, $0.new == nil) }, \.count)
        + [
          .number("profiles", \.profiles.new), .right("change") { Self.signed($0.profiles) },
        ]) + Self.more(than: outcome.events.count)
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
    func words(_ types: [String]) -> String? {
      types.isEmpty ? nil : types.joined(separator: ", ")
    }
    return lines(
      outcome.attributes.prefix(Self.mostRows),
      [
        .text("attribute names") { Self.marked($0.name, $0.old.isEmpty, $0.new.isEmpty) },
        .text("old types") { words($0.old) }, .text("new types") { words($0.new) },
      ]) + Self.more(than: outcome.attributes.count)
  }

  private var rejects: [String] {
    let changed = outcome.rejects.filter(\.count.isChange)
    return changed.isEmpty
      ? [] : lines(changed, Self.columns("rejects by reason", \.code, \.count))
  }

  /// The lines about a profile that differs.
  static func lines(of change: ProfileChange) -> [String] {
    let start = marked(change.owner, change.kind == .added, change.kind == .gone)
    let fields = change.fields.map { field in
      "    \(field.path)  \(field.old ?? "-") → \(field.new ?? "-")".visible
    }
    return ["\(start) \(change.id.visible)"] + fields
  }

  // MARK: - Cells

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
