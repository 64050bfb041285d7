import Pipeline
import Stages

/// Reads the counts of a document that another process has written: each is believable, and so is
/// the sum of all, so that no sum of some of them overflows.
struct CountReader {
  /// Most that all counts of a document come to, and those of all documents that are merged: far
  /// more bytes than the logs of any night have.
  static let most = 1 << 52

  private let most: Int
  /// The sum of all that was read.
  private(set) var sum = 0

  /// A reader of counts that come to `most` together.
  init(most: Int = CountReader.most) { self.most = most }

  /// A count.
  ///
  /// - Throws: when `value` is none, or there are too many together; `name` says what it counts.
  mutating func read(_ value: JSONValue?, _ name: String) throws(FactsDamage) -> Int {
    guard let count = value?.int, 0...FrameLayout.maximumCount ~= count else {
      throw FactsDamage("\(name) is no count")
    }
    try take(count)
    return count
  }

  /// Counts that are members of `object`.
  ///
  /// - Throws: as ``read(_:_:)`` does, of which `what` says the counts are.
  mutating func readAll<Counts: LaidOutCounts>(
    _ object: JSONValue?, _ what: String
  ) throws(FactsDamage) -> Counts {
    try Counts(countsOf: object) { value, name throws(FactsDamage) in
      try read(value, "\(name) \(what)")
    }
  }

  /// A difference of counts, which may be below zero.
  ///
  /// - Throws: as ``read(_:_:)`` does.
  mutating func readDifference(
    _ value: JSONValue?, _ name: String
  ) throws(FactsDamage) -> Int {
    guard let count = value?.int, count.magnitude <= FrameLayout.maximumCount else {
      throw FactsDamage("\(name) is no count")
    }
    try take(Int(count.magnitude))
    return count
  }

  /// Takes a count that was read otherwise, at most ``FrameLayout.maximumCount``, into the sum.
  ///
  /// - Throws: when there are too many together.
  mutating func take(_ count: Int) throws(FactsDamage) {
    sum += count
    guard sum <= most else { throw FactsDamage("it counts more than logs can hold") }
  }
}
