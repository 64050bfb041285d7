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
    let plan = try ArchivePlan(survey, system: control.system)
    if let output {
      try StagedDirectory.check(
        output, existing: target.existing, owner: .of(.migration), system: control.system)
    }
    let sink = Exclusive(TallySink(inputs: survey.inputs.count, control: control))
    let flow = try MigrationFlow(
      options: options, inputs: survey.inputs, cores: CoreQueues(options.jobs), control: control)
    let outcomes = try flow.run(sink.part { $0.take }).outcomes
    let (facts, lines) = sink.use { ($0.facts(outcomes), $0.textLines) }
    return DryRunOutcome(
      read: ReadSummary(facts, outcomes, survey, clock),
      inputs: ArchiveReport.inputs(outcomes, facts.ledgers, plan.targets), outputLines: lines)
  }
}

/// The expected result of a migration.
package struct DryRunOutcome: Sendable {
  package let read: ReadSummary
  /// The inputs, and their targets.
  package let inputs: [ArchiveReport.Input]
  /// Lines of the logs that would be written.
  package let outputLines: Int
}
