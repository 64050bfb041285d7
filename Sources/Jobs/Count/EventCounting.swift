import Pipeline
import Stages

/// Counts the valid events of a flow per event name, as a run does, and builds no profiles. One per
/// flow.
struct EventCounting: Sendable {
  private let names: NameTable
  /// What each lane has counted.
  private let lanes = Locked<[CountedEvents]>([])
  /// What the ids of all lanes may take.
  private let memory: IDMemory

  /// Counting on as many lanes as there are jobs; ids may take the memory of `options`.
  init(_ options: ReadOptions) {
    names = RunNames(limit: options.maxNames).events
    memory = IDMemory(limit: options.memory)
  }

  /// The last stage of a lane; called once for each.
  func stage() -> EventCountStage {
    let events = CountedEvents(greatestName: UInt32(names.limit - 1), memory: memory)
    lanes.withLock { $0.append(events) }
    return EventCountStage(events, names: names)
  }

  /// The counts per event name, when the flow has ended.
  func lines() -> EventCountLines {
    let totals = CountedEvents.totals(of: lanes.withLock { $0 })
    return EventCountLines(totals, names: names.list(), profiles: nil)
  }
}
