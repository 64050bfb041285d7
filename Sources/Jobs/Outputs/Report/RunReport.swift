import Pipeline
import Stages

/// What a run did, for people and dashboards (`report.json` and `report.html`,
/// docs/reference/file-formats.md): ledger, losses, rejects by reason, activity, times. The outputs
/// that are not the same every time.
///
/// A further part of the report is a file of its own with an extension: one function that writes it
/// into `report.json`, called from `json(seconds:)`, and one that makes a section of the page,
/// called from ``ReportPage``.
struct RunReport {
  let tool: ToolVersion
  let options: RunOptions
  /// Whose data was withheld.
  var erasures = Erasures()
  /// Which inputs earlier nights have read, and which were passed over for that.
  let selection: InputSelection
  /// What was no input, in the directories that were named; nothing where partials were.
  var ignoredFiles = IgnoredFiles()
  private(set) var merge: IngestOutcome
  /// Nil until it is published.
  private(set) var snapshot: PublishedSnapshot?
  let clock: StopWatch
  /// When, where and how the run was.
  let stamp: RunStamp
  /// The run whose output this one continues.
  var before: NightBefore?
  /// Why nothing was published; nil when it was.
  var refusal: String?
  /// Who asked to be erased.
  var requests: ErasureRequests?
  /// The files that were written and are listed in the manifest.
  var files: [WrittenFile] = []

  /// Checks the promise that every line is accounted for exactly once.
  ///
  /// - Throws: `defect` when the ledger of an input or of the run does not add up.
  func checkLedger() throws(Failure) { try merge.checkLedger(counted: snapshot?.accepted) }

  /// Takes in what was published and what was asked for, proves the ledger, and writes manifest and
  /// reports. `previous` are the hashes of the state that the run continues, and `elsewhere` files
  /// that are listed and not in `staging`.
  ///
  /// - Throws: `defect` when the ledger does not add up; `io`.
  mutating func complete(
    with snapshot: PublishedSnapshot, _ requests: ErasureRequests?, previous: [UInt64],
    elsewhere: [WrittenFile] = [], in staging: StagedDirectory
  ) throws(Failure) {
    merge = merge.takingBack(snapshot.duplicates)
    (self.snapshot, self.requests, files) = (snapshot, requests, staging.listed + elsewhere)
    try checkLedger()
    try Manifest(
      tool: tool, options: options, erasures: erasures, inputs: merge.outcomes,
      selection: selection, previous: previous, files: files
    ).write(to: staging)
    try write(to: staging)
  }

  /// Writes both files.
  ///
  /// - Throws: `io` when they cannot be written.
  func write(to staging: StagedDirectory) throws(Failure) {
    let seconds = clock.seconds
    let json = json(seconds: seconds)
    try staging.folder.write(json.view, to: RunFiles.report, lines: 1)
    let page = ReportPage(report: self, seconds: seconds).html()
    try staging.folder.write(page.view, to: RunFiles.page, lines: 1)
  }
}

// MARK: - Sums

extension RunReport {
  /// Inputs with the content of another one of this run.
  var repeated: [RepeatedInput] { RepeatedInput.among(merge.outcomes) }

  /// Everything the run did in parallel, in the order of the flow.
  var stages: [StageTime] { merge.times.stages + (snapshot.map { [$0.time] } ?? []) }

  /// Bytes of ``files``.
  var outputBytes: Int { files.reduce(0) { $0 + $1.bytes } }
}
