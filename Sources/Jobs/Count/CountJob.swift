package import Pipeline
package import Stages

/// Counts events per name without building profiles (`eventmill count`).
///
/// The same events count as in a run: every line is validated, duplicates by id are told apart.
package struct CountJob {
  private let options: ReadOptions
  private let control: JobControl

  package init(_ options: ReadOptions, control: JobControl) {
    (self.options, self.control) = (options, control)
  }

  /// Reads all inputs and counts; returns the counts per event name, and what was read.
  ///
  /// - Throws: `usage`, `io`, `corrupt`; the failure that is the earliest in the order of the
  ///   input.
  package func run() throws(Failure) -> (lines: EventCountLines, read: ReadSummary) {
    let clock = StopWatch()
    let survey = try InputDiscovery.survey(options, control)
    let (lines, facts, outcomes) = try count(survey.inputs)
    return (lines, ReadSummary(facts, outcomes, survey, clock))
  }

  /// The same per group and event name.
  ///
  /// - Throws: as ``run()``; `limit`, when there are more groups than names are allowed.
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

  /// Counts the events of `inputs`; returns also ledger, reasons and losses, and what was read of
  /// each. With `proof` the records are migrated as well, every field of them is looked for, and
  /// the inputs are hashed, to be compared.
  ///
  /// - Throws: as ``run()``, but for finding the inputs.
  func count(
    _ inputs: [InputFile], proof: FieldProofStage.Findings? = nil
  ) throws(Failure) -> (EventCountLines, TallyFacts, [InputOutcome]) {
    let counting = EventCounting(options)
    var (facts, outcomes) = try read(inputs, counting, proof: proof)
    let lines = counting.lines()
    facts.takeBack(lines.duplicates, of: Array(inputs.indices))
    return (lines, facts, outcomes)
  }

  /// Reads `inputs` for `counting`; duplicates are among what was accepted.
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
      }, cores: try CoreBudget(cores: options.jobs))
    let read = try flow.run(
      inputs, options, nonLogs: options.nonLogs, hashes: proof != nil, control,
      finish: sink.part { $0.take })
    return (sink.use { $0.facts(read.outcomes) }, read.outcomes)
  }
}
