package import Pipeline
import Stages

/// The report of a run, for people and dashboards (`report.json` and `report.html`,
/// docs/reference/file-formats.md): ledger, losses, rejects by reason, activity, times. The outputs
/// that differ from run to run.
package struct RunReport: Sendable {
  let options: RunOptions
  /// Whose data was suppressed.
  var erasures = Erasures()
  /// The inputs that earlier nights have read, and those that were skipped for that.
  let selection: InputSelection
  /// Files in the named directories that are not inputs; empty where partials were merged.
  package var ignoredFiles = IgnoredFiles()
  private(set) var ingest: IngestOutcome
  /// Nil until it is published.
  private(set) var snapshot: PublishedSnapshot?
  let clock: StopWatch
  /// When, where and how the run was made.
  package private(set) var stamp: RunStamp
  /// The run whose output this one continues.
  var before: NightBefore?
  /// Why nothing was published; nil when it was.
  var refusal: String?
  /// The requests for erasure.
  var requests: ErasureRequests?
  /// The files listed in the manifest.
  var files: [WrittenFile] = []
  /// Wall-clock seconds, up to its end.
  package private(set) var seconds = 0.0
  /// A problem after the output was published: an earlier output that could not be removed.
  package private(set) var warning: Failure?

  /// The report of a run that has ended.
  func ended(warning: Failure? = nil) -> RunReport {
    var report = self
    (report.seconds, report.warning) = (clock.seconds, warning)
    return report
  }

  /// Checks that every line is accounted for exactly once.
  ///
  /// - Throws: `defect` when the ledger of an input or of the run does not balance.
  func checkLedger() throws(Failure) { try ingest.checkLedger(counted: snapshot?.accepted) }

  /// Adds what was published and what was requested, checks the ledger, and writes manifest and
  /// reports. `previous` are the hashes of the state that the run continues, and `elsewhere` files
  /// that are listed and not in `staging`.
  ///
  /// - Throws: `defect` when the ledger does not balance; `io`.
  mutating func complete(
    with snapshot: PublishedSnapshot, _ requests: ErasureRequests?, previous: [UInt64],
    elsewhere: [WrittenFile] = [], in staging: StagedDirectory
  ) throws(Failure) {
    ingest = ingest.takingBack(snapshot.duplicates).forgetting(
      Erasures(devices: snapshot.devices), keys: options.read.rules.foreign.identityKeys)
    (self.snapshot, self.requests, files) = (snapshot, requests, staging.listed + elsewhere)
    try checkLedger()
    var manifest = Manifest(
      .output, by: stamp.tool, recorded, inputs: ingest.outcomes,
      selection: selection)
    manifest.previousState = previous
    try manifest.write(listing: files.map { ManifestOutput(file: $0) }, to: staging)
    try write(to: staging)
  }

  /// Ends the run, and writes both files.
  ///
  /// - Throws: `io` when they cannot be written.
  mutating func write(to staging: StagedDirectory) throws(Failure) {
    stamp.end(clock)
    let text = json
    try staging.folder.write(text.view, to: RunFiles.report, lines: 1)
    let page = page
    try staging.folder.write(page.view, to: RunFiles.page, lines: 1)
  }
}

// MARK: - Sums

extension RunReport {
  /// Inputs with the content of another one of this run.
  package var repeated: [RepeatedInput] { RepeatedInput.among(ingest.outcomes) }

  /// What `night` found, and the logs of this night that are left out.
  var late: LateFiles {
    var late = options.late ?? LateFiles()
    late.changed += selection.changed.map(\.path)
    return late
  }

  /// The stages of the run, in flow order.
  package var stages: [StageTime] { ingest.times.stages + (snapshot.map { [$0.time] } ?? []) }

  /// Bytes of the files that the manifest lists; of the rejects alone when nothing was published.
  package var outputBytes: Int { files.reduce(0) { $0 + $1.bytes } }
}
