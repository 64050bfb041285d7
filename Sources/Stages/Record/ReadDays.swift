/// Valid events read by day (UTC), duplicates and anonymous events included, with the latest time
/// of each day (data-model 12.3). Events without a time are not in it.
///
/// The newest time follows from these, so that one clock that is years ahead decides nothing. Sums
/// and maxima only, so they merge in any order.
package struct ReadDays: Sendable, Equatable {
  package struct Day: BitwiseCopyable, Equatable, Sendable {
    package var events = 0
    /// The latest time, in milliseconds since 1970; the minimum without events.
    package var last = Int.min

    package init(events: Int = 0, last: Int = Int.min) { (self.events, self.last) = (events, last) }

    mutating func merge(_ other: Day) {
      events += other.events
      last = max(last, other.last)
    }
  }

  /// Events that probably have the time of a wrong clock.
  package struct FarEvents: Equatable, Sendable {
    /// Those on days more than ``ReadDays/mostDaysAhead`` after that of the newest time.
    package var ahead = 0
    /// Those on days more than ``ReadDays/mostDaysBehind`` before the busiest day.
    package var behind = 0
  }

  /// Days after that of the newest time that an event may have before it counts as far ahead.
  package static let mostDaysAhead = 31
  /// Days before the busiest one that an event may have before it counts as far behind.
  package static let mostDaysBehind = 3650
  /// Events that the newest day needs: this many, and a hundredth of those of the busiest day.
  private static let fewestEvents = 100

  private var days: [Int: Day] = [:]

  package init() {}

  package var isEmpty: Bool { days.isEmpty }

  /// The days with events, in order. Complexity: O(n log n) for n days.
  package var sorted: [(number: Int, day: Day)] {
    days.map { ($0.key, $0.value) }.sorted { $0.number < $1.number }
  }

  package mutating func add(_ events: Day, of number: Int) {
    if events.events > 0 { days[number, default: Day()].merge(events) }
  }

  package mutating func add(eventAt time: Int) {
    days[DayNumber.of(time), default: Day()].merge(Day(events: 1, last: time))
  }

  /// Adds the events of a day from a document; false when they are invalid, or the day is known.
  package mutating func addNew(_ events: Day, of number: Int) -> Bool {
    guard events.events > 0, DayNumber.range.contains(number), events.last >= 0,
      DayNumber.of(events.last) == number, days[number] == nil
    else { return false }
    days[number] = events
    return true
  }

  package mutating func merge(_ other: ReadDays) {
    for (number, day) in other.days { add(day, of: number) }
  }

  package var events: Int { days.values.reduce(0) { $0 + $1.events } }

  /// The newest time, in milliseconds since 1970: the latest one of the last day with enough
  /// events, or of the busiest day if none has; nil without events. Complexity: O(days).
  package var newest: Int? { newestDay?.day.last }

  /// The day of ``newest`` and the busiest one, of equal ones the later.
  private var newestDay: (number: Int, day: Day)? {
    guard let busiest else { return nil }
    let enough = max(Self.fewestEvents, (busiest.day.events + 99) / 100)
    return days.filter { $0.value.events >= enough }.max { $0.key < $1.key }
      .map { ($0.key, $0.value) } ?? busiest
  }

  private var busiest: (number: Int, day: Day)? {
    days.max { ($0.value.events, $0.key) < ($1.value.events, $1.key) }.map { ($0.key, $0.value) }
  }

  /// The days that are neither far ahead nor far behind; nil without events.
  package var likelyDays: ClosedRange<Int>? {
    guard let newestDay, let busiest else { return nil }
    return busiest.number - Self.mostDaysBehind...newestDay.number + Self.mostDaysAhead
  }

  /// Those events of `run`, which are among these, that are far from the others.
  package func far(of run: ReadDays) -> FarEvents {
    var far = FarEvents()
    guard let likelyDays else { return far }
    for (number, day) in run.days where !likelyDays.contains(number) {
      if number > likelyDays.upperBound {
        far.ahead += day.events
      } else {
        far.behind += day.events
      }
    }
    return far
  }
}
