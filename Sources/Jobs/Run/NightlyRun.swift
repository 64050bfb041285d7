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
      made.inputs, made.alreadyRead, after: previous?.manifest, .output, control)
  }

  /// Finds the logs; then, in a directory beside the output, opens last night's state, reads the
  /// logs, merges both and writes the report; then publishes that directory.
  package func run() throws(Failure) -> RunReport {
    let clock = StopWatch()
    control.plan(
      (options.merge.honorsOptOut ? [.consent] : []) + [.reading, .merging, .publishing])
    let tracking = try options.openTracking(control.system)
    let requests = try ErasurePhase(options: options, control: control).requests()
    let survey = try InputDiscovery.survey(options.read, output: options.publish.output, control)
    let (report, warning) = try Publication.run(options.publish, as: .of(.output), control) {
      staging throws(Failure) in
      let rejected = try RejectedOutput(staging, options.read, control.system)
      // As many shards as lanes: merging and parsing cost about the same.
      let context = try MergeContext(options, shards: options.read.jobs, in: staging)
      let requested = requests?.erasures ?? Erasures()
      let previous = try PreviousPhase(options: options, erasures: requested, control: control)
        .run(into: context)
      let before = options.merge.previous.map {
        NightBefore($0, totals: previous?.totals ?? [], system: control.system)
      }
      let selection = try select(survey.inputs, previous?.run, at: staging.output.parent)
      // The keys whose data is suppressed, by the night before, the requests and the logs.
      var people = PrivacyFindings(erasures: previous?.erasures ?? requested)
      people.consents = try consents(in: selection.inputs, previous?.run)
      let ingest = try IngestPhase(
        options: options, findings: people, inputs: selection.inputs, context: context,
        control: control, before: before, tracking: tracking
      ).run(rejects: staging.folder.create(RunFiles.rejects))
      if !options.merge.reingest { try selection.check(ingest.outcomes) }
      people.erasures.note(ingest.tally.suppressed)
      var report = RunReport(
        options: options, erasures: people.erasures, selection: selection,
        ignoredFiles: survey.ignoredFiles, ingest: ingest, clock: clock,
        stamp: control.stamp(of: options.publish.output), before: before)
      try rejected.refuse(report, control)
      control.begin(.merging)
      let snapshot = try context.publishSnapshot(
        after: previous, read: ingest.counts.totals, erasures: people.erasures, options: options,
        to: staging, control)
      try staging.redactRejects(naming: Erasures(devices: snapshot.tally.devices), options, control)
      try report.complete(
        with: snapshot, requests, previous: previous?.run?.stateHashes ?? [], in: staging)
      return report
    }
    return report.ended(warning: warning)
  }

  private func select(
    _ found: [InputFile], _ previous: Output?, at path: String
  ) throws(Failure) -> InputSelection {
    var selection = try InputSelection(
      found, previous: previous?.manifest, reingest: options.merge.reingest, control: control)
    if options.merge.honorsOptOut { selection.noteStates(control.system) }
    if options.late == nil { try selection.checkUnchanged() }
    try SpillForecast(
      selection.inputs, memory: MemoryShare.logs(options.read.memory),
      previous: previous?.manifest.files.reduce(0) { $0 + $1.bytes } ?? 0
    ).check(at: path, control: control)
    return selection
  }

  /// The consent statements of `inputs` and of the `previous` output, if opt-outs are honored.
  private func consents(
    in inputs: [InputFile], _ previous: Output?
  ) throws(Failure) -> ConsentHistory {
    guard options.merge.honorsOptOut else { return ConsentHistory() }
    let consents = try ConsentPhase(options: options.read, inputs: inputs, control: control)
      .run(previous)
    control.begin(.reading)
    control.expect(inputs)
    return consents
  }
}
