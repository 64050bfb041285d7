package import Pipeline
import Stages

extension JobControl {
  /// A dry run of a migration to `target`, if that has an output (`eventmill migrate --dry-run`):
  /// reads, validates and migrates all inputs, and creates nothing.
  ///
  /// - Throws: as the migration would, also for an output that it could not publish to.
  package func dryRun(
    _ options: ReadOptions, _ target: PublishOptions
  ) throws(Failure) -> DryRunOutcome {
    let clock = StopWatch()
    let output = target.output.isEmpty ? nil : target.output
    let survey = try InputDiscovery.survey(options, output: output, self)
    let plan = try ArchivePlan(survey, system: system)
    if let output {
      try StagedDirectory.check(
        output, replaces: target.replace, owner: .of(.migration), system: system)
    }
    let (rules, paths) = (options.rules, survey.inputs.map(\.path))
    let read = try ReadSummary(
      reading: survey, options, nonLogs: options.nonLogs, hashes: true, clock, self
    ) { Chains.migrate(rules, sources: paths) }
    return DryRunOutcome(
      read: read, inputs: ArchiveReport.inputs(read.outcomes, read.facts.ledgers, plan.targets))
  }
}

/// The expected result of a migration.
package struct DryRunOutcome: Sendable {
  package let read: ReadSummary
  /// The inputs, and their targets.
  package let inputs: [ArchiveReport.Input]
}
