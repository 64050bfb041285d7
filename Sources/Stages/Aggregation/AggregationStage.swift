package import Pipeline

/// Stage 5: the events of a run → ``RunCounts`` (data-model 12), on the shard's queue. Duplicates
/// are counted at first and subtracted when found.
package struct AggregationStage: Stage {
  package static let name = "aggregation"

  private let counts: Locked<RunCounts>

  /// A stage that adds to `counts`.
  package init(_ counts: Locked<RunCounts>) { self.counts = counts }

  /// Complexity: O(operations).
  package mutating func process(_ slice: RoutedSlice) { counts.withLock { $0.add(slice) } }
}

/// What a run counts of its events: those of a shard, of a part of the run, or of all of it. Sums,
/// minima and maxima only, so they merge in any order.
package struct RunCounts: Sendable {
  /// Counts, times and duplicates per event name.
  package var totals = EventTotals()
  package var hours = HourCounts()

  package init() {}

  fileprivate mutating func add(_ slice: RoutedSlice) {
    totals.add(eventsOf: slice.operations)
    hours.add(eventsOf: slice.operations)
    for name in slice.sourceNames { totals.add(sourceName: slice.text(name), of: name.name) }
  }

  /// Adds the counts of another part; `names` maps its name numbers to those here.
  package mutating func merge(_ other: RunCounts, renumbered names: [UInt32]? = nil) {
    totals.merge(other.totals, renumbered: names)
    hours.merge(other.hours)
  }
}
