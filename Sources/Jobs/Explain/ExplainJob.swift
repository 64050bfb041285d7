package import Pipeline
import Stages

extension JobControl {
  /// Explains what happens to each line of the inputs and why (`eventmill explain`,
  /// docs/reference/file-formats.md), in order; `write` gets the text of whole lines. Lines name
  /// their file if there may be several.
  ///
  /// - Throws: `usage`, `io`, `corrupt`, and what `write` throws.
  @discardableResult
  package func explain(
    _ options: ReadOptions, _ write: @escaping @Sendable (ByteView) throws(Failure) -> Void
  ) throws(Failure) -> ReadSummary {
    let clock = StopWatch()
    let survey = try InputDiscovery.survey(options, self)
    let inputs = survey.inputs
    let isOne = options.inputs.count == 1 && inputs.allSatisfy { $0.root == nil }
    let sources = isOne ? nil : inputs.map(\.path)
    let rules = options.rules
    let read = try RecordFlow(
      stages: { Chains.explain(rules, sources: sources) },
      cores: try CoreQueues(options.jobs)
    ).run(
      inputs, options, nonLogs: .report, hashes: false, self,
      finish: { unit throws(Failure) in try write(unit.text.view) })
    return ReadSummary(TallyFacts(), read.outcomes, survey, clock, notLogs: read.notLogs)
  }
}
