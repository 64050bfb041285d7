import Pipeline
import Stages

/// Counts the valid events of a flow per event name, as a run does, and builds no profiles: what
/// the flow has behind its lanes for that. One per flow.
final class EventCounting: @unchecked Sendable {
  // @unchecked because each counter belongs to the queue of its shard, and is read when the flow
  // has ended.
  private let names: RunNames
  private let counters: [EventCounters]
  private let ids: [DeduplicationStage]

  /// Counting on as many shards as there are jobs; ids may take the memory of `options`.
  init(_ options: ReadOptions) {
    names = RunNames(limit: options.maxNames)
    counters = (0..<options.jobs).map { _ in EventCounters() }
    ids = (0..<options.jobs).map { _ in DeduplicationStage(limit: options.memory / options.jobs) }
  }

  var shards: Int { counters.count }

  /// What the lanes have behind the validator.
  func router(_ inputs: [InputFile]) -> RouterStage {
    RouterStage(names: names, sources: inputs.sourceIDs, withProfiles: false)
  }

  /// What a shard does.
  func stages(_ shard: Int) -> [any Stage<RoutedSlice>] {
    Chains.count(ids[shard], counters[shard])
  }

  /// To be called for every unit at the end of the flow.
  ///
  /// - Throws: `limit`, when the ids take more memory than they may.
  func check() throws(Failure) {
    for stage in ids { if let failure = stage.failure { throw failure } }
  }

  /// The counts per event name, when the flow has ended.
  var lines: EventCountLines {
    EventCountLines(EventTotals(counters), names: names.events.list(), profiles: nil)
  }
}
