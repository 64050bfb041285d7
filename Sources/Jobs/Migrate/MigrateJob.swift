import Stages
package import Pipeline

/// The one-off migration of logs: v1 and v2 in, canonical v2 out, one log per input (`eventmill
/// migrate`).
///
/// Works in a checkpoint beside the output; finished files there are published at the end, or
/// reused by `--resume`.
package struct MigrateJob {
  private let options: RunOptions
  private let control: JobControl
  private let verifies: Bool

  /// A migration with these options; `control` shows its progress and can cancel it. With
  /// `verifies` it publishes only after a successful proof (``MigrationProof``).
  package init(
    _ read: ReadOptions, _ publish: PublishOptions, verifies: Bool = false, control: JobControl
  ) {
    options = RunOptions(read, publish)
    (self.verifies, self.control) = (verifies, control)
  }

  /// Runs the job.
  /// - Throws: why nothing was published; see `Failure.Kind`.
  package func run() throws(Failure) -> ArchiveReport {
    let clock = StopWatch()
    control.plan(verifies ? [.reading, .proving, .publishing] : [.reading, .publishing])
    let survey = try InputDiscovery.survey(options.read, output: options.publish.output, control)
    let found = survey.inputs
    if verifies { try MigrationProof.check(found) }
    let plan = try ArchivePlan(survey, system: control.system)
    var begun: ArchiveCheckpoint?
    var (report, warning) = try Publication.run(
      options.publish, as: .of(.migration), control, advising: { begun?.advising($0) ?? $0 }
    ) { staging throws(Failure) in
      let rejected = try RejectedOutput(staging, options.read, control.system)
      let checkpoint = ArchiveCheckpoint(staging.output, options: options, control: control)
      let states = try found.map { input throws(Failure) in try InputState(input, control.system) }
      let finished = try checkpoint.begin(states)
      begun = checkpoint
      let (inputs, times) = try migrate(found, states, finished, checkpoint)
      let rejects = try checkpoint.joinRejects(
        of: inputs, in: staging.folder, level: options.publish.level)
      let ingest = IngestOutcome(inputs, rejects: rejects, times: times)
      try ingest.checkLedger(counted: nil)
      var report = ArchiveReport(
        options: options, ingest: ingest, targets: plan.targets,
        ignoredFiles: plan.ignoredFiles, logs: inputs.map(\.log), clock: clock,
        stamp: control.stamp(of: options.publish.output))
      if let excess = ingest.excess(of: options.read) {
        report.refusal = excess.why
        try report.write(to: staging)
        try report.writePage(to: staging)
        throw try rejected.publish(ingest, excess, control)
      }
      try write(&report, inputs, checkpoint, to: staging)
      if verifies { try prove(&report, survey, in: staging) }
      report.manifest = staging.folder.written.first { $0.path == RunFiles.manifest }
      try report.writePage(to: staging)
      staging.whenPublished = { () throws(Failure) in try checkpoint.remove() }
      return report
    }
    report.warning = warning
    return report
  }

  /// Reads the inputs that are not finished, and returns all of them in order.
  private func migrate(
    _ found: [InputFile], _ states: [InputState], _ finished: ArchiveCheckpoint.Finished,
    _ checkpoint: ArchiveCheckpoint
  ) throws(Failure) -> ([ArchivedInput], FlowTimes) {
    let open = found.indices.filter { finished.inputs[FilePath(found[$0].path)] == nil }
    let cores = try CoreQueues(options.read.jobs)
    let sink = Exclusive(
      ArchiveSink(
        open.map { states[$0] }, after: finished.last, checkpoint, cores: cores,
        level: options.publish.level, control: control))
    defer { sink.use { $0.abandon() } }
    let inputs = open.map { found[$0] }
    control.expect(inputs)
    let (rules, paths) = (options.read.rules, inputs.map(\.path))
    var times = try RecordFlow(
      stages: { Chains.migrate(rules, sources: paths) }, cores: cores
    ).run(
      inputs, options.read, nonLogs: options.read.nonLogs, marksEnds: true, control,
      finish: sink.part { $0.take }
    ).times
    let (archived, compressing) = try sink.use { sink throws(Failure) in try sink.finish() }
    times.stages.append(compressing)
    var all = finished.inputs
    for input in archived { all[input.key] = input }
    return (found.compactMap { all[FilePath($0.path)] }, times)
  }

  private func write(
    _ report: inout ArchiveReport, _ inputs: [ArchivedInput], _ checkpoint: ArchiveCheckpoint,
    to staging: StagedDirectory
  ) throws(Failure) {
    let (ingest, targets) = (report.ingest, report.targets)
    try staging.write(losses: ingest.tally.losses, of: ingest.outcomes)
    report.logs = zip(inputs, targets).map { input, target in
      WrittenFile(
        path: target.path, bytes: input.log.bytes, lines: input.log.lines, xxh64: input.log.xxh64)
    }
    // First: if the migration dies, the manifest identifies the logs that are ours.
    let files =
      report.logs.enumerated().map { index, log in
        ManifestOutput(
          file: log, origin: ingest.outcomes[index].file.path, ledger: ingest.ledgers[index])
      } + staging.listed.map { ManifestOutput(file: $0) }
    try Manifest(.migration, by: control.tool, options.recorded(.logs), inputs: ingest.outcomes)
      .write(listing: files, to: staging)
    try checkpoint.placeLogs(of: inputs, at: targets, in: staging)
    try report.write(to: staging)
    report.seconds = report.clock.seconds
  }

  private func prove(
    _ report: inout ArchiveReport, _ survey: InputDiscovery.Survey, in staging: StagedDirectory
  ) throws(Failure) {
    report.proof = try MigrationProof(
      options: options, survey: survey, ingest: report.ingest, folder: staging.folder.path,
      control: control
    ).run()
    // The proof has read it, but may have taken longer than the migration.
    try staging.remove(RunFiles.report)
    try report.write(to: staging)
  }
}

extension IngestOutcome {
  fileprivate init(_ inputs: [ArchivedInput], rejects: WrittenFile, times: FlowTimes) {
    let facts = PartialFacts(merging: inputs.map(\.facts))
    self.init(tally: facts.tally, outcomes: facts.outcomes, rejects: rejects, times: times)
    resumed = Set(inputs.filter(\.isResumed).map(\.state.path))
    isOfFiles = !resumed.isEmpty
  }
}

extension JobControl {
  /// A dry run of a migration to `target`, if that has an output (`eventmill migrate --dry-run`):
  /// reads, validates and migrates all inputs, and creates nothing.
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
    return (read, ArchiveReport.inputs(read.outcomes, read.facts.ledgers, plan.targets))
  }
}

/// The expected result of a migration.
package typealias DryRunOutcome = (read: ReadSummary, inputs: [ArchiveReport.Input])
