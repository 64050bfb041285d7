import Pipeline

/// Stage 5: events → counters per event name (data-model 12) and per hour, on the shard's queue.
/// Duplicates are counted at first and subtracted when found.
package struct AggregationStage: Stage {
  package static let name = "aggregation"

  private let counters: EventCounters

  package init(_ counters: EventCounters) { self.counters = counters }

  /// Complexity: O(operations).
  package mutating func process(_ slice: RoutedSlice) { counters.add(slice) }
}

/// The counters of one shard: events of this run.
package final class EventCounters: Sendable {
  private let counts = Locked((totals: EventTotals(), hours: HourCounts()))
  /// Counts, times and duplicates per event name so far.
  package var totals: EventTotals { counts.withLock { $0.totals } }
  /// Events of this run per hour so far, duplicates included, events without a time excluded.
  package var hours: HourCounts { counts.withLock { $0.hours } }

  package init() {}

  fileprivate func add(_ slice: RoutedSlice) {
    counts.withLock { counts in
      counts.totals.add(eventsOf: slice.operations)
      counts.hours.add(eventsOf: slice.operations)
      for name in slice.sourceNames {
        counts.totals.add(sourceName: slice.text(name), of: name.name)
      }
    }
  }
}
