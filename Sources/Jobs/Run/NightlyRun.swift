package import Pipeline
import Stages

/// The nightly job (`eventmill run`): read, validate, migrate, merge, count, publish
/// (docs/file-formats.md).
package struct NightlyRun {
  private let options: RunOptions
  private let control: JobControl
  private let tool: ToolVersion

  /// A run with these options; `control` shows its progress and can stop it.
  package init(_ options: RunOptions, tool: ToolVersion, control: JobControl) {
    self.options = options
    self.tool = tool
    self.control = control
  }

  /// Runs the job to its end.
  ///
  /// - Throws: every reason why nothing was published; see `Failure.Kind`.
  package func run() throws(Failure) -> RunSummary {
    let clock = StopWatch()
    var options = options
    control.plan(
      (options.honorsOptOut ? [.consent] : []) + [.reading, .merging, .publishing])
    let requests = try ErasurePhase(options: options, control: control).requests()
    options.erasures = requests?.erasures ?? Erasures()
    let survey = try InputDiscovery.surveyLogs(
      options.inputs, output: options.output, allowEmpty: options.allowEmpty,
      system: control.system)
    let found = survey.inputs
    control.expect(found)
    let staging = try StagedDirectory(
      options.output, existing: options.existing, owner: .of(.output), system: control.system)
    defer { staging.discard() }
    control.discardWhenAbandoned(staging)
    let rejected = RejectedOutput(staging, reports: RunFiles.reports, tool: tool)
    if options.maxRejects != nil { try rejected.checkPlace(control.system) }
    try staging.makeDirectory(RunFiles.work)
    let names = RunNames(limit: options.maxNames)
    let spills = SpillStore(
      in: staging.folder, directory: RunFiles.work, partitions: options.partitions,
      tableLimit: MemoryShare.table(options.memory, shards: shardCount))
    let shards = (0..<shardCount).map { _ in ProfileShard(spills: spills) }
    let previous = try PreviousPhase(
      options: options, tool: tool, control: control, partitions: 0..<options.partitions
    ).run(into: shards, names: names)
    options.erasures = previous?.erasures ?? options.erasures
    let before = options.previous.map {
      NightBefore($0, totals: previous?.totals ?? [], system: control.system)
    }
    let selection = try InputSelection(
      found, previous: previous?.run?.manifest, options: options, control: control)
    try SpillForecast(
      selection.inputs, tables: MemoryShare.table(options.memory, shards: 1),
      keepsPartials: options.resumes,
      previous: previous?.run?.manifest.files.reduce(0) { $0 + $1.bytes } ?? 0
    ).check(at: staging.output.parent, control: control)
    if options.honorsOptOut {
      options.consents = try ConsentPhase(
        options: options, inputs: selection.inputs, control: control
      ).run(previous?.run)
      control.begin(.reading)
      control.expect(selection.inputs)
    }
    let checkpoint = Checkpoint(staging.output, options: options, tool: tool, control: control)
    let ingest: IngestOutcome
    if options.resumes {
      let ingested = try checkpoint.ingest(selection.inputs)
      ingest = try take(ingested, names, spills, staging, before)
    } else {
      try checkpoint.remove()
      ingest = try IngestPhase(
        options: options, inputs: selection.inputs, names: names, shards: shards,
        staging: staging, control: control, before: before
      ).run()
    }
    options.erasures.note(ingest.tally.keptBack)
    try rejected.refuse(
      RunReport(
        tool: tool, options: options, selection: selection, passedOver: survey.passedOver,
        merge: ingest, snapshot: nil, clock: clock, stamp: control.stamp(of: options.output),
        before: before), control)
    control.begin(.merging)
    let sources = try MergeSources(
      shards: shards, spills: spills, names: names, previous: previous, read: ingest.totals,
      erasures: options.erasures, options: options.snapshot)
    var publisher = SnapshotPublisher(
      plan: sources.plan, totals: sources.totals, previous: previous?.totals ?? [],
      duplicates: sources.duplicates, staging: staging, options: options, control: control,
      counted: previous?.erased ?? SnapshotTally())
    let snapshot = try publisher.publish()
    try staging.remove(RunFiles.work)
    let merge = ingest.takingBack(snapshot.duplicates)
    var report = RunReport(
      tool: tool, options: options, selection: selection, passedOver: survey.passedOver,
      merge: merge, snapshot: snapshot, clock: clock, stamp: control.stamp(of: options.output),
      before: before)
    report.requests = requests
    try report.checkLedger()
    var files = snapshot.files
    files.append(merge.rejects)
    try Manifest(
      tool: tool, options: options, inputs: merge.outcomes, selection: selection,
      previous: previous?.run?.stateHashes ?? [], files: files
    ).write(to: staging)
    try report.write(to: staging)
    try control.beginPublishing()
    if options.resumes { staging.whenPublished = { () throws(Failure) in try checkpoint.remove() } }
    let warning = try staging.publish()
    return report.summary(warning: warning)
  }

  /// Takes what the inputs hold from partials, and puts their rejects together.
  private func take(
    _ ingested: Checkpoint.Ingested, _ names: RunNames, _ spills: SpillStore,
    _ staging: StagedDirectory, _ before: NightBefore?
  ) throws(Failure) -> IngestOutcome {
    let (set, facts) = (ingested.partials, ingested.partials.facts)
    for partial in set.partials {
      for partition in 0..<options.partitions {
        try spills.add(try partial.spill(partition, names: names))
      }
    }
    let totals = facts.totals(in: names)
    if let failure = names.failure { throw failure }
    let writer = try SeekableTextWriter(
      staging.folder.create(RunFiles.rejects), level: options.level)
    try set.writeRejects(to: writer)
    var outcome = facts.outcome(
      rejects: try writer.finish(), times: ingested.times, SnapshotNames(names), totals,
      before: before)
    outcome.resumed = ingested.resumed
    return outcome
  }

  /// As many shards as lanes: merging and parsing cost about the same.
  private var shardCount: Int { options.jobs }
}
