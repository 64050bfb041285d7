package import Pipeline

/// When the events of one run happened and which were the most frequent, regardless of the earlier
/// state. All valid events count, duplicates included, so that the numbers do not depend on which
/// of two files was read first.
package struct RunActivity: Sendable {
  /// Number of event names that are kept, the most frequent ones.
  package static let mostNames = 1000

  /// Events per hour.
  package private(set) var hours = HourCounts()
  /// Events read per day, suppressed ones included, with the latest time of each.
  package private(set) var days = ReadDays()
  /// The most frequent event names, in descending order, equal ones by bytes; at most
  /// ``mostNames``.
  package private(set) var names: [NamedCount] = []
  /// Number of other event names, and of their events.
  package private(set) var otherNames = 0
  package private(set) var otherEvents = 0

  /// Event names of earlier nights.
  package struct EarlierNames: Sendable {
    /// The names in the state, by their numbers in this run.
    let known: Set<UInt32>
    /// The names of the night before, the most frequent first; at most ``RunActivity/mostNames``.
    package let last: [String]

    package init(known: Set<UInt32>, last: [String]) { (self.known, self.last) = (known, last) }
  }

  /// The differences between the names of a night and those of the night before.
  package struct NameChanges: Sendable, Equatable {
    /// Names without events in any earlier night, by bytes; at most ``RunActivity/mostNames``.
    package var new: [String] = []
    /// Number of further new names.
    package var otherNew = 0
    /// Names with events in the night before and none in this one, the most frequent first.
    package var vanished: [String] = []
  }

  /// The differences from the night before; empty without one.
  package private(set) var changes = NameChanges()

  /// Events of the run without a time (dialects 5), which are in none of the hours.
  package var untimedEvents: Int {
    names.reduce(otherEvents) { $0 + $1.count } - hours.events
  }

  /// The hours with events, in order, without those that wrong clocks put far from the others.
  package var likelyHours: [HourCounts.Hour] {
    guard let likelyDays = days.likelyDays else { return hours.hours }
    return hours.hours.filter {
      likelyDays.contains(DayNumber.of($0.start))
    }
  }

  package init() {}

  /// The activity of events with these counts. Complexity: O(n log n) for n names.
  package init(_ counts: RunCounts, names list: NameList, before: EarlierNames? = nil) {
    (hours, days) = (counts.hours, counts.totals.readDays)
    let counts = list.sorted.map { ($0, counts.totals.read($0)) }.filter { $0.1 > 0 }
    // The list is in byte order, and sorting is stable.
    let ranked = counts.enumerated().sorted {
      ($1.element.1, $0.offset) < ($0.element.1, $1.offset)
    }.map(\.element)
    names = ranked.prefix(Self.mostNames).map { NamedCount(list[$0.0].text, $0.1) }
    otherNames = ranked.count - names.count
    otherEvents = ranked.dropFirst(Self.mostNames).reduce(0) { $0 + $1.1 }
    guard let before else { return }
    let new = counts.filter { !before.known.contains($0.0) }
    changes.new = new.prefix(Self.mostNames).map { list[$0.0].text }
    changes.otherNew = new.count - changes.new.count
    let last = Set(before.last)
    let present = Set(counts.lazy.map { list[$0.0].text }.filter(last.contains))
    changes.vanished = before.last.filter { !present.contains($0) }
  }
}
