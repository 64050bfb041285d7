/// What rendering profiles counts; each range has its own, and they add up (SPEC 7, 8.1).
package struct SnapshotTally: Sendable {
  /// By number of the event name: published profiles that have it.
  package private(set) var profiles: [Int] = []
  /// Attributes of which only the first 25 items were published.
  package var arrayOverflow = 0
  /// Profiles rendered.
  package var lines = 0

  package init() {}

  /// Counts a profile that has the event.
  mutating func count(_ name: UInt32) {
    if Int(name) >= profiles.count { grow(Int(name)) }
    profiles[Int(name)] += 1
  }

  /// Takes in the tally of another range.
  package mutating func merge(_ other: SnapshotTally) {
    if other.profiles.count > profiles.count { grow(other.profiles.count - 1) }
    for index in other.profiles.indices { profiles[index] += other.profiles[index] }
    arrayOverflow += other.arrayOverflow
    lines += other.lines
  }

  /// How many published profiles have the event.
  package func profiles(with name: UInt32) -> Int {
    Int(name) < profiles.count ? profiles[Int(name)] : 0
  }

  private mutating func grow(_ place: Int) {
    profiles.append(contentsOf: repeatElement(0, count: place + 1 - profiles.count))
  }
}
