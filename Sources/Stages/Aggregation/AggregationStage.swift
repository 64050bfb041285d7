import Pipeline

/// Stage 5: events → counters per event name (data-model 12) and per hour.
///
/// Works on one shard's slice at a time, on the shard's own queue. After ``DeduplicationStage``
/// (`count`) duplicates are marked and count as such; in a run they are taken back when found.
package struct AggregationStage: Stage {
  package static let name = "aggregation"

  private let counters: EventCounters

  /// A stage that adds to `counters`.
  package init(_ counters: EventCounters) { self.counters = counters }

  /// Counts the events of the slice. Complexity: O(operations).
  package mutating func process(_ slice: RoutedSlice) { counters.add(slice) }
}

/// The counters of one shard. One queue at a time.
package final class EventCounters {
  /// Counts, times and duplicates per event name so far.
  package internal(set) var totals = EventTotals()
  /// Events of this run per hour so far, duplicates included, those without time left out.
  package private(set) var hours = HourCounts()

  package init() {}

  /// Counts the events of a slice whose duplicates are marked.
  fileprivate func add(_ slice: RoutedSlice) {
    for operation in slice.operations where operation.kind == .event {
      totals.add(
        operation.name, time: operation.time, dialect: operation.dialect,
        isDuplicate: operation.isDuplicate)
      if operation.time != EventTime.absent { hours.add(time: operation.time) }
    }
    for name in slice.sourceNames { totals.add(sourceName: slice.text(name), of: name.name) }
  }
}
