import Stages
package import Pipeline

/// Checks logs and writes nothing (`eventmill validate`).
package struct ValidateJob {
  private var options: ReadOptions
  private let control: JobControl

  package init(_ options: ReadOptions, control: JobControl) {
    (self.options, self.control) = (options, control)
    // A damaged input must not hide the faults of the others.
    self.options.keepGoing = true
  }

  /// Reads and checks all inputs; those that are damaged or cannot be read are
  /// ``ReadSummary/lost``. Duplicates are not searched for.
  ///
  /// - Throws: `usage`, `io`, when no inputs can be found; the failure that the job was cancelled
  ///   with.
  package func run() throws(Failure) -> ReadSummary {
    let clock = StopWatch()
    let survey = try InputDiscovery.survey(options, keepsGoing: true, control)
    let inputs = survey.inputs
    let sink = Exclusive(TallySink(inputs: inputs.count, control: control))
    let rules = options.rules
    let read = try RecordFlow(
      stages: { Chains.canonical(rules) }, cores: try CoreQueues(options.jobs)
    ).run(
      inputs, options, nonLogs: .report, hashes: false, control, finish: sink.part { $0.take })
    return ReadSummary(
      sink.use { $0.facts(read.outcomes) }, read.outcomes, survey, clock, notLogs: read.notLogs)
  }
}
