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
    return try count(try InputDiscovery.survey(options, control), clock)
  }

  /// The same per group and event name, or per group with all names together.
  ///
  /// - Throws: as ``run()``; `limit`, when there are more groups than the limit on names allows.
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
  ///
  /// - Throws: as ``run()``, except for finding the inputs.
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
      reading: survey, options, nonLogs: options.nonLogs, hashes: proof != nil, clock, control
    ) {
      Chains.count(
        rules, proof: proof.map { FieldProofStage($0, rules: rules) }, migrates: migrates,
        counting.stage())
    }
  }
}
