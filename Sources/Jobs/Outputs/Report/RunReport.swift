package import Pipeline
package import Stages

/// The report of a run, for people and dashboards (`report.json` and `report.html`,
/// docs/reference/file-formats.md). The outputs that differ from run to run.
package struct RunReport: Sendable {
  let options: RunOptions
  /// The keys whose data was suppressed.
  var erasures = Erasures()
  /// The inputs that earlier nights have read, and those that were skipped for that.
  let selection: InputSelection
  /// Files in the named directories that are not inputs; empty where partials were merged.
  package var ignoredFiles = IgnoredFiles()
  private(set) var ingest: IngestOutcome
  private(set) var snapshot: PublishedSnapshot?
  let clock: StopWatch
  package private(set) var stamp: RunStamp
  var before: NightBefore?
  var refusal: String?
  var requests: ErasureRequests?
  var files: [WrittenFile] = []
  /// Wall-clock seconds, up to its end.
  package private(set) var seconds = 0.0
  /// A problem after the output was published: an earlier output that could not be removed.
  package private(set) var warning: Failure?

  func ended(warning: Failure? = nil) -> RunReport {
    var report = self
    (report.seconds, report.warning) = (clock.seconds, warning)
    return report
  }

  func checkLedger() throws(Failure) { try ingest.checkLedger(counted: snapshot?.accepted) }

  /// Adds what was published and requested, checks the ledger, and writes manifest and reports.
  /// `previous` are the hashes of the state that the run continues; `elsewhere` are files that are
  /// listed and not in `staging`.
  mutating func complete(
    with snapshot: PublishedSnapshot, _ requests: ErasureRequests?, previous: [UInt64],
    elsewhere: [WrittenFile] = [], in staging: StagedDirectory
  ) throws(Failure) {
    ingest = ingest.takingBack(snapshot.tally.duplicates)
    ingest.tally.forget(
      Erasures(devices: snapshot.tally.devices), keys: options.read.rules.foreign.identityKeys)
    (self.snapshot, self.requests, files) = (snapshot, requests, staging.listed + elsewhere)
    try checkLedger()
    var manifest = Manifest(
      .output, by: stamp.tool, recorded, inputs: ingest.outcomes,
      selection: selection)
    manifest.previousState = previous
    try manifest.write(listing: files.map { ManifestOutput(file: $0) }, to: staging)
    try write(to: staging)
  }

  mutating func write(to staging: StagedDirectory) throws(Failure) {
    stamp.end(clock)
    try staging.folder.write(json, to: RunFiles.report)
    try staging.folder.write(page, to: RunFiles.page)
  }
}

extension RunReport {
  /// Inputs with the content of another one of this run.
  package var repeated: [RepeatedInput] { RepeatedInput.among(ingest.outcomes) }

  /// What `night` found, and the logs of this night that are left out.
  var late: LateFiles {
    var late = options.late ?? LateFiles()
    late.changed += selection.changed.map(\.path)
    return late
  }

  package var stages: [StageTime] { ingest.times.stages + (snapshot.map { [$0.time] } ?? []) }
  /// Bytes of the files that the manifest lists; of the rejects alone when nothing was published.
  package var outputBytes: Int { files.reduce(0) { $0 + $1.bytes } }
}

/// What commands show of the report of a run.
extension RunReport {
  package var facts: TallyFacts { ingest.tally }
  package var ledger: Ledger { ingest.total }
  /// Whether there is an output; else there are only rejects and reports.
  package var isPublished: Bool { snapshot != nil }
  package var profiles: Int { snapshot?.tally.lines ?? 0 }
  package var eventNames: Int { snapshot?.eventNames ?? 0 }
  package var inputs: Int { ingest.outcomes.count }
  package var skipped: [RepeatedInput] {
    selection.alreadyRead.map { RepeatedInput(path: $0.path, first: $0.earlier) }
  }
  package var alreadyRead: Int { skipped.count }
  /// Inputs whose new lines only were read.
  package var grownInputs: Int { ingest.outcomes.count { $0.file.start != nil } }
  /// Logs of a night that have lost what an earlier one has read under their name.
  package var changedInputs: [String] { selection.changed.map(\.path) }
  /// Inputs that begin with what an earlier night has read under another name.
  package var overlapping: [RepeatedInput] { selection.overlapping }
  /// Inputs that could not be read to their end (`--keep-going`).
  package var lost: [Failure] { ingest.outcomes.compactMap(\.lost) }
  package var inputBytes: Int { ingest.outcomes.compressedBytes }
  package var bytes: Int { ingest.outcomes.decompressedBytes }
  package var slowestStage: (name: String, share: Double)? { stages.slowest }
  package var erased: [ErasureOutcome] {
    snapshot.map { requests?.outcomes($0, facts.suppressed) ?? [] } ?? []
  }
  /// When those without a time were carried out, in milliseconds since 1970.
  package var erasedAt: Int? {
    requests?.erasures.needsMoment ?? false ? options.merge.moment : nil
  }
  package var tracking: TrackingCheck? { ingest.tracking }
}

extension ReadDays.FarEvents {
  /// A sentence for each kind that there is, without a full stop.
  package var sentences: [String] {
    [
      (ahead, "\(NumberFormat.count(ReadDays.mostDaysAhead, "day")) after the newest day"),
      (behind, "\(NumberFormat.count(ReadDays.mostDaysBehind, "day")) before the busiest day"),
    ].compactMap { count, bound in
      if count == 0 { return nil }
      return "\(NumberFormat.count(count, "event is", "events are")) more than \(bound)"
    }
  }
}

extension RunReport {
  /// The events over the time that the page shows, in at most `most` columns without a gap.
  package func activity(atMost most: Int) -> [TimeBin] {
    TimeBin.cover(ingest.activity.shownHours, atMost: most)
  }
}
