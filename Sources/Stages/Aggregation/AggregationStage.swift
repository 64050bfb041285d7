import Pipeline

/// Stage 5: merged events → counters per event name (SPEC 7).
///
/// Works on one shard's slice at a time, on the shard's own queue, behind the merge, which has marked
/// the duplicates.
package struct AggregationStage: Stage {
  package static let name = "aggregation"

  private let counters: EventCounters

  /// A stage that adds to `counters`.
  package init(_ counters: EventCounters) { self.counters = counters }

  /// Counts the events of the slice. Complexity: O(operations).
  package mutating func process(_ slice: RoutedSlice) { counters.totals.add(slice) }
}

/// The totals of one shard while it counts. One queue at a time.
package final class EventCounters {
  /// Counts, times and duplicates per event name so far.
  package internal(set) var totals = EventTotals()

  package init() {}
}

extension EventTotals {
  /// Counts the events of a slice whose duplicates are marked.
  fileprivate mutating func add(_ slice: RoutedSlice) {
    for operation in slice.operations where operation.kind == .event {
      add(
        operation.name, time: operation.time, dialect: operation.dialect,
        isDuplicate: operation.isDuplicate)
    }
  }
}
