import Pipeline

/// What is kept of a job with more rejects than `--max-rejects` allows: the rejects and the reports, in
/// a directory of their own beside the output.
struct RejectedOutput {
  private let staging: StagedDirectory
  private let files: [String]

  /// What is kept are `files` of `staging`.
  init(_ staging: StagedDirectory, files: [String]) {
    self.staging = staging
    self.files = files
  }

  private var name: String { staging.output.name + ".rejected" }

  /// Finds out, before the work begins, whether they may be put there.
  ///
  /// - Throws: `usage`, when something else stands there; `io`.
  func checkPlace(_ system: System) throws(Failure) {
    try StagedDirectory.check(
      staging.output.beside(name), existing: .replace(marks: files), system: system)
  }

  /// Ends a job with more rejects than its options allow: only these files are kept.
  ///
  /// - Throws: `rejects`, when there are more; `defect`, when the ledger does not add up; as
  ///   ``publish(_:_:_:)``.
  func refuse(_ report: RunReport, _ control: JobControl) throws(Failure) {
    guard let limit = report.options.maxRejects, report.merge.exceeds(limit) else { return }
    try report.checkLedger()
    try report.write(to: staging)
    let failure = try publish(report.merge, limit, control)
    control.tell(rejected: report.summary(warning: nil))
    throw failure
  }

  /// Publishes them, and returns the failure to end with: there are more than `limit` allows.
  ///
  /// - Throws: `io`; what the job was cancelled with.
  func publish(
    _ ingest: IngestOutcome, _ limit: RejectLimit, _ control: JobControl
  ) throws(Failure) -> Failure {
    try control.beginPublishing()
    try staging.publish(only: files, as: name)
    return ingest.tally.failure(
      limit, besides: ingest.lostLines, path: staging.output.beside(name),
      advice: "nothing was published; look into the rejects and the report there, or raise "
        + "--max-rejects")
  }
}
