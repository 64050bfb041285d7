/// The size of a unit, for the times of its stages.
package protocol MeasuredUnit {
  var measuredBytes: Int { get }
  /// Records or operations, depending on its stages.
  var measuredItems: Int { get }
}

/// How long one stage worked, on how much, and how long it waited for work.
package struct StageTime: Sendable {
  package let name: String
  /// Nanoseconds of work, and without work, summed over all threads. A later stage of a chain never
  /// waits: it gets what the stage before it got.
  package var nanoseconds: UInt64 = 0
  package var stalled: UInt64 = 0
  package var units = 0
  package var bytes = 0
  package var items = 0
  package init(name: String) { self.name = name }
  package var seconds: Double { Double(nanoseconds) / 1e9 }

  package mutating func add(_ other: StageTime) {
    nanoseconds += other.nanoseconds
    stalled += other.stalled
    units += other.units
    bytes += other.bytes
    items += other.items
  }

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
  /// How long it waited for a free unit, so that the stages were the bottleneck.
  package var readerWithoutUnit: UInt64 = 0
  /// Nanoseconds without a unit, summed over the lanes or shards.
  package var laneStalls: UInt64 = 0, shardStalls: UInt64 = 0
  /// The ordered end. It waits for units most of the time.
  package var end = StageTime(name: "finish")
}

/// Total waiting time of something that waits repeatedly, or in several instances at once. The
/// owner locks it and reads the clock, in nanoseconds.
struct WaitingTime {
  private var nanoseconds: UInt64 = 0
  private var waiting = 0
  private var since: UInt64 = 0
  init() {}
  init(since now: UInt64) { (waiting, since) = (1, now) }

  /// Records that from `now` on `count` instances wait.
  mutating func change(to count: Int, now: UInt64) {
    nanoseconds = total(now: now)
    waiting = count
    since = now
  }

  /// Until `now`, summed over all instances.
  func total(now: UInt64) -> UInt64 { nanoseconds + UInt64(waiting) * (now &- since) }
}
