package import Pipeline
package import Stages

/// What the two policies for v1 events would accept and lose of the same lines (data-model 8), to
/// help choose one.
///
/// Only v1 events that strict rejects differ: line-level reasons, operations and v2 events are the
/// same in both, and of an event that strict accepts lenient drops nothing. Sums, so those of parts
/// add up to that of the whole in any order. Empty, and without memory, if nothing differs.
package struct PolicyComparison: Sendable, Equatable {
  /// The counts of one code.
  package struct Row: Document, Sendable, Equatable {
    /// Events that strict rejects for this reason, and perhaps others.
    package var rejected = 0
    /// How many of these lenient accepts.
    package var saved = 0
    /// Parts that lenient drops from events that strict rejects.
    package var dropped = 0

    /// The counts in reports.
    package static let fields: [Field<Row>] = [
      .count("strict_rejects", \.rejected), .count("lenient_saves", \.saved),
      .count("lenient_drops", \.dropped),
    ]

    package init() {}
  }

  /// v1 events that strict rejects.
  package internal(set) var lostByStrict = 0
  /// v1 events that lenient rejects, too.
  package internal(set) var lostByLenient = 0
  /// By the numbers of ``ReasonCode``; empty as long as nothing differs.
  private var rows: [Row] = []

  package init() {}

  /// Parts that lenient drops from events that only it accepts.
  package var droppedParts: Int { rows.reduce(0) { $0 + $1.dropped } }

  /// The codes that occurred, in the order of ``ReasonCode``. The losses of `$label` and `$tags` in
  /// a v1 event are under their reasons in strict.
  package var reasons: [(code: ReasonCode, row: Row)] {
    zip(ReasonCode.allCases, rows).compactMap { code, row in
      row == Row() ? nil : (code, row)
    }
  }

  /// The same, the most frequent first.
  package var mostFrequent: [(code: ReasonCode, row: Row)] {
    reasons.mostFrequentFirst(by: \.row.rejected)
  }

  /// The cost of each policy, as a sentence.
  package var costs: String {
    func events(_ count: Int) -> String { NumberFormat.count(count, "event") }
    return "--v1 strict loses \(events(lostByStrict)); --v1 lenient loses "
      + "\(events(lostByLenient)), and \(NumberFormat.count(droppedParts, "part")) of the "
      + "\(events(lostByStrict - lostByLenient)) that it saves"
  }

  /// The row of `code`, to be changed.
  subscript(code: ReasonCode) -> Row {
    get { rows.isEmpty ? Row() : rows[Int(code.rawValue)] }
    set {
      if rows.isEmpty { rows = Array(repeating: Row(), count: ReasonCode.allCases.count) }
      rows[Int(code.rawValue)] = newValue
    }
  }

  /// Adds another comparison.
  package mutating func add(_ other: PolicyComparison) {
    addCounts(of: other)
    for (code, row) in other.reasons { self[code].add(row) }
  }
}

// MARK: - As JSON

extension PolicyComparison: Document {
  package static let fields: [Field<PolicyComparison>] = [
    .group("strict", [.count("lost_events", \.lostByStrict)]),
    .group(
      "lenient", [.count("lost_events", \.lostByLenient), .written("lost_parts", \.droppedParts)]),
    .value("reasons", \.codes),
  ]

  private struct Code: Document {
    var code = ReasonCode.allCases[0]
    var row = Row()

    static let fields: [Field<Code>] = [.value("code", \.code), .part(\.row)]
  }

  private var codes: [Code] {
    get { reasons.map { Code(code: $0.code, row: $0.row) } }
    set { for item in newValue { self[item.code] = item.row } }
  }
}
