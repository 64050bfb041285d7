/// The size of a unit, for the times of its stages.
package protocol MeasuredUnit {
  /// Bytes of input in the unit.
  var measuredBytes: Int { get }
  /// Number of items in the unit: records or operations, depending on its stages.
  var measuredItems: Int { get }
}

/// How long one stage worked, on how much, and how long it waited for work.
package struct StageTime: Sendable {
  package let name: String
  /// Nanoseconds of work, summed over all threads.
  package var nanoseconds: UInt64 = 0
  /// Nanoseconds without work, summed over all threads of the stage. A later stage of a chain never
  /// waits: it gets what the stage before it got.
  package var stalled: UInt64 = 0
  /// Units processed.
  package var units = 0
  /// Bytes in these units.
  package var bytes = 0
  /// Items in these units.
  package var items = 0

  package init(name: String) { self.name = name }

  /// Seconds of work.
  package var seconds: Double { Double(nanoseconds) / 1e9 }

  /// Adds the time of the same stage on another lane.
  package mutating func add(_ other: StageTime) {
    nanoseconds += other.nanoseconds
    stalled += other.stalled
    units += other.units
    bytes += other.bytes
    items += other.items
  }

  /// Counts `unit` as processed.
  package mutating func count(_ unit: some MeasuredUnit) {
    units += 1
    bytes += unit.measuredBytes
    items += unit.measuredItems
  }
}

/// Working and waiting times of the parts of a flow.
package struct FlowPartTimes: Sendable {
  /// The reader. It waits for free units and for input bytes.
  package var reader = StageTime(name: "decompress")
  /// The share of that in which the reader waited for a free unit, so the stages were the
  /// bottleneck.
  package var readerWithoutUnit: UInt64 = 0
  /// Nanoseconds in which lanes had no unit, summed over the lanes; then the same for the shards.
  package var laneStalls: UInt64 = 0
  package var shardStalls: UInt64 = 0
  /// The ordered end. It waits for units most of the time.
  package var end = StageTime(name: "finish")
}

/// Total waiting time of something that waits repeatedly, or in several instances at once.
///
/// Plain numbers: the owner locks it and reads the clock.
struct WaitingTime {
  private var nanoseconds: UInt64 = 0
  private var waiting = 0
  private var since: UInt64 = 0

  /// Nothing waits.
  init() {}

  /// One instance waits from `now` on.
  init(since now: UInt64) { (waiting, since) = (1, now) }

  /// Records that from `now` on, in nanoseconds of any clock, `count` instances wait.
  mutating func change(to count: Int, now: UInt64) {
    nanoseconds = total(now: now)
    waiting = count
    since = now
  }

  /// Nanoseconds waited until `now`, summed over all instances.
  func total(now: UInt64) -> UInt64 { nanoseconds + UInt64(waiting) * (now &- since) }
}
