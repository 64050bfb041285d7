package import Pipeline
import Stages

/// Counts events per name without building profiles (`eventmill count`).
///
/// The same events count as in a run: every line is validated, duplicates by id are told apart.
package struct CountJob {
  private let options: ReadOptions
  private let control: JobControl

  package init(_ options: ReadOptions, control: JobControl) {
    (self.options, self.control) = (options, control)
  }

  /// Reads all inputs and counts.
  ///
  /// - Throws: `usage`, `io`, `corrupt`; the failure that is the earliest in the order of the
  ///   input.
  package func run() throws(Failure) -> CountOutcome {
    let clock = StopWatch()
    let survey = try InputDiscovery.survey(options, control)
    let (lines, facts, outcomes) = try count(survey.inputs)
    return CountOutcome(
      lines: lines, facts: facts, lost: outcomes.compactMap(\.lost),
      lostLines: facts.lostLines(of: outcomes),
      ignoredFiles: survey.ignoredFiles, seconds: clock.seconds,
      bytes: outcomes.decompressedBytes)
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
    let sink = Exclusive(TallySink(inputs: inputs.count, control: control))
    let rules = options.rules
    let flow = RecordFlow(
      stages: {
        Chains.count(
          rules, proof: proof.map { FieldProofStage($0, rules: rules) },
          router: counting.router(inputs))
      }, shardStages: counting.stages, cores: try CoreBudget(cores: options.jobs),
      shards: counting.shards)
    let read = try flow.run(
      inputs, options, nonLogs: options.nonLogs, hashes: proof != nil, control,
      finish: sink.part { $0.take })
    return (counting.lines, sink.use { $0.facts(read.outcomes) }, read.outcomes)
  }
}

/// What counting found.
package struct CountOutcome {
  /// The counts per event name.
  package let lines: EventCountLines
  /// Ledger, reasons and losses.
  package let facts: TallyFacts
  /// Inputs that could not be read to their end (`--keep-going`).
  package let lost: [Failure]
  /// Lines of inputs that are lost because they are not logs.
  package let lostLines: Int
  /// What is no input, in the directories that were named.
  package let ignoredFiles: IgnoredFiles
  /// Wall-clock seconds.
  package let seconds: Double
  /// Decompressed bytes read.
  package let bytes: Int
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
