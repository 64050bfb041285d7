import Pipeline
import Stages

/// Counts the valid events of a flow per event name, as a run does, and builds no profiles: what
/// the flow has behind its lanes for that. One per flow.
struct EventCounting: Sendable {
  private let names: RunNames
  private let counters: [EventCounters]
  /// Bytes that the ids of a shard may take.
  private let idLimit: Int

  /// Counting on as many shards as there are jobs; ids may take the memory of `options`.
  init(_ options: ReadOptions) {
    names = RunNames(limit: options.maxNames)
    counters = (0..<options.jobs).map { _ in EventCounters() }
    idLimit = options.memory / options.jobs
  }

  var shards: Int { counters.count }

  /// What the lanes have behind the validator.
  func router(_ inputs: [InputFile]) -> RouterStage {
    RouterStage(names: names, sources: inputs.sourceIDs, withProfiles: false)
  }

  /// What a shard does.
  func stages(_ shard: Int) -> sending [any Stage<RoutedSlice>] {
    Chains.count(DeduplicationStage(limit: idLimit), counters[shard])
  }

  /// The counts per event name, when the flow has ended.
  var lines: EventCountLines {
    EventCountLines(EventTotals(counters), names: names.events.list(), profiles: nil)
  }
}
