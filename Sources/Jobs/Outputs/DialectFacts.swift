package import Pipeline
package import Stages

/// Counts per dialect of a run (dialects 2). Those of different inputs add up, in any order.
package struct DialectFacts: Sendable, Equatable {
  /// Per input: lines whose dialect was detected.
  package internal(set) var lines: [[Dialect: Int]] = []
  /// The SDK's internal events; this and the next by bytes of the name.
  package internal(set) var internalEvents: [NamedCount] = []
  /// Actions that are neither events nor tags.
  package internal(set) var ignoredActions: [NamedCount] = []
  package internal(set) var logouts = 0

  package init() {}

  /// Takes in what does not simply add up; `positions` are the indices of the inputs of `parts` in
  /// all of them.
  mutating func join(_ parts: [(facts: DialectFacts, positions: [Int])]) {
    lines = Array(repeating: [:], count: parts.reduce(0) { $0 + $1.positions.count })
    for (facts, positions) in parts {
      for (index, position) in positions.enumerated() where index < facts.lines.count {
        lines[position] = facts.lines[index]
      }
    }
    internalEvents = Self.sum(parts.map(\.facts.internalEvents))
    ignoredActions = Self.sum(parts.map(\.facts.ignoredActions))
  }

  package func lines(of dialect: Dialect) -> Int { lines.reduce(0) { $0 + ($1[dialect] ?? 0) } }

  /// Lines of an input by dialect, where there are some.
  package func lines(ofInput input: Int) -> [(dialect: Dialect, count: Int)] {
    guard input < lines.count else { return [] }
    return lines[input].map { (dialect: $0, count: $1) }.sorted {
      $0.dialect.number < $1.dialect.number
    }
  }

  private static func sum(_ lists: [[NamedCount]]) -> [NamedCount] {
    NameCounts(merging: lists.map { NameCounts(names: $0) }).names
  }
}

/// The same while blocks are counted, one after the other.
struct DialectTally: ~Copyable {
  private var lines: [[Dialect: Int]]
  private var internalEvents = UnknownFields()
  private var ignoredActions = UnknownFields()
  private var logouts = 0

  init(inputs: Int) { lines = Array(repeating: [:], count: inputs) }

  /// Counts the lines and notes of a block of an input. Complexity: O(lines).
  mutating func add(_ batch: RecordBatch, of input: Int) {
    // In a list, to avoid a hash for every line.
    var counts = [Int](repeating: 0, count: Dialect.allCases.count + Dialect.mostMapped)
    for index in batch.lines.indices {
      if let dialect = batch.lines[index].dialect { counts[Int(dialect.number)] += 1 }
    }
    for (number, count) in counts.enumerated() where count > 0 {
      lines[input][Dialect(number: UInt8(number)), default: 0] += count
    }
    internalEvents.add(batch.notes.internalEvents)
    ignoredActions.add(batch.notes.ignoredActions)
    logouts += batch.notes.logouts
  }

  var facts: DialectFacts {
    var facts = DialectFacts()
    facts.lines = lines
    (facts.internalEvents, facts.ignoredActions) = (internalEvents.sorted, ignoredActions.sorted)
    facts.logouts = logouts
    return facts
  }
}

/// All but the lines.
extension DialectFacts: Document {
  package static let fields: [Field<DialectFacts>] = [
    .counts("internal_events", \.internalEvents, omitsEmpty: true, names: .lines),
    .counts("ignored_actions", \.ignoredActions, omitsEmpty: true, names: .lines),
    .count("logouts", \.logouts, omitsZero: true),
  ]

  func named(ofInput input: Int) -> [NamedCount] {
    lines(ofInput: input).map { NamedCount($0.dialect.name, $0.count) }
  }

  static func lines(_ named: [NamedCount]) -> [Dialect: Int] {
    named.reduce(into: [:]) { lines, item in
      if let dialect = Dialect(recorded: item.name), item.count > 0 {
        lines[dialect, default: 0] += item.count
      }
    }
  }

  static func check(_ named: [NamedCount]) throws(DocumentDamage) {
    guard let unknown = named.first(where: { Dialect(recorded: $0.name) == nil }) else { return }
    throw DocumentDamage("has the dialect \(unknown.name), which is unknown").inside("dialects")
  }
}
