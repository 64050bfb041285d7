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
    var table = Self.table("")
    for (name, count) in outcome.totals {
      table.add([name.replacing("_", with: " ")] + Self.cells(count))
    }
    return table.lines(width: width, heading: heading) + ["profiles: \(outcome.profiles.text)"]
  }

  private var events: [String] {
    if outcome.events.isEmpty { return [] }
    var table = Self.table("event names", and: ["profiles", "change"])
    // The greatest changes come first; sorting keeps the order of names.
    let sorted = outcome.events.sorted { a, b in
      abs(a.count.difference) > abs(b.count.difference)
    }
    for event in sorted.prefix(Self.mostRows) {
      let mark = Self.mark(event.old == nil, event.new == nil)
      let profiles = Self.cells(event.profiles)
      table.add(["\(mark) \(event.name)"] + Self.cells(event.count) + profiles.dropFirst())
    }
    return table.lines(width: width, heading: heading) + Self.more(than: outcome.events.count)
  }

  private var days: [String] {
    guard let changes = outcome.days, !changes.isEqual else { return [] }
    guard changes.isCounted.old, changes.isCounted.new else {
      let which = changes.isCounted.old ? "old" : "new"
      return ["days: only the \(which) output has counts by day"]
    }
    var table = Self.table("events by day", and: ["people", "change"])
    // Those that changed most, in their order.
    let most = changes.days.indices.sorted {
      abs(changes.days[$0].events.difference) > abs(changes.days[$1].events.difference)
    }.prefix(Self.mostRows)
    for day in most.sorted().map({ changes.days[$0] }) {
      let mark = Self.mark(day.old == nil, day.new == nil)
      let people = Self.cells(day.active).dropFirst()
      table.add(["\(mark) \(day.name)"] + Self.cells(day.events) + people)
    }
    var lines: [String] = []
    if !changes.days.isEmpty { lines += table.lines(width: width, heading: heading) }
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
    var table = TextTable([("attribute names", .left), ("old types", .left), ("new types", .left)])
    for attribute in outcome.attributes.prefix(Self.mostRows) {
      let mark = Self.mark(attribute.old.isEmpty, attribute.new.isEmpty)
      table.add([
        "\(mark) \(attribute.name)", Self.words(attribute.old), Self.words(attribute.new),
      ])
    }
    return table.lines(width: width, heading: heading) + Self.more(than: outcome.attributes.count)
  }

  private var rejects: [String] {
    let changed = outcome.rejects.filter(\.count.isChange)
    if changed.isEmpty { return [] }
    var table = Self.table("rejects by reason")
    for (code, count) in changed { table.add([code] + Self.cells(count)) }
    return table.lines(width: width, heading: heading)
  }

  /// The lines about a profile that differs.
  static func lines(of change: ProfileChange) -> [String] {
    let mark = Self.mark(change.kind == .added, change.kind == .gone)
    let fields = change.fields.map { field in
      "    \(field.path)  \(field.old ?? "-") → \(field.new ?? "-")".visible
    }
    return ["\(mark) \(change.owner) \(change.id.visible)"] + fields
  }

  // MARK: - Cells

  private static func table(_ title: String, and others: [String] = []) -> TextTable {
    TextTable(
      [(title, .left)] + (["old", "new", "change"] + others).map { ($0, .right) })
  }

  private static func cells(_ count: Change) -> [String] {
    let sign = count.difference > 0 ? "+" : ""
    return [
      NumberFormat.grouped(count.old), NumberFormat.grouped(count.new),
      sign + NumberFormat.grouped(count.difference),
    ]
  }

  private static func mark(_ isNew: Bool, _ isGone: Bool) -> String {
    isNew ? "+" : isGone ? "-" : "~"
  }

  private static func words(_ types: [String]) -> String {
    types.isEmpty ? "-" : types.joined(separator: ", ")
  }

  private static func more(than count: Int) -> [String] {
    count > mostRows
      ? ["… and \(NumberFormat.grouped(count - mostRows)) more (--json has all of them)"] : []
  }
}
