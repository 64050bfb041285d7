package import Pipeline
import Stages

/// A dry run of a migration (`eventmill migrate --dry-run`): everything but the outputs. Creates
/// nothing.
package struct MigrateDryRun {
  private let options: ReadOptions
  private let target: PublishOptions
  private let control: JobControl

  /// A dry run of a migration to `target`, if that has an output; `control` shows its progress and
  /// can cancel it.
  package init(_ options: ReadOptions, _ target: PublishOptions, control: JobControl) {
    self.options = options
    self.target = target
    self.control = control
  }

  /// Reads, validates and migrates all inputs.
  ///
  /// - Throws: as the migration would, also for an output that it could not publish to.
  package func run() throws(Failure) -> DryRunOutcome {
    let clock = StopWatch()
    let output = target.output.isEmpty ? nil : target.output
    let survey = try InputDiscovery.survey(options, output: output, control)
    let inputs = survey.inputs
    let plan = try ArchivePlan(survey, system: control.system)
    if let output {
      try StagedDirectory.check(
        output, existing: target.existing, owner: .of(.migration), system: control.system)
    }
    let cores = try CoreQueues(options.jobs)
    let sink = Exclusive(try DryRunSink(inputs, level: target.level, control: control))
    _ = try MigrationFlow(options: options, inputs: inputs, cores: cores, control: control)
      .run(sink.part { $0.take })
    return sink.use { $0.outcome(plan, survey, clock, cores: cores.count) }
  }
}

/// The expected result of a migration.
package struct DryRunOutcome: Sendable {
  package let read: ReadSummary
  /// The inputs, and their targets.
  package let inputs: [ArchiveReport.Input]
  /// Lines of the logs that would be written.
  package let outputLines: Int
  /// Approximate bytes of these logs.
  package let expectedBytes: Int
  /// Approximate seconds of the migration.
  package let expectedSeconds: Double
}

/// Receives the units at the end of a dry run's flow.
private final class DryRunSink {
  private var outcomes: [InputOutcome]
  private var tally: RunTally
  private var estimate: SizeEstimate
  private var lines = 0
  private let control: JobControl

  init(_ inputs: [InputFile], level: Int, control: JobControl) throws(Failure) {
    outcomes = inputs.map { InputOutcome(file: $0) }
    tally = RunTally(inputs: inputs.count)
    estimate = try SizeEstimate(level: level)
    self.control = control
  }

  func take(_ unit: WorkUnit) throws(Failure) {
    tally.add(unit)
    lines += unit.textLines
    control.count(unit, rejects: tally.linesWithRejects)
    try estimate.append(unit.text.view)
    guard let ended = unit.notes.ended else { return }
    try estimate.endFile()
    outcomes[unit.block.input] = ended
    tally.setLines(ended.summary?.lines ?? 0, of: unit.block.input)
  }

  func outcome(
    _ plan: ArchivePlan, _ survey: InputDiscovery.Survey, _ clock: StopWatch, cores: Int
  ) -> DryRunOutcome {
    let read = ReadSummary(tally.facts, outcomes, survey, clock)
    let compressing = estimate.seconds - estimate.sampleSeconds
    return DryRunOutcome(
      read: read, inputs: ArchiveReport.inputs(outcomes, read.facts.ledgers, plan.targets),
      outputLines: lines, expectedBytes: estimate.bytes,
      expectedSeconds: read.seconds + compressing / Double(cores))
  }
}
