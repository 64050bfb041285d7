import Pipeline
import Stages

/// Reads the counts of a document from another process: each must be credible, and so must the sum
/// of all, so that no sum of some of them overflows.
struct CountReader {
  /// Greatest sum of all counts of a document, and of all documents that are merged: far more bytes
  /// than the logs of any night have.
  static let most = 1 << 52

  private let most: Int
  /// The sum of all that was read.
  private(set) var sum = 0

  /// A reader of counts whose sum is limited to `most`.
  init(most: Int = CountReader.most) { self.most = most }

  /// Reads a count.
  ///
  /// - Throws: when `value` is invalid, or the sum too great; `name` describes it.
  mutating func read(_ value: JSONValue?, _ name: String) throws(FactsDamage) -> Int {
    guard let count = value?.int, 0...FrameLayout.maximumCount ~= count else {
      throw FactsDamage("\(name) is not a count")
    }
    try take(count)
    return count
  }

  /// Reads the counts in the fields of `object`.
  ///
  /// - Throws: as ``read(_:_:)`` does; `what` describes the counts.
  mutating func readAll<Counts: LaidOutCounts>(
    _ object: JSONValue?, _ what: String
  ) throws(FactsDamage) -> Counts {
    try Counts(countsOf: object) { value, name throws(FactsDamage) in
      try read(value, "\(name) \(what)")
    }
  }

  /// Reads a difference of counts, which may be negative.
  ///
  /// - Throws: as ``read(_:_:)`` does.
  mutating func readDifference(
    _ value: JSONValue?, _ name: String
  ) throws(FactsDamage) -> Int {
    guard let count = value?.int, count.magnitude <= FrameLayout.maximumCount else {
      throw FactsDamage("\(name) is not a count")
    }
    try take(Int(count.magnitude))
    return count
  }

  /// Adds a count that was read otherwise, at most ``FrameLayout.maximumCount``, to the sum.
  ///
  /// - Throws: when the sum is too great.
  mutating func take(_ count: Int) throws(FactsDamage) {
    sum += count
    guard sum <= most else { throw FactsDamage("its counts exceed what logs can hold") }
  }
}
