package import Pipeline
import Stages

/// What a job has read, for its command.
package struct ReadSummary: Sendable {
  /// Ledger, reasons and losses.
  package let facts: TallyFacts
  private let outcomes: [InputOutcome]
  private let faults: [Failure]
  /// Inputs that are not logs, and what they look like, where the job reports that.
  package let notLogs: [Failure]
  /// Files in the named directories that are not inputs.
  package let ignoredFiles: IgnoredFiles
  /// Wall-clock seconds.
  package let seconds: Double
  /// Number of inputs that were skipped, as their content was read before.
  package private(set) var alreadyRead = 0
  /// Inputs that begin with what an earlier night has read under another name.
  package private(set) var overlapping: [RepeatedInput] = []
  /// A problem after the output was published.
  package private(set) var warning: Failure?

  init(
    _ facts: TallyFacts, _ outcomes: [InputOutcome], _ survey: InputDiscovery.Survey,
    _ clock: StopWatch, notLogs: [Failure] = []
  ) {
    (self.facts, self.outcomes, self.notLogs) = (facts, outcomes, notLogs)
    (faults, ignoredFiles, seconds) = (survey.faults, survey.ignoredFiles, clock.seconds)
  }

  /// The same for a job that has read the inputs of `selection`, and published an output.
  func published(_ selection: InputSelection, warning: Failure?) -> ReadSummary {
    var summary = self
    (summary.alreadyRead, summary.overlapping) = (
      selection.alreadyRead.count, selection.overlapping
    )
    summary.warning = warning
    return summary
  }

  /// The inputs' paths, by the indices in samples.
  package var inputs: [String] { outcomes.map(\.file.path) }
  /// Inputs that could not be read to their end (`--keep-going`).
  package var lost: [Failure] { faults + outcomes.compactMap(\.lost) }
  /// Lines of inputs that are lost because they are not logs.
  package var lostLines: Int { facts.lostLines(of: outcomes) }
  /// Lines and decompressed bytes read, and bytes of the inputs on disk.
  package var lines: Int { outcomes.reduce(0) { $0 + ($1.summary?.lines ?? 0) } }
  package var bytes: Int { outcomes.decompressedBytes }
  package var inputBytes: Int { outcomes.compressedBytes }
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
