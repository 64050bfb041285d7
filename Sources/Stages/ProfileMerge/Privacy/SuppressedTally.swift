package import Pipeline

/// The data that a run suppressed for one request for erasure (data-model 13.6).
package struct SuppressedTally: Document, Equatable, Sendable {
  /// Events that were suppressed; `suppressed` in the ledger.
  package var events = 0
  package var operations = 0
  /// The latest time of the suppressed data, in milliseconds since 1970; the minimum for none.
  package var newest = Int.min

  package static let fields: [Field<SuppressedTally>] = [
    .count("events", \.events), .count("operations", \.operations), .value("newest", \.newest),
  ]

  package init() {}

  package init(events: Int = 0, operations: Int = 0, newest: Int = Int.min) {
    (self.events, self.operations, self.newest) = (events, operations, newest)
  }

  package mutating func add(_ other: SuppressedTally) {
    addCounts(of: other)
    newest = max(newest, other.newest)
  }

  /// By the digest of the key, so that tallies passed between processes contain no names.
  package typealias Table = [Fingerprint: SuppressedTally]
}
