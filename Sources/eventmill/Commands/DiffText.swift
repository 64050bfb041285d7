import Jobs
import Pipeline

/// What changed between two outputs, for people.
struct DiffText {
  /// Rows that a table shows at most; `--json` has all of them.
  private static let mostRows = 20

  private let outcome: DiffOutcome
  /// How long lines of tables are at most; nil for any length.
  private let width: Int?
  private let heading: (String) -> String

  init(_ outcome: DiffOutcome, width: Int?, heading: @escaping (String) -> String) {
    (self.outcome, self.width, self.heading) = (outcome, width, heading)
  }

  /// The lines about the outputs `old` and `new`.
  func lines(_ old: String, _ new: String) -> [String] {
    if outcome.isEqual {
      let count = NumberFormat.grouped(outcome.profiles.equal)
      return ["\(old) and \(new) are equal: \(count) profiles"]
    }
    return [totals, events, attributes, rejects].filter { !$0.isEmpty }
      .reduce([]) { $0 + ($0.isEmpty ? [] : [""]) + $1 }
  }

  private var totals: [String] {
    var table = Self.table("")
    for (name, count) in outcome.totals {
      table.add([name.replacing("_", with: " ")] + Self.cells(count))
    }
    let profiles = outcome.profiles
    let parts = [
      (profiles.added, "added"), (profiles.gone, "gone"), (profiles.changed, "changed"),
      (profiles.equal, "unchanged"),
    ]
    return table.lines(width: width, heading: heading) + [
      "profiles: "
        + parts.map { "\(NumberFormat.grouped($0.0)) \($0.1)" }.joined(separator: ", ")
    ]
  }

  private var events: [String] {
    if outcome.events.isEmpty { return [] }
    var table = Self.table("event names", and: ["profiles", "change"])
    // Those that changed most come first; sorting keeps the order of names.
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
      ProfileText.visible("    \(field.path)  \(field.old ?? "-") → \(field.new ?? "-")")
    }
    return ["\(mark) \(change.owner) \(ProfileText.visible(change.id))"] + fields
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
