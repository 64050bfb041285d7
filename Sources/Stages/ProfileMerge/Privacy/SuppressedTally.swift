import Pipeline

/// What a run met of somebody who asked to be erased, and suppressed (data-model 13.6).
package struct SuppressedTally: Equatable, Sendable {
  /// Events that were suppressed; `suppressed` in the ledger.
  package var events = 0
  /// Operations that were.
  package var operations = 0
  /// The latest time of all that, in milliseconds since 1970; the least there is for nothing.
  package var newest = Int.min
  /// Installations whose link to the person was among it.
  package var installations: Set<String> = []

  package init(
    events: Int = 0, operations: Int = 0, newest: Int = Int.min, installations: Set<String> = []
  ) {
    self.events = events
    self.operations = operations
    self.newest = newest
    self.installations = installations
  }

  /// Adds what was suppressed elsewhere. Any order gives the same.
  package mutating func add(_ other: SuppressedTally) {
    events += other.events
    operations += other.operations
    newest = max(newest, other.newest)
    installations.formUnion(other.installations)
  }

  /// By the digest of the key: what travels between processes names nobody.
  package typealias Table = [Fingerprint: SuppressedTally]
}
