package import Pipeline
import Stages

/// Differences of events from a tracking plan, which can be merged in any order.
package struct TrackingFindings: Sendable {
  /// Most findings that are kept: the first ones in ``Key``'s order, each complete.
  static let most = 10_000
  /// Longest example, in bytes.
  static let longestExample = 100

  package enum Kind: String, DocumentWord, Sendable {
    /// The plan does not have the event or the attribute.
    case newEvent = "new-event"
    case newAttribute = "new-attribute"
    case missing
    case wrongType = "wrong-type"
    /// It is not one of the allowed values, or outside of its bounds.
    case value, range

    fileprivate var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  struct Key: Hashable, Comparable, Sendable {
    let event: String
    /// Empty for a new event.
    let attribute: String
    let kind: Kind

    static func < (a: Self, b: Self) -> Bool {
      if a.event != b.event { return a.event.precedes(b.event) }
      if a.attribute != b.attribute { return a.attribute.precedes(b.attribute) }
      return a.kind.rank < b.kind.rank
    }
  }

  private(set) var rows: [Key: TrackingCheck.Row] = [:]
  /// All findings by kind, including dropped ones.
  private(set) var totals: [Kind: Int] = [:]

  /// Adds a finding. Of those with one key the first position is kept.
  mutating func add(_ row: TrackingCheck.Row) {
    totals[row.kind, default: 0] += row.count
    put(row)
    if rows.count > 2 * Self.most { forgetRest() }
  }

  mutating func merge(
    _ others: some Sequence<TrackingCheck.Row>, _ counts: some Sequence<(kind: Kind, count: Int)>
  ) {
    for (kind, count) in counts { totals[kind, default: 0] += count }
    others.forEach { put($0) }
    forgetRest()
  }

  private mutating func put(_ row: TrackingCheck.Row) {
    if rows[row.key]?.merge(row) == nil { rows[row.key] = row }
  }

  private mutating func forgetRest() {
    guard rows.count > Self.most else { return }
    let rest = rows.keys.sorted().dropFirst(Self.most)
    for key in rest { rows[key] = nil }
  }
}

/// The findings in logs, for people, for reports and for the facts of partials.
package struct TrackingCheck: Document, Sendable {
  package struct Row: Document, Equatable, Sendable {
    package var kind = TrackingFindings.Kind.newEvent
    package var event = ""
    /// Nil for a new event.
    package var attribute: String?
    package var count = 0
    /// The first file, in path order.
    package var file = ""
    package var line = 0
    /// The expectation of the plan; nil if there is none.
    package var expected: String?
    /// The value found, possibly cut, or its type if values are withheld.
    package var found: String?

    /// In reports and facts, which contain no values.
    package static let fields: [Field<Row>] = fields(found: "type")

    package init() {}

    package static func fields(found: StaticString) -> [Field<Row>] {
      [
        .value("kind", \.kind), .line("event", \.event), .line("attribute", \.attribute),
        .count("count", \.count), .value("file", \.file), .value("line", \.line),
        .line("expected", \.expected), .line(found, \.found),
      ]
    }

    fileprivate var key: TrackingFindings.Key {
      TrackingFindings.Key(event: event, attribute: attribute ?? "", kind: kind)
    }

    /// Adds another finding with the same key; the first position of both counts.
    fileprivate mutating func merge(_ other: Row) {
      let isFirst = !other.file.precedes(file) && (file.precedes(other.file) || line <= other.line)
      let sum = count + other.count
      if !isFirst { self = other }
      count = sum
    }
  }

  private(set) var plan: UInt64 = 0
  /// Sorted by the bytes of event and attribute, then by kind.
  package private(set) var rows: [Row] = []
  package private(set) var totals: [(kind: TrackingFindings.Kind, count: Int)] = []

  package static let fields: [Field<TrackingCheck>] = [
    .value("tracking_plan", \.plan), .group("tracking", findings),
  ]
  private static let findings: [Field<TrackingCheck>] = [
    .row("totals", \.totals) { totals, json in
      json.object { json in for (kind, count) in totals { json.member(kind.rawValue, count) } }
    } read: { value, reading throws(DocumentDamage) in
      var counts: [TrackingFindings.Kind: Int] = [:]
      for (name, value) in value.members {
        guard let kind = TrackingFindings.Kind(rawValue: name) else {
          throw DocumentDamage("has the kind \(name), which is unknown")
        }
        counts[kind] = try value.counted(in: 0..., &reading)
      }
      return Self.sorted(counts)
    }, .value("findings", \.rows), .written("others", \.others),
  ]

  package init() {}

  /// The findings `found`, with what the plan expects; without `showsValues` only types.
  init(_ found: TrackingFindings, plan: TrackingPlan, showsValues: Bool) {
    self.init(found, plan.hash)
    for index in rows.indices where showsValues || rows[index].kind == .wrongType {
      rows[index].expected = plan.expectation(rows[index].key)
    }
  }

  /// The sum of findings about one plan, of inputs that are all different; nil without any.
  init?(merging checks: [TrackingCheck]) {
    guard let plan = checks.first?.plan else { return nil }
    var all = TrackingFindings()
    for check in checks { all.merge(check.rows, check.totals) }
    self.init(all, plan)
  }

  private init(_ found: TrackingFindings, _ plan: UInt64) {
    self.plan = plan
    rows = found.rows.sorted { $0.key < $1.key }.map(\.value)
    totals = Self.sorted(found.totals)
  }

  private static func sorted(
    _ counts: [TrackingFindings.Kind: Int]
  ) -> [(kind: TrackingFindings.Kind, count: Int)] {
    TrackingFindings.Kind.allCases.compactMap { kind in counts[kind].map { (kind, $0) } }
  }

  package func check() throws(DocumentDamage) {
    let known = Dictionary(uniqueKeysWithValues: totals.map { ($0.kind, $0.count) })
    let sums = Dictionary(rows.map { ($0.kind, $0.count) }) { $0 + $1 }
    guard rows.count <= TrackingFindings.most,
      zip(rows, rows.dropFirst()).allSatisfy({ $0.key < $1.key }),
      sums.allSatisfy({ $0.value <= known[$0.key] ?? 0 })
    else { throw DocumentDamage("has findings out of order, or more than their totals") }
  }

  /// Number of findings that are not in ``rows``, because there are too many.
  package var others: Int {
    totals.reduce(0) { $0 + $1.count } - rows.reduce(0) { $0 + $1.count }
  }

  /// The number of findings of each kind, as text.
  package var summary: String {
    totals.isEmpty
      ? "all events are as the plan has them"
      : totals.map { "\(NumberFormat.grouped($0.count)) \($0.kind.rawValue)" }
        .joined(separator: ", ")
  }

  static let mostReported = 1000

  /// The first findings, without values, in a report.
  struct Reported: WrittenObject {
    fileprivate let check: TrackingCheck

    static let fields: [Field<Reported>] = TrackingCheck.findings.map { $0.of { $0.check } }
  }

  var reported: Reported {
    var first = self
    first.rows = Array(rows.prefix(Self.mostReported))
    return Reported(check: first)
  }
}

extension TrackingPlan {
  private static let mostNamed = 8

  fileprivate func expectation(_ key: TrackingFindings.Key) -> String? {
    guard let property = events[key.event]?.properties[key.attribute] else { return nil }
    switch key.kind {
    case .newEvent, .newAttribute, .missing: return nil
    case .wrongType: return property.typeText
    case .value:
      let values = (property.allowed ?? []).map(\.text)
      let rest = values.count - Self.mostNamed
      return values.prefix(Self.mostNamed).joined(separator: ", ")
        + (rest > 0 ? " and \(rest) more" : "")
    case .range: return property.rangeText
    }
  }
}

extension TrackingPlan.Property {
  var typeText: String {
    let items = items == .all ? "" : " of \(items.names.joined(separator: " or "))"
    return types.names.map { $0 == "array" ? $0 + items : $0 }.joined(separator: " or ")
  }

  /// The bounds, as text; nil without any.
  var rangeText: String? {
    switch (
      least?.jsonText ?? earliest.map(Timestamp.text),
      greatest?.jsonText ?? latest.map(Timestamp.text)
    ) {
    case (nil, nil): nil
    case (let low?, nil): "\(low) or more"
    case (nil, let high?): "\(high) or less"
    case (let low?, let high?): "\(low) to \(high)"
    }
  }
}
