package import Pipeline
import Stages

/// The first half of a run, for another process to continue (`eventmill cluster partial`).
package struct PartialJob {
  let options: RunOptions
  let control: JobControl

  /// A job with these options; `control` shows its progress and can cancel it.
  package init(_ options: RunOptions, control: JobControl) {
    (self.options, self.control) = (options, control)
  }

  /// Whether `--out` is the partial that ``run()`` would publish; always false without `--if-same`.
  package func isPublished() throws(Failure) -> Bool {
    let (output, system) = (options.publish.output, control.system)
    guard options.publish.acceptsSame, let made = try? PartialDirectory(output, system: system)
    else { return false }
    let findings = try findings(try collectedOptOuts())
    let expected = Manifest(.partial, by: control.tool, options.recorded(findings))
    guard made.manifest.isMade(like: expected, at: options.publish, control),
      made.facts.tracking?.plan == (try options.openTracking(control.system))?.hash
    else { return false }
    return try options.findsAgain(
      made.facts.outcomes.map(ManifestInput.init), made.facts.alreadyRead,
      after: options.openPrevious(control.system)?.manifest, .partial, control)
  }

  private func collectedOptOuts() throws(Failure) -> CollectedOptOuts? {
    try options.merge.optOuts.map { path throws(Failure) in
      try CollectedOptOuts(in: path, for: options, control)
    }
  }

  private func findings(_ optOuts: CollectedOptOuts?) throws(Failure) -> PrivacyFindings {
    PrivacyFindings(
      erasures: try ErasurePhase(options: options, control: control).marks(),
      consents: optOuts?.consents ?? ConsentHistory(), consentSources: optOuts?.sources.hash)
  }

  /// Reads the inputs and publishes the partial.
  /// - Throws: why nothing was published; see `Failure.Kind`.
  package func run() throws(Failure) -> ReadSummary {
    let clock = StopWatch()
    control.plan([.reading, .publishing])
    let optOuts = try collectedOptOuts()
    let findings = try findings(optOuts)
    let tracking = try options.openTracking(control.system)
    let survey = try InputDiscovery.survey(options.read, output: options.publish.output, control)
    let previous = try options.openPrevious(control.system)?.manifest
    let selection = try InputSelection(
      survey.inputs, previous: previous, reingest: options.merge.reingest, control: control)
    try selection.checkUnchanged()
    let inputs = selection.inputs
    try optOuts?.check(inputs, after: previous)
    let (facts, warning) = try Publication.run(options.publish, as: .of(.partial), control) {
      staging throws(Failure) in
      try SpillForecast(inputs, memory: MemoryShare.logs(options.read.memory))
        .check(at: staging.output.parent, control: control)
      let facts = try write(selection, survey.ignoredFiles, findings, tracking, to: staging)
      if !options.merge.reingest { try selection.check(facts.outcomes) }
      return facts
    }
    return ReadSummary(facts.tally, facts.outcomes, survey, clock)
      .published(selection, warning: warning)
  }

  /// Reads the inputs of `selection` into the staging directory, and returns the facts of the
  /// partial; nothing is published. Events are checked against the plan `tracking`.
  private func write(
    _ selection: InputSelection, _ ignoredFiles: IgnoredFiles, _ findings: PrivacyFindings,
    _ tracking: TrackingPlan?, to staging: StagedDirectory
  ) throws(Failure) -> PartialFacts {
    let context = try MergeContext(options, shards: options.read.jobs, in: staging)
    let file = try staging.folder.create(RunFiles.partial)
    let ingest = try IngestPhase(
      options: options, findings: findings, inputs: selection.inputs, context: context,
      control: control, tracking: tracking
    ).run(rejects: file.part(RunFiles.rejects))
    let sources = try MergeSources(
      context, previous: nil, read: ingest.counts.totals, options: options.snapshot)
    var (spills, duplicates) = try writeStates(sources, to: file)
    duplicates.merge(sources.duplicates)
    let outcome = ingest.takingBack(duplicates)
    var facts = PartialFacts(outcome, totals: sources.totals, duplicates, sources.plan.names)
    (facts.alreadyRead, facts.ignoredFiles) = (selection.alreadyRead, ignoredFiles)
    try outcome.checkLedger(counted: facts.counts.totals.accepted)
    try staging.remove(RunFiles.work)
    var manifest = Manifest(.partial, by: control.tool, options.recorded(findings))
    manifest.facts = .whole(facts)
    // In the order in the file.
    manifest.outputs = ([ingest.rejects] + spills).map { ManifestOutput(file: $0) }
    let text = manifest.text()
    try Manifest.check(text)
    try PartialFile.end(file, with: text)
    return facts
  }

  private func writeStates(
    _ sources: MergeSources, to file: OutputFile
  ) throws(Failure) -> ([WrittenFile], DuplicateTally) {
    let lanes = try options.lanes(of: sources.plan)
    var spills: [WrittenFile] = []
    for partition in 0..<options.snapshot.partitions {
      let sink = Exclusive(
        try RunWriter(
          file.part(RunFiles.spill(partition, of: options.snapshot.partitions)),
          level: options.publish.level, names: sources.plan.names.lists))
      for section in KeySection.allCases {
        let pieces = try sources.plan.pieces(partition, section)
        let flow = Flow(
          units: 2 * lanes.count + 1, of: { SnapshotUnit(.spill) },
          cores: try control.cores(lanes.count),
          fill: { $0.sequence < pieces.count },
          lanes: lanes.map { lane in
            lane.part { lane in
              { unit throws(Failure) in
                try lane.work(.spill, on: pieces[unit.sequence], into: unit)
              }
            }
          },
          finish: sink.part { $0.take })
        try control.run(flow)
      }
      spills.append(try sink.use { sink throws(Failure) in try sink.finish() })
    }
    var duplicates = DuplicateTally()
    for lane in lanes { duplicates.merge(lane.use { $0.tally.duplicates }) }
    return (spills, duplicates)
  }
}

extension PartialFacts {
  /// The facts of a run that has read its inputs, with names numbered in byte order. `totals` count
  /// `duplicates` as events; those of `outcome` do not.
  fileprivate init(
    _ outcome: IngestOutcome, totals: EventTotals, _ duplicates: DuplicateTally,
    _ names: SnapshotNames
  ) {
    self.init()
    outcomes = outcome.outcomes
    tally = outcome.tally
    events = names.events.sorted.map { names.events[$0].text }
    attributes = names.attributes.sorted.map { names.attributes[$0].text }
    var counted = outcome.counts
    counted.totals = totals
    counted.totals.takeBack(duplicates)
    counts.merge(counted, renumbered: names.events.ranks)
    self.duplicates = outcome.duplicates
    tracking = outcome.tracking
  }
}
