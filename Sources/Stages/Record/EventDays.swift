/// An event name, by its number in the run, on a day.
package struct EventDay: Hashable, BitwiseCopyable, Sendable {
  package let name: UInt32
  /// The number of the day (``DayNumber``); 0 of events without a time.
  package let day: UInt16

  package init(name: UInt32, day: UInt16) { (self.name, self.day) = (name, day) }

  /// Events of `name` at `time`, in milliseconds since 1970, or ``EventTime/absent``.
  package init(name: UInt32, time: Int) {
    self.init(name: name, day: time == EventTime.absent ? 0 : UInt16(DayNumber.of(time)))
  }
}

/// Events per name and day (data-model 12.2). Sums only, so they merge in any order.
///
/// New pairs of a name and a day go into a small table. When full, it becomes a ``PackedDays``,
/// a run with a few bytes per pair. Runs of similar size are merged, so there are O(log pairs).
package struct EventDays: Sendable {
  /// Most pairs of a name and a day: a run with more fails, like one with too many names.
  package static let most = 1 << 23

  private struct Recent: BitwiseCopyable {
    var event = EventDay(name: 0, day: 0)
    var count = 0
  }

  private static let recentCount = 256
  /// Pairs in the table when it is packed: 3 MB.
  private static let mostFresh = 1 << 16

  private var fresh: [EventDay: Int] = [:]
  /// Packed counts, each with at most half of the pairs of the one before.
  private var runs: [PackedDays] = []
  /// Recent counts, in a direct-mapped cache by name and day: most events are of few pairs.
  private var recent: [Recent] = []
  /// Whether days are counted (not with `--no-days`).
  private var isKept = true
  private let limit: Int
  /// Whether there were more than ``limit`` pairs; then nothing is counted.
  private var isFull = false

  package init(limit: Int = .max) { self.limit = limit }

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

  /// Adds events, or subtracts some. Complexity: O(log n) for n pairs, amortized.
  package mutating func add(_ count: Int, _ event: EventDay) {
    guard isKept else { return }
    fresh[event, default: 0] += count
    if fresh.count >= Self.mostFresh { pack() }
  }

  /// Adds the counts of another part; `names` maps its name numbers to those here.
  package mutating func merge(_ other: EventDays, renumbered names: [UInt32]? = nil) {
    guard isKept else { return }
    isFull = isFull || other.isFull
    if let names {
      other.packed.forEach { add($1, EventDay(name: names[Int($0.name)], day: $0.day)) }
    } else {
      push(other.packed)
    }
  }

  /// Makes counts below zero zero: those of days that a night without days has not counted, and
  /// from which events have moved to earlier deliveries. Complexity: O(pairs).
  package mutating func raiseToZero() {
    var below: [(EventDay, Int)] = []
    packed.forEach { if $1 < 0 { below.append(($0, $1)) } }
    for (event, count) in below { add(-count, event) }
  }

  package mutating func forget() {
    self = EventDays()
    isKept = false
  }

  /// All counts. Complexity: O(pairs).
  package var packed: PackedDays {
    guard isKept else { return PackedDays() }
    var counts = fresh
    for recent in recent where recent.count > 0 {
      counts[recent.event, default: 0] += recent.count
    }
    return runs.reversed().reduce(PackedDays(counts)) { PackedDays($0, $1) }
  }

  /// Packs everything; returns whether there are more pairs than the limit. Complexity: O(pairs).
  package mutating func isOverfull() -> Bool {
    let all = packed
    (fresh, recent, runs) = ([:], [], [])
    push(all)
    return isFull
  }

  private mutating func pack() {
    push(PackedDays(fresh))
    fresh.removeAll(keepingCapacity: true)
  }

  private mutating func push(_ run: PackedDays) {
    var run = run
    while let last = runs.last, last.count < 2 * run.count {
      run = PackedDays(last, run)
      runs.removeLast()
    }
    if run.count > limit {
      // The job fails.
      (isFull, isKept) = (true, false)
      runs = []
    } else if run.count > 0 {
      runs.append(run)
    }
  }
}

extension EventDays: Equatable {
  package static func == (one: EventDays, other: EventDays) -> Bool { one.packed == other.packed }
}
