package import Pipeline
import Stages

extension JobControl {
  /// Reads the first lines of logs and proposes a mapping for them (`mapping infer`).
  ///
  /// - Throws: `usage`, `io`, `corrupt`.
  package func inferMapping(_ options: ReadOptions) throws(Failure) -> MappingProposal {
    let inputs = try InputDiscovery.inputs(options, self)
    // Blocks end in input order, so the first lines are always the same.
    let sink = Exclusive(PathSurveySink())
    _ = try RecordFlow(stages: { [] }, cores: try CoreQueues(options.jobs)).run(
      inputs, options, nonLogs: nil, hashes: false, self, finish: sink.part { $0.take })
    return sink.use { MappingProposal($0.survey, $0.beginning.view) }
  }
}

/// Receives the blocks in order.
private final class PathSurveySink {
  private(set) var survey = PathSurvey()
  /// The first block with lines.
  private(set) var beginning = ByteBuffer()
  private let tape = Tape(numbersNames: false)

  func take(_ unit: WorkUnit) throws(Failure) {
    if beginning.isEmpty { beginning.append(unit.block.bytes) }
    survey.add(unit.block, tape)
  }
}
