package import Pipeline
package import Stages

/// Counts per dialect of a run (dialects 2). Those of different inputs add up, in any order.
package struct DialectFacts: Sendable, Equatable {
  /// Lines whose dialect was detected, per input and number of the dialect; a list ends with the
  /// last dialect that the input has lines of.
  package internal(set) var lines: [[Int]] = []
  /// The SDK's internal events; this and the next by bytes of the name.
  package internal(set) var internalEvents: [NamedCount] = []
  /// Actions that are neither events nor tags.
  package internal(set) var ignoredActions: [NamedCount] = []
  package internal(set) var logouts = 0

  package init() {}

  /// The sum of facts; `positions` are the indices of their inputs in it.
  init(merging parts: [(facts: DialectFacts, positions: [Int])]) {
    lines = Array(repeating: [], count: parts.reduce(0) { $0 + $1.positions.count })
    for (facts, positions) in parts {
      for (index, position) in positions.enumerated() where index < facts.lines.count {
        lines[position] = facts.lines[index]
      }
      logouts += facts.logouts
    }
    internalEvents = Self.sum(parts.map(\.facts.internalEvents))
    ignoredActions = Self.sum(parts.map(\.facts.ignoredActions))
  }

  package func lines(of dialect: Dialect) -> Int { lines.reduce(0) { $0 + $1.count(of: dialect) } }

  /// Lines of an input by dialect, where there are some.
  package func lines(ofInput input: Int) -> [(dialect: Dialect, count: Int)] {
    guard input < lines.count else { return [] }
    return lines[input].indices.filter { lines[input][$0] > 0 }
      .map { (Dialect(number: UInt8($0)), lines[input][$0]) }
  }

  private static func sum(_ lists: [[NamedCount]]) -> [NamedCount] {
    NameCounts(merging: lists.map { NameCounts(names: $0) }).names
  }
}

extension [Int] {
  fileprivate func count(of dialect: Dialect) -> Int {
    Int(dialect.number) < count ? self[Int(dialect.number)] : 0
  }

  mutating func add(_ count: Int, of dialect: Dialect) {
    while self.count <= Int(dialect.number) { append(0) }
    self[Int(dialect.number)] += count
  }
}

/// The same while blocks are counted, one after the other.
struct DialectTally: ~Copyable {
  private var lines: [[Int]]
  private var internalEvents = UnknownFields()
  private var ignoredActions = UnknownFields()
  private var logouts = 0

  init(inputs: Int) { lines = Array(repeating: [], count: inputs) }

  /// Counts the lines and notes of a block of an input. Complexity: O(lines).
  mutating func add(_ batch: RecordBatch, of input: Int) {
    // In a separate list, to avoid a uniqueness check for every line.
    var counts = [Int](repeating: 0, count: Dialect.allCases.count)
    for index in batch.lines.indices {
      if let dialect = batch.lines[index].dialect { counts.add(1, of: dialect) }
    }
    for (number, count) in counts.enumerated() where count > 0 {
      lines[input].add(count, of: Dialect(number: UInt8(number)))
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

  static func lines(_ named: [NamedCount]) -> [Int] {
    named.reduce(into: []) { lines, item in
      if let dialect = Dialect(recorded: item.name) { lines.add(item.count, of: dialect) }
    }
  }

  static func check(_ named: [NamedCount]) throws(DocumentDamage) {
    guard let unknown = named.first(where: { Dialect(recorded: $0.name) == nil }) else { return }
    throw DocumentDamage("has the dialect \(unknown.name), which is unknown").inside("dialects")
  }
}
