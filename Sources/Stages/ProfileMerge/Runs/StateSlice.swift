package import Pipeline

/// The total of an event name in a state.
package struct StateTotal: Sendable {
  /// Number of the name.
  package let name: UInt32
  package var total = EventTotals.Total()
  /// Number of valid events read, by dialect.
  package var dialects: [(dialect: Dialect, count: Int)] = []
  /// Number of published profiles with the event.
  package var profiles = 0
  /// Its names in sources.
  package var sourceNames = SourceNames()

  /// Whether its counts are zero.
  var isEmpty: Bool { total.count == 0 && total.duplicates == 0 }
}

/// Key states of a state for one shard; the counterpart of ``RoutedSlice``.
package final class StateSlice {
  /// Key states, one after the other.
  package var bytes = ByteBuffer(capacity: 1 << 12)
  package init() {}

  /// Removes everything and keeps the capacity.
  package func removeAll() { bytes.removeAll() }
}

extension EventTotals {
  /// Adds the total of a name from a state, or, if `isOfRun`, from another part of this run.
  package mutating func merge(_ total: StateTotal, isOfRun: Bool = false) {
    if isOfRun {
      mergeOfRun(total.name, total.total)
    } else {
      merge(total.name, total.total)
    }
    for (dialect, count) in total.dialects { merge(total.name, dialect, count: count) }
    merge(total.name, total.sourceNames)
  }

  /// Takes in all totals of a state.
  package mutating func merge(_ state: StateTotals) {
    for total in state.totals { merge(total) }
    days.merge(state.days)
    readDays.merge(state.readDays)
  }

  /// Turns counted events of this run into duplicates.
  package mutating func takeBack(_ duplicates: DuplicateTally) {
    duplicates.events.packed.forEach { takeBack($1, $0.name, day: $0.day) }
    days.raiseToZero()
  }
}
