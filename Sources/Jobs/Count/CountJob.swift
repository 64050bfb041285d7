package import Pipeline
package import Stages

/// Counts events per name without building profiles (`eventmill count`).
///
/// Counts the same events as a run: every line is validated, and duplicates are found by id.
package struct CountJob {
  private let options: ReadOptions
  private let control: JobControl

  package init(_ options: ReadOptions, control: JobControl) {
    (self.options, self.control) = (options, control)
  }

  /// Reads all inputs and counts. Returns the counts per event name, and what was read.
  ///
  /// - Throws: `usage`, `io`, `corrupt`; the failure that is earliest in input order.
  package func run() throws(Failure) -> (lines: EventCountLines, read: ReadSummary) {
    let clock = StopWatch()
    let survey = try InputDiscovery.survey(options, control)
    let (lines, facts, outcomes) = try count(survey.inputs)
    return (lines, ReadSummary(facts, outcomes, survey, clock))
  }

  /// The same per group and event name.
  ///
  /// - Throws: as ``run()``; `limit`, when there are more groups than the limit on names allows.
  package func run(
    by grouping: EventGrouping
  ) throws(Failure) -> (counts: GroupedCounts, read: ReadSummary) {
    let clock = StopWatch()
    let survey = try InputDiscovery.survey(options, control)
    let counting = EventCounting(options, by: grouping, files: survey.inputs.map(\.path))
    var (facts, outcomes) = try read(survey.inputs, counting, migrates: grouping.readsAttributes)
    let counts = counting.groups()
    facts.takeBack(counts.duplicates, of: Array(survey.inputs.indices))
    return (counts, ReadSummary(facts, outcomes, survey, clock))
  }

  /// Counts the events of `inputs`. Also returns ledger, reasons, losses, and what was read of each
  /// input. With `proof` the records are also migrated and checked for all their fields, and the
  /// inputs are hashed for comparison.
  ///
  /// - Throws: as ``run()``, except for finding the inputs.
  func count(
    _ inputs: [InputFile], proof: FieldProofStage.Findings? = nil
  ) throws(Failure) -> (EventCountLines, TallyFacts, [InputOutcome]) {
    let counting = EventCounting(options)
    var (facts, outcomes) = try read(inputs, counting, proof: proof)
    let lines = counting.lines()
    facts.takeBack(lines.duplicates, of: Array(inputs.indices))
    return (lines, facts, outcomes)
  }

  /// Reads `inputs` for `counting`; the accepted events include duplicates.
  private func read(
    _ inputs: [InputFile], _ counting: EventCounting, proof: FieldProofStage.Findings? = nil,
    migrates: Bool = false
  ) throws(Failure) -> (TallyFacts, [InputOutcome]) {
    let sink = Exclusive(TallySink(inputs: inputs.count, control: control))
    let rules = options.rules
    let flow = RecordFlow(
      stages: {
        Chains.count(
          rules, proof: proof.map { FieldProofStage($0, rules: rules) }, migrates: migrates,
          counting.stage())
      }, cores: try CoreQueues(options.jobs))
    let read = try flow.run(
      inputs, options, nonLogs: options.nonLogs, hashes: proof != nil, control,
      finish: sink.part { $0.take })
    return (sink.use { $0.facts(read.outcomes) }, read.outcomes)
  }
}
