import Pipeline
import Stages

/// The installations that fold into people, as a number and a sum of hashes: the state knows them
/// by their links, and the profiles list them. The sum does not depend on the order.
struct FoldTally: Equatable {
  private(set) var count = 0
  private var sum: UInt64 = 0

  /// Adds an installation that folds into the person with the key text `person`.
  mutating func add(_ installation: ByteView, into person: ByteView) {
    count += 1
    sum &+= XXH64.hash(installation, seed: XXH64.hash(person))
  }

  mutating func merge(_ other: FoldTally) {
    count += other.count
    sum &+= other.sum
  }
}
