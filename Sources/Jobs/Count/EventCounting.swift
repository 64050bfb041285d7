import Pipeline
import Stages

/// Counts the valid events of a flow per event name, as a run does, without building profiles. One
/// per flow.
struct EventCounting: Sendable {
  private let names: NameTable
  /// The pairs of a name and a group, where events are counted by group.
  private let grouping: (by: EventGroup, pairs: NameTable, files: [String])?
  /// The counts of each lane.
  private let lanes = Locked<[CountedEvents]>([])
  /// The memory budget for the ids of all lanes.
  private let memory: IDMemory

  /// Creates counters for as many lanes as there are jobs; ids take their share of the memory of
  /// `options` (``MemoryShare``). With a `grouping` they count the events of each group of the
  /// inputs `files`.
  init(_ options: ReadOptions, by grouping: EventGroup? = nil, files: [String] = []) {
    names = RunNames(limit: options.maxNames).events
    memory = IDMemory(limit: MemoryShare.ids(options.memory, jobs: options.jobs))
    self.grouping = grouping.map {
      let what = $0.measured.isEmpty ? "groups of events" : "numbers in groups of events"
      return ($0, NameTable(what, limit: options.maxNames), files)
    }
  }

  /// Creates the last stage of a lane; called once for each.
  func stage() -> EventCountStage {
    let events = CountedEvents(
      greatestName: UInt32(names.limit - 1), memory: memory, groups: grouping?.pairs)
    lanes.withLock { $0.append(events) }
    return EventCountStage(events, names: names, by: grouping)
  }

  /// The counts per group and event name, or of all names together, when the flow has ended.
  func groups(withNames: Bool) -> GroupedCounts {
    guard let grouping else {
      preconditionFailure("events are counted by groups where it is asked")
    }
    let totals = CountedEvents.totals(of: lanes.withLock { $0 })
    return GroupedCounts(
      totals, pairs: grouping.pairs.list(sorted: false), by: grouping.by, withNames: withNames)
  }

  /// The counts per event name, when the flow has ended.
  func lines() -> EventCountLines {
    let totals = CountedEvents.totals(of: lanes.withLock { $0 })
    return EventCountLines(totals, names: names.list(), profiles: nil)
  }
}
