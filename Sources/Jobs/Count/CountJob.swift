package import Pipeline
package import Stages

/// Counts the events of a run per name without building profiles (`eventmill count`).
package struct CountJob {
  private let options: ReadOptions
  private let control: JobControl

  package init(_ options: ReadOptions, control: JobControl) {
    (self.options, self.control) = (options, control)
  }

  package func run() throws(Failure) -> (lines: EventCountLines, read: ReadSummary) {
    let clock = StopWatch()
    return try count(try InputDiscovery.survey(options, control), clock)
  }

  /// The same per group and event name, or per group.
  package func run(
    by grouping: EventGroup, withNames: Bool = true
  ) throws(Failure) -> (counts: GroupedCounts, read: ReadSummary) {
    let clock = StopWatch()
    let survey = try InputDiscovery.survey(options, control)
    let counting = EventCounting(options, by: grouping, files: survey.inputs.map(\.path))
    var read = try read(survey, clock, counting, migrates: grouping.readsAttributes)
    let counts = counting.groups(withNames: withNames)
    read.facts.takeBack(counts.duplicates, of: Array(survey.inputs.indices))
    return (counts, read)
  }

  /// Counts the events of the inputs of `survey`. With `proof` the records are also migrated and
  /// checked for all their fields, and the inputs are hashed for comparison.
  func count(
    _ survey: InputDiscovery.Survey, _ clock: StopWatch, proof: FieldProofStage.Findings? = nil
  ) throws(Failure) -> (lines: EventCountLines, read: ReadSummary) {
    let counting = EventCounting(options)
    var read = try read(survey, clock, counting, proof: proof)
    let lines = counting.lines()
    read.facts.takeBack(lines.duplicates, of: Array(survey.inputs.indices))
    return (lines, read)
  }

  /// Reads the inputs for `counting`; the accepted events include duplicates.
  private func read(
    _ survey: InputDiscovery.Survey, _ clock: StopWatch, _ counting: EventCounting,
    proof: FieldProofStage.Findings? = nil, migrates: Bool = false
  ) throws(Failure) -> ReadSummary {
    let rules = options.rules
    return try ReadSummary(
      reading: survey, options, nonLogs: options.nonLogs,
      hashes: proof != nil || survey.mayHaveCopies, clock, control
    ) {
      Chains.count(
        rules, proof: proof.map { FieldProofStage($0, rules: rules) }, migrates: migrates,
        counting.stage())
    }
  }
}

/// Counts the valid events of a flow per event name, as a run does. One per flow.
struct EventCounting: Sendable {
  private let names: NameTable
  /// The pairs of a name and a group, where events are counted by group.
  private let grouping: (by: EventGroup, pairs: NameTable, files: [String])?
  private let lanes = Locked<[CountedEvents]>([])
  private let memory: IDMemory

  /// Ids take their share of the memory of `options` (``MemoryShare``). With a `grouping` the
  /// events of each group of the inputs `files` are counted.
  init(_ options: ReadOptions, by grouping: EventGroup? = nil, files: [String] = []) {
    names = RunNames(limit: options.maxNames).events
    memory = IDMemory(limit: MemoryShare.ids(options.memory, jobs: options.jobs))
    self.grouping = grouping.map {
      let what = $0.measured.isEmpty ? "groups of events" : "numbers in groups of events"
      return ($0, NameTable(what, limit: options.maxNames), files)
    }
  }

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

  func lines() -> EventCountLines {
    let totals = CountedEvents.totals(of: lanes.withLock { $0 })
    return EventCountLines(totals, names: names.list(), profiles: nil)
  }
}
