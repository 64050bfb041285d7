package import Pipeline
import Stages

/// What a job that publishes nothing has read.
package struct ReadSummary {
  /// Ledger, reasons and losses.
  package let facts: TallyFacts
  /// The inputs' paths, by the indices in samples.
  package let inputs: [String]
  /// Inputs that could not be read to their end (`--keep-going`).
  package let lost: [Failure]
  /// Lines of inputs that are lost because they are not logs.
  package let lostLines: Int
  /// Inputs that are not logs, and what they look like, where the job reports that.
  package let notLogs: [Failure]
  /// Files in the named directories that are not inputs.
  package let ignoredFiles: IgnoredFiles
  /// Wall-clock seconds.
  package let seconds: Double
  /// Decompressed bytes read.
  package let bytes: Int

  init(
    _ facts: TallyFacts, _ outcomes: [InputOutcome], _ survey: InputDiscovery.Survey,
    _ clock: StopWatch, notLogs: [Failure] = []
  ) {
    (self.facts, self.notLogs) = (facts, notLogs)
    inputs = outcomes.map(\.file.path)
    lost = survey.faults + outcomes.compactMap(\.lost)
    lostLines = facts.lostLines(of: outcomes)
    ignoredFiles = survey.ignoredFiles
    seconds = clock.seconds
    bytes = outcomes.decompressedBytes
  }
}

/// Counts the units at the end of a flow that writes nothing.
final class TallySink {
  private var tally: RunTally
  private let control: JobControl

  init(inputs: Int, control: JobControl) {
    tally = RunTally(inputs: inputs)
    self.control = control
  }

  func take(_ unit: WorkUnit) {
    tally.add(unit)
    control.count(unit, rejects: tally.linesWithRejects)
  }

  func facts(_ outcomes: [InputOutcome]) -> TallyFacts {
    tally.setLines(of: outcomes)
    return tally.facts
  }
}
