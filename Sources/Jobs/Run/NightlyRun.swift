package import Pipeline
import Stages

/// The nightly job (`eventmill run`, docs/reference/file-formats.md).
package struct NightlyRun {
  private let options: RunOptions
  private let control: JobControl

  package init(_ options: RunOptions, control: JobControl) {
    (self.options, self.control) = (options, control)
  }

  /// Whether `--out` already is what ``run()`` would publish; false without `--if-same`.
  package func isPublished() throws(Failure) -> Bool {
    let (output, system) = (options.publish.output, control.system)
    guard options.publish.acceptsSame,
      let made = try? Manifest(output, doing: "comparing with", system: system)
    else { return false }
    let previous = try options.openPrevious(system)
    let erasures = try ErasurePhase(options: options, control: control).marks()
    var options = options
    if options.merge.erasedAt == nil {
      // The moment of the request was that of the run that made it.
      options.merge.now = made.options[RunOptions.erasedAtOption]?.text.flatMap { text in
        let bytes = ByteBuffer(text: text)
        return Timestamp.parse(bytes.view)
      }
    }
    var expected = Manifest(.output, by: control.tool, options.recorded(erasures))
    expected.previousState = previous?.stateHashes ?? []
    guard made.isMade(like: expected, at: options.publish, control) else { return false }
    return try options.findsAgain(
      made.inputs, made.alreadyRead, after: previous?.manifest, control)
  }

  /// Finds the logs; then, in a directory beside the output, opens last night's state, reads the
  /// logs, merges both and writes the report; then publishes that directory.
  package func run() throws(Failure) -> RunReport {
    var night = Night()
    control.plan(
      (options.merge.honorsOptOut ? [.consent] : []) + [.reading, .merging, .publishing])
    night.tracking = try options.tracking.map { path throws(Failure) in
      try TrackingPlan(reading: path, system: control.system)
    }
    night.requests = try ErasurePhase(options: options, control: control).requests()
    night.people.erasures = night.requests?.erasures ?? Erasures()
    let survey = try InputDiscovery.survey(options.read, output: options.publish.output, control)
    night.ignoredFiles = survey.ignoredFiles
    let (report, warning) = try Publication.run(options.publish, as: .of(.output), control) {
      [night] staging throws(Failure) in
      var night = night
      let rejected = try RejectedOutput(staging, options.read, control.system)
      // As many shards as lanes: merging and parsing cost about the same.
      let context = try MergeContext(options, shards: options.read.jobs, in: staging)
      let previous = try readPrevious(into: context, &night)
      try select(survey.inputs, previous, at: staging.output.parent, &night)
      let ingest = try ingest(into: context, &night, in: staging)
      var report = makeReport(of: night, ingest)
      try rejected.refuse(report, control)
      control.begin(.merging)
      let snapshot = try context.publishSnapshot(
        after: previous, read: ingest.counts.totals, erasures: night.people.erasures,
        options: options,
        to: staging, control)
      try staging.redactRejects(naming: Erasures(devices: snapshot.tally.devices), options, control)
      try report.complete(
        with: snapshot, night.requests, previous: previous?.run?.stateHashes ?? [], in: staging)
      return report
    }
    return report.ended(warning: warning)
  }

  /// The findings of the run, step by step.
  private struct Night {
    let clock = StopWatch()
    /// The keys whose data is suppressed, by the night before, the requests and the logs.
    var people = PrivacyFindings()
    var requests: ErasureRequests?
    var tracking: TrackingPlan?
    var ignoredFiles = IgnoredFiles()
    var before: NightBefore?
    var selection = InputSelection(all: [])
  }

  private func readPrevious(
    into context: MergeContext, _ night: inout Night
  ) throws(Failure) -> PreviousState? {
    let previous = try PreviousPhase(
      options: options, erasures: night.people.erasures, control: control,
      partitions: 0..<options.snapshot.partitions
    ).run(into: context)
    night.people.erasures = previous?.erasures ?? night.people.erasures
    night.before = options.merge.previous.map {
      NightBefore($0, totals: previous?.totals ?? [], system: control.system)
    }
    return previous
  }

  private func select(
    _ found: [InputFile], _ previous: PreviousState?, at path: String, _ night: inout Night
  ) throws(Failure) {
    night.selection = try InputSelection(
      found, previous: previous?.run?.manifest, reingest: options.merge.reingest, control: control)
    if options.late == nil { try night.selection.checkUnchanged() }
    let inputs = night.selection.inputs
    try SpillForecast(
      inputs, memory: MemoryShare.logs(options.read.memory),
      previous: previous?.run?.manifest.files.reduce(0) { $0 + $1.bytes } ?? 0
    ).check(at: path, control: control)
    guard options.merge.honorsOptOut else { return }
    night.people.consents = try ConsentPhase(
      options: options.read, inputs: inputs, control: control
    ).run(previous?.run)
    control.begin(.reading)
    control.expect(inputs)
  }

  private func ingest(
    into context: MergeContext, _ night: inout Night, in staging: StagedDirectory
  ) throws(Failure) -> IngestOutcome {
    let ingest = try IngestPhase(
      options: options.read, level: options.publish.level, findings: night.people,
      inputs: night.selection.inputs, context: context, control: control, before: night.before,
      tracking: night.tracking
    ).run(rejects: staging.folder.create(RunFiles.rejects))
    if !options.merge.reingest { try night.selection.check(ingest.outcomes) }
    night.people.erasures.note(ingest.tally.suppressed)
    return ingest
  }

  private func makeReport(of night: Night, _ ingest: IngestOutcome) -> RunReport {
    RunReport(
      options: options, erasures: night.people.erasures, selection: night.selection,
      ignoredFiles: night.ignoredFiles, ingest: ingest, clock: night.clock,
      stamp: control.stamp(of: options.publish.output), before: night.before)
  }
}
