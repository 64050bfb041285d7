import Pipeline

/// What happened in the events of one run, whatever the state held before: when, and what most.
///
/// All valid events count, duplicates included, so that the figures do not depend on which of two
/// files was read first.
package struct RunActivity: Sendable {
  /// Events of one name.
  package struct Name: Sendable, Equatable {
    package let name: String
    package let events: Int
  }

  /// Event names that are kept, the most frequent ones.
  package static let mostNames = 1000

  /// Events per hour.
  package let hours: HourCounts
  /// The most frequent event names, the greatest first, equal ones by bytes; at most ``mostNames``.
  package let names: [Name]
  /// How many event names there are beside those.
  package let otherNames: Int
  /// Events of those names.
  package let otherEvents: Int

  /// Event names of earlier nights.
  package struct EarlierNames: Sendable {
    /// Those that the state knows, by their numbers in this run.
    let known: Set<UInt32>
    /// Those of the night before, the most frequent first; at most ``RunActivity/mostNames``.
    package let last: [String]

    package init(known: Set<UInt32>, last: [String]) {
      self.known = known
      self.last = last
    }
  }

  /// Which names are different from those of the night before.
  package struct NameChanges: Sendable, Equatable {
    /// Names that no earlier night had, by bytes; at most ``RunActivity/mostNames``.
    package var new: [String] = []
    /// How many more of them there are.
    package var otherNew = 0
    /// Names that the night before had and this one has not, the most frequent first.
    package var vanished: [String] = []
  }

  /// What is different from the night before; nothing when there was none.
  package private(set) var changes = NameChanges()

  /// Events of the run that have no time (dialects 5), and so are in none of the hours.
  package var untimedEvents: Int {
    names.reduce(otherEvents) { $0 + $1.events } - hours.events
  }

  /// No events.
  package init() {
    hours = HourCounts()
    names = []
    otherNames = 0
    otherEvents = 0
  }

  /// What `counters`, those of all shards of a run, have counted.
  /// Complexity: O(n log n) for n names.
  package init(
    _ counters: [EventCounters], names list: NameList, before: EarlierNames? = nil
  ) {
    var hours = HourCounts()
    for shard in counters { hours.merge(shard.hours) }
    self.init(hours, EventTotals(counters), names: list, before: before)
  }

  /// What happened in events of these hours that have the totals `totals`.
  /// Complexity: O(n log n) for n names.
  package init(
    _ hours: HourCounts, _ totals: EventTotals, names list: NameList, before: EarlierNames? = nil
  ) {
    self.hours = hours
    let counts = list.sorted.map { ($0, totals.read($0)) }.filter { $0.1 > 0 }
    // The list is in the order of the bytes; sorting keeps equal ones in it.
    let ranked = counts.enumerated().sorted {
      ($1.element.1, $0.offset) < ($0.element.1, $1.offset)
    }.map(\.element)
    names = ranked.prefix(Self.mostNames).map { Name(name: list[$0.0].text, events: $0.1) }
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

extension EventTotals {
  /// The sum of the totals of all shards.
  package init(_ counters: [EventCounters]) {
    self.init()
    for shard in counters { merge(shard.totals) }
  }
}
