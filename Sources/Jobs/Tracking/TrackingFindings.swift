package import Pipeline
import Stages

/// Differences of events from a tracking plan. Counts, sums and minima only, so that findings can
/// be merged in any order.
package struct TrackingFindings: Sendable {
  /// Most findings that are kept: the first ones in ``Key``'s order. Every one of them is complete,
  /// since it was never dropped.
  static let most = 10_000
  /// Longest example, in bytes.
  static let longestExample = 100

  /// A kind of difference from a plan.
  package enum Kind: String, DocumentWord, Sendable {
    /// The plan does not have the event.
    case newEvent = "new-event"
    /// The plan does not have the attribute.
    case newAttribute = "new-attribute"
    /// A required attribute is missing.
    case missing
    case wrongType = "wrong-type"
    /// It is not one of the allowed values.
    case value
    /// A number or time is outside of its bounds.
    case range
  }

  /// The key of a finding: one per event name, attribute and kind.
  struct Key: Hashable, Sendable {
    let event: String
    /// Empty for a new event.
    var attribute = ""
    let kind: Kind
  }

  /// The count and the first position.
  struct Finding: Equatable, Sendable {
    var count: Int
    /// The number of the input in the order of the paths, and the line.
    var input: Int
    var line: Int
    /// The value there, or its type if values are withheld; nil if none is wrong.
    var found: String?
  }

  private(set) var findings: [Key: Finding] = [:]
  /// All findings by kind, including dropped ones.
  private(set) var totals: [Kind: Int] = [:]

  /// Adds findings. The first input and line are kept.
  mutating func add(_ key: Key, _ finding: Finding) {
    totals[key.kind, default: 0] += finding.count
    findings[key, default: Finding(count: 0, input: .max, line: .max)].merge(finding)
    if findings.count > 2 * Self.most { forgetRest() }
  }

  /// Adds the findings of another lane.
  mutating func merge(_ other: TrackingFindings) {
    for (kind, count) in other.totals { totals[kind, default: 0] += count }
    findings.merge(other.findings) { one, other in
      var one = one
      one.merge(other)
      return one
    }
    forgetRest()
  }

  private mutating func forgetRest() {
    guard findings.count > Self.most else { return }
    let rest = findings.keys.sorted().dropFirst(Self.most)
    for key in rest { findings[key] = nil }
  }
}

extension TrackingFindings.Finding {
  fileprivate mutating func merge(_ other: Self) {
    count += other.count
    if (other.input, other.line) < (input, line) {
      (input, line, found) = (other.input, other.line, other.found)
    }
  }
}

extension TrackingFindings.Key: Comparable {
  static func < (a: Self, b: Self) -> Bool {
    if a.event != b.event { return a.event.utf8.lexicographicallyPrecedes(b.event.utf8) }
    if a.attribute != b.attribute {
      return a.attribute.utf8.lexicographicallyPrecedes(b.attribute.utf8)
    }
    return a.kind.rank < b.kind.rank
  }
}

extension TrackingFindings.Kind {
  fileprivate var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The findings in logs, for people, for reports and for the facts of partials.
package struct TrackingCheck: Document, Sendable {
  /// One finding.
  package struct Row: Document, Equatable, Sendable {
    package var kind = TrackingFindings.Kind.newEvent
    package var event = ""
    /// Nil for a new event.
    package var attribute: String?
    package var count = 0
    /// The first file, in path order.
    package var file = ""
    package var line = 0
    /// What the plan expects; nil if nothing.
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
      let isFirst =
        file == other.file
        ? line <= other.line : file.utf8.lexicographicallyPrecedes(other.file.utf8)
      let sum = count + other.count
      if !isFirst { self = other }
      count = sum
    }
  }

  /// A hash of the plan.
  private(set) var plan: UInt64 = 0
  /// Sorted by the bytes of event and attribute, then by kind.
  package private(set) var rows: [Row] = []
  /// The count of each kind.
  package private(set) var totals: [(kind: TrackingFindings.Kind, count: Int)] = []

  package static let fields: [Field<TrackingCheck>] = [
    .value("tracking_plan", \.plan), .group("tracking", findings),
  ]
  private static let findings: [Field<TrackingCheck>] = [
    .row("totals", \.totals) { totals, json in
      json.object { json in
        for (kind, count) in totals { json.member(named: kind.rawValue, count) }
      }
    } read: { value, reading throws(DocumentDamage) in
      var counts: [TrackingFindings.Kind: Int] = [:]
      for (name, value) in value.members {
        guard let kind = TrackingFindings.Kind(rawValue: name) else {
          throw DocumentDamage("has the kind \(name), which is unknown")
        }
        counts[kind] = try value.counted(in: 0..., &reading)
      }
      return Self.sorted(counts)
    },
    .value("findings", \.rows), .written("others", \.others),
  ]

  package init() {}

  /// The findings `found`. Without `showsValues` there are no values of logs or of the plan.
  init(_ found: TrackingFindings, plan: TrackingPlan, paths: [String], showsValues: Bool) {
    self.plan = plan.hash
    rows = found.findings.sorted { $0.key < $1.key }.map { key, finding in
      var row = Row()
      (row.kind, row.event, row.count) = (key.kind, key.event, finding.count)
      row.attribute = key.attribute.isEmpty ? nil : key.attribute
      (row.file, row.line, row.found) = (paths[finding.input], finding.line, finding.found)
      if showsValues || key.kind == .wrongType { row.expected = plan.expectation(key) }
      return row
    }
    totals = Self.sorted(found.totals)
  }

  /// The sum of findings about one plan, of inputs that are all different; nil without any.
  init?(merging checks: [TrackingCheck]) {
    guard let plan = checks.first?.plan else { return nil }
    var rows: [TrackingFindings.Key: Row] = [:]
    var totals: [TrackingFindings.Kind: Int] = [:]
    for check in checks {
      for row in check.rows {
        if rows[row.key]?.merge(row) == nil { rows[row.key] = row }
      }
      for (kind, count) in check.totals { totals[kind, default: 0] += count }
    }
    self.plan = plan
    self.rows = rows.sorted { $0.key < $1.key }.prefix(TrackingFindings.most).map(\.value)
    self.totals = Self.sorted(totals)
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

  /// Findings in the report of a run.
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
  /// Values of an attribute in an expectation.
  private static let mostNamed = 8

  /// The expectation of the plan for a finding, as text.
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
  /// The types, as text.
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
