package import Pipeline
import Stages

extension JobControl {
  /// Reads the first lines of logs and proposes a mapping for them (`mapping infer`); lines after
  /// the first ``PathSurvey/mostLines`` are ignored.
  ///
  /// - Throws: `usage`, `io`, `corrupt`.
  package func inferMapping(_ options: ReadOptions) throws(Failure) -> MappingProposal {
    let inputs = try InputDiscovery.inputs(options, self)
    // Blocks end in input order, so the first lines are always the same.
    let survey = Exclusive(PathSurveySink())
    _ = try RecordFlow(stages: { [] }, cores: try CoreQueues(options.jobs)).run(
      inputs, options, nonLogs: nil, hashes: false, self, finish: survey.part { $0.take })
    return MappingProposal(survey.use { $0.survey })
  }
}

/// Receives the blocks in order.
private final class PathSurveySink {
  private(set) var survey = PathSurvey()
  private let tape = Tape(numbersNames: false)

  func take(_ unit: WorkUnit) throws(Failure) { survey.add(unit.block, tape) }
}
