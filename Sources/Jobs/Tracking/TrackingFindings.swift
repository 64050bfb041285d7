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
  package enum Kind: String, CaseIterable, Sendable {
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

/// The findings in logs, for people and for reports.
package struct TrackingCheck: Sendable {
  /// One finding.
  package struct Row: Equatable, Sendable {
    package let kind: TrackingFindings.Kind
    package let event: String
    /// Nil for a new event.
    package let attribute: String?
    package let count: Int
    /// The first file, in path order.
    package let file: String
    package let line: Int
    /// What the plan expects; nil if nothing.
    package let expected: String?
    /// The value found, possibly cut, or its type if values are withheld.
    package let found: String?
  }

  /// A hash of the plan.
  let plan: UInt64
  /// Sorted by the bytes of event and attribute, then by kind.
  package let rows: [Row]
  /// The count of each kind.
  package let totals: [(kind: TrackingFindings.Kind, count: Int)]
  /// Number of these that are not in ``rows``, because there are too many.
  package let others: Int

  /// The findings `found`. Without `showsValues` there are no values of logs or of the plan.
  init(_ found: TrackingFindings, plan: TrackingPlan, paths: [String], showsValues: Bool) {
    let rows = found.findings.sorted { $0.key < $1.key }.map { key, finding in
      Row(
        kind: key.kind, event: key.event, attribute: key.attribute.isEmpty ? nil : key.attribute,
        count: finding.count, file: paths[finding.input], line: finding.line,
        expected: showsValues || key.kind == .wrongType ? plan.expectation(key) : nil,
        found: finding.found)
    }
    self.init(plan: plan.hash, rows: rows, found.totals)
  }

  init(plan: UInt64, rows: [Row], _ counts: [TrackingFindings.Kind: Int]) {
    (self.plan, self.rows) = (plan, rows)
    totals = TrackingFindings.Kind.allCases.compactMap { kind in
      counts[kind].map { (kind, $0) }
    }
    others = totals.reduce(0) { $0 + $1.count } - rows.reduce(0) { $0 + $1.count }
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

  /// Writes the first `most` findings, without values, as the field `tracking` of the open object.
  func write(atMost most: Int = mostReported, to json: inout JSONWriter) {
    let rows = rows.prefix(most)
    let all = totals.reduce(0) { $0 + $1.count }
    json.object("tracking") { json in
      json.object("totals", of: totals.map { ($0.kind.rawValue, $0.count) })
      json.objects("findings", of: rows) { Self.write($0, found: "type", to: &$1) }
      json.member("others", all - rows.reduce(0) { $0 + $1.count })
    }
  }

  /// Writes a row as the fields of the open object; `found` names that of the value found.
  package static func write(
    _ row: Row, found: StaticString = "example", to json: inout JSONWriter
  ) {
    json.member("kind", row.kind.rawValue)
    json.member("event", row.event)
    if let attribute = row.attribute { json.member("attribute", attribute) }
    json.member("count", row.count)
    json.member("file", row.file)
    json.member("line", row.line)
    if let expected = row.expected { json.member("expected", expected) }
    if let value = row.found { json.member(found, value) }
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
      least?.text ?? earliest.map(Timestamp.text), greatest?.text ?? latest.map(Timestamp.text)
    ) {
    case (nil, nil): nil
    case (let low?, nil): "\(low) or more"
    case (nil, let high?): "\(high) or less"
    case (let low?, let high?): "\(low) to \(high)"
    }
  }
}
