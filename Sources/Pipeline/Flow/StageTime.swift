/// What a unit holds, for the times of the stages that it goes through.
package protocol MeasuredUnit {
  /// Bytes of input that it stands for.
  var measuredBytes: Int { get }
  /// Items in it, whatever its stages count: records, operations.
  var measuredItems: Int { get }
}

/// How long one stage worked, on how much, and how long it had nothing to work on.
package struct StageTime: Sendable {
  package let name: String
  /// Nanoseconds of work, summed over all threads.
  package var nanoseconds: UInt64 = 0
  /// Nanoseconds without work, summed over all that do the stage's work. A stage behind another one
  /// in a chain never waits: it is handed what the one before it was handed.
  package var stalled: UInt64 = 0
  /// Units worked on.
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

  /// Counts `unit` as worked on.
  package mutating func count(_ unit: some MeasuredUnit) {
    units += 1
    bytes += unit.measuredBytes
    items += unit.measuredItems
  }
}

/// For how long something waited, when it waits again and again, perhaps several of a kind at once.
///
/// Plain numbers: who owns it, locks it and reads the clock.
struct WaitingTime {
  private var nanoseconds: UInt64 = 0
  private var waiting = 0
  private var since: UInt64 = 0

  /// Notes that from `now` on, in nanoseconds of any clock, `count` wait.
  mutating func change(to count: Int, now: UInt64) {
    nanoseconds = total(now: now)
    waiting = count
    since = now
  }

  /// Nanoseconds waited until `now`, summed over all that waited.
  func total(now: UInt64) -> UInt64 { nanoseconds + UInt64(waiting) * (now &- since) }
}
