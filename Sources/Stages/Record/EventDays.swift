/// An event name, by its number in the run, on a day.
package struct EventDay: Hashable, BitwiseCopyable, Sendable {
  package let name: UInt32
  /// The number of the day (``DayNumber``); 0 of events without a time.
  package let day: UInt16

  package init(name: UInt32, day: UInt16) {
    (self.name, self.day) = (name, day)
  }

  /// Events of `name` at `time`, in milliseconds since 1970, or ``EventTime/absent``.
  package init(name: UInt32, time: Int) {
    self.init(name: name, day: time == EventTime.absent ? 0 : UInt16(DayNumber.of(time)))
  }
}

/// Events per name and day (data-model 12.2). Sums only, so they merge in any order.
package struct EventDays: Sendable {
  /// Most pairs of a name and a day: a run with more fails, like one with too many names.
  package static let most = 1 << 23

  private struct Recent: BitwiseCopyable {
    var event = EventDay(name: 0, day: 0)
    var count = 0
  }

  private static let recentCount = 256

  private var counts: [EventDay: Int] = [:]
  /// Recent counts, in a direct-mapped cache by name and day: most events are of few pairs.
  private var recent: [Recent] = []
  /// Whether days are counted (not with `--no-days`).
  private var isKept = true
  /// Whether there were more than ``most`` pairs, so that some are not counted.
  package private(set) var isFull = false

  /// No events.
  package init() {}

  /// Counts an event, which has a time. Complexity: O(1).
  @inline(__always)
  mutating func add(_ event: EventDay) {
    let position = Int(event.name &* 31 &+ UInt32(event.day)) & (Self.recentCount - 1)
    if position < recent.count, recent[position].event == event {
      recent[position].count += 1
    } else {
      replace(position, by: event)
    }
  }

  @inline(never)
  private mutating func replace(_ position: Int, by event: EventDay) {
    if recent.isEmpty { recent = Array(repeating: Recent(), count: Self.recentCount) }
    let old = recent[position]
    if old.count > 0 { add(old.count, old.event) }
    recent[position] = Recent(event: event, count: 1)
  }

  /// Adds events, or subtracts some; those without a time have no day.
  package mutating func add(_ count: Int, _ event: EventDay) {
    guard isKept, event.day != 0 else { return }
    if let known = counts[event] {
      counts[event] = known + count
    } else if counts.count < Self.most {
      counts[event] = count
    } else {
      isFull = true
    }
  }

  /// Adds the counts of another part; `names` maps its name numbers to those here.
  package mutating func merge(_ other: EventDays, renumbered names: [UInt32]? = nil) {
    for (event, count) in other.all {
      add(count, EventDay(name: names?[Int(event.name)] ?? event.name, day: event.day))
    }
    isFull = isFull || other.isFull
  }

  /// Removes everything, and stops counting.
  package mutating func forget() {
    self = EventDays()
    isKept = false
  }

  private var all: [EventDay: Int] {
    var all = self
    for recent in recent where recent.count > 0 { all.add(recent.count, recent.event) }
    return all.counts
  }

  /// The counts, unordered. Complexity: O(pairs).
  package var counted: [(event: EventDay, count: Int)] {
    all.compactMap { $0.value == 0 ? nil : ($0.key, $0.value) }
  }

  /// The days with events of each name, in order. Complexity: O(n log n) for n pairs.
  package var byName: [UInt32: [CountPairs.Pair]] { Self.byName(all) }

  /// The counts of each name, by day. Complexity: as above.
  package static func byName(_ counts: [EventDay: Int]) -> [UInt32: [CountPairs.Pair]] {
    var names: [UInt32: [CountPairs.Pair]] = [:]
    for (event, count) in counts where count != 0 {
      names[event.name, default: []].append((Int(event.day), count))
    }
    return names.mapValues { $0.sorted { $0.number < $1.number } }
  }
}
