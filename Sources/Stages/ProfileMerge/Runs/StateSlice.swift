package import Pipeline

/// The total of an event name in a state.
package struct StateTotal: Sendable {
  /// Number of the name.
  package let name: UInt32
  package var total = EventTotals.Total()
  /// How many valid events were read, by dialect.
  package var dialects: [(dialect: Dialect, count: Int)] = []
  /// Published profiles that have the event.
  package var profiles = 0
  /// What sources call it.
  package var sourceNames = SourceNames()
  /// The events by day, as far as that is known.
  package var days: [CountPairs.Pair] = []

  /// Whether it counts nothing.
  var isEmpty: Bool { total.count == 0 && total.duplicates == 0 }
}

/// What some lines of a state know of the keys of one shard; the counterpart of ``RoutedSlice``.
package final class StateSlice {
  /// Key states one behind the other.
  package var bytes = ByteBuffer(capacity: 1 << 12)
  package init() {}

  /// Forgets everything and keeps the room.
  package func removeAll() { bytes.removeAll() }
}

extension EventTotals {
  /// Takes in the total of a name from a state, or, if `isOfRun`, from another part of this run.
  package mutating func merge(_ total: StateTotal, isOfRun: Bool = false) {
    if isOfRun {
      mergeOfRun(total.name, total.total)
    } else {
      merge(total.name, total.total)
    }
    for (dialect, count) in total.dialects { merge(total.name, dialect, count: count) }
    merge(total.name, total.sourceNames)
    for (day, count) in total.days { days.add(count, EventDay(name: total.name, day: UInt16(day))) }
  }

  /// Turns events of this run that were counted into duplicates.
  package mutating func takeBack(_ duplicates: DuplicateTally) {
    for (event, count) in duplicates.events { takeBack(count, event.name, day: event.day) }
  }
}
