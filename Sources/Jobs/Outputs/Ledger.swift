package import Pipeline

/// The accounting of every line, event and operation (`docs/reference/data-model.md`). The two
/// sides of each equation come from different sources, so that an error shows: `lines` from the
/// block source, its parts from the outcome of each line; `events` and `operations` from the
/// reader, their parts from the validator's outcomes and the shards' duplicates.
package struct Ledger: Document, Equatable, Sendable {
  /// Lines read, as counted by the block source.
  package var lines = 0
  package var blank = 0
  package var records = 0
  package var rejectedLines = 0
  package var events = 0
  package var accepted = 0
  package var rejected = 0
  package var duplicates = 0
  /// Valid events that were suppressed because of an erasure or an opt-out.
  package var suppressed = 0
  /// Valid events before `--since`, or at `--until` or later.
  package var outside = 0
  /// Operations in the records, one per key and one per clear.
  package var operations = 0
  /// Valid ones, including suppressed ones.
  package var applied = 0
  package var refused = 0

  /// The totals and their parts, in report order: a new part is a row.
  package static let equations: [Equation] = [
    Equation(
      name: "lines", total: \.lines, metric: "eventmill_lines_total", label: "kind",
      help: "what they were",
      parts: [
        ("blank", \.blank, .setAside, "blank", "blank", "blank"),
        ("records", \.records, .kept, "records", "record", "records"),
        ("rejected_lines", \.rejectedLines, .refused, "rejected", "rejected", "rejected lines"),
      ]),
    Equation(
      name: "events", total: \.events, metric: "eventmill_events_total", label: "outcome",
      help: "what became of them",
      parts: [
        ("accepted", \.accepted, .kept, "accepted", "accepted", "accepted"),
        ("rejected", \.rejected, .refused, "rejected", "rejected", "rejected"),
        ("duplicates", \.duplicates, .repeated, "duplicates", "duplicate", "duplicates"),
        ("suppressed", \.suppressed, .withheld, "suppressed", "suppressed", "suppressed ones"),
        ("outside", \.outside, .outside, "outside", "outside", "outside of --since and --until"),
      ]),
    Equation(
      name: "operations", total: \.operations, metric: "eventmill_operations_total",
      label: "outcome", help: "what became of them",
      parts: [
        ("applied", \.applied, .kept, "applied", "applied", "applied"),
        ("refused", \.refused, .refused, "refused", "refused", "refused ones"),
      ]),
  ]

  /// The counts in reports; `outside` only in those of runs with `--since` or `--until`.
  package static let fields: [Field<Ledger>] = equations.map { equation in
    .group(
      equation.name,
      [.count("total", equation.total)]
        + equation.parts.map { .count($0.key, $0.count, omitsZero: $0.fate == .outside) })
  }

  package init() {}

  /// A description of the first equation that does not hold, or nil.
  package var mismatch: String? {
    guard let equation = Ledger.equations.first(where: { !$0.holds(in: self) }) else { return nil }
    let counts = equation.parts.map {
      NumberFormat.count(self[keyPath: $0.count], $0.label, $0.words)
    }
    let name = "\(equation.name)"
    let total = NumberFormat.count(
      self[keyPath: equation.total], "\(name.dropLast()) was", "\(name) were")
    return "\(total) read, but "
      + "\(counts.dropLast().joined(separator: ", ")) and \(counts[counts.count - 1]) were counted"
  }
}

extension Failure {
  static func ledger(_ why: String, path: String? = nil) -> Failure {
    Failure(
      .defect, doing: "checking the ledger", path: path, why: why,
      advice: "nothing was published; this is a bug in eventmill, please report it")
  }
}

extension Ledger {
  package typealias Count = Field<Ledger>.Path<Int>

  /// The kind of a part, by its color in the report, in the order of the report.
  package enum Fate: CaseIterable, Sendable {
    case kept, setAside, withheld
    /// Excluded by an option; reports have the count if there is one.
    case outside
    case repeated, refused

    var style: String {
      switch self {
      case .kept: "k1"
      case .setAside, .withheld: "k2"
      case .repeated: "k3"
      case .refused: "k4"
      case .outside: "k5"
      }
    }

    /// In the order of summaries, which omit the last two if they are zero.
    fileprivate static let summarized: [Fate] = [
      .kept, .setAside, .repeated, .refused, .withheld, .outside,
    ]
  }

  /// A part under its names in reports, page, metrics and messages.
  package typealias Part = (
    key: StaticString, count: Count, fate: Fate, name: String, label: String, words: String
  )

  /// A total equals the sum of its parts.
  package struct Equation: Sendable {
    package let name: StaticString
    package let total: Count
    /// The metric of the parts, its label, and the label's description.
    package let metric: StaticString
    package let label: StaticString
    package let help: String
    package let parts: [Part]

    package var title: String { "\(name)".prefix(1).uppercased() + "\(name)".dropFirst() }

    /// The parts of `ledger` in a summary, in its order.
    package func summary(of ledger: Ledger) -> [(part: Part, count: Int)] {
      Fate.summarized.flatMap { fate in
        parts.filter { $0.fate == fate }.map { ($0, ledger[keyPath: $0.count]) }
          .filter { $1 > 0 || fate != .withheld && fate != .outside }
      }
    }

    package func holds(in ledger: Ledger) -> Bool {
      ledger[keyPath: total] == parts.reduce(0) { $0 + ledger[keyPath: $1.count] }
    }
  }
}
