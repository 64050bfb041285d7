import Pipeline

/// The rejects and the reports of a job with more rejects than `--max-rejects` allows, in a
/// directory of their own beside the output.
struct RejectedOutput {
  private static let owner = Ownership.of(.rejected)

  private let staging: StagedDirectory
  private let files = [RunFiles.rejects, RunFiles.manifest] + RunFiles.reports

  /// Keeps the rejects and the reports of `staging`. If `options` have a limit, checks before the
  /// work begins that they can be published.
  ///
  /// - Throws: `usage`, when the path is in use; `io`.
  init(_ staging: StagedDirectory, _ options: ReadOptions, _ system: System) throws(Failure) {
    self.staging = staging
    guard options.maxRejects != nil else { return }
    try StagedDirectory.check(
      staging.output.beside(name), replaces: true, owner: Self.owner, system: system)
  }

  private var name: String { staging.output.name + ".rejected" }

  /// Ends a job with more rejects than its options allow: only these files are kept.
  ///
  /// - Throws: `rejects`, when there are more; `defect`, when the ledger does not balance; as
  ///   ``publish(_:_:_:)``.
  func refuse(_ report: RunReport, _ control: JobControl) throws(Failure) {
    guard let limit = report.options.read.maxRejects, report.ingest.exceeds(limit) else { return }
    var report = report
    report.files = [report.ingest.rejects]
    report.refusal = report.ingest.refusal(limit, path: nil, advice: []).why
    try report.checkLedger()
    try report.write(to: staging)
    let failure = try publish(report.ingest, limit, control)
    control.report(rejected: report.ended())
    throw failure
  }

  /// Publishes them, and returns the failure to end with: there are more than `limit` allows.
  ///
  /// - Throws: `io`; the failure that the job was cancelled with.
  func publish(
    _ ingest: IngestOutcome, _ limit: RejectLimit, _ control: JobControl
  ) throws(Failure) -> Failure {
    try Manifest(.rejected, by: control.tool, inputs: ingest.outcomes)
      .write(listing: [ManifestOutput(file: ingest.rejects)], to: staging)
    try control.beginPublishing()
    try staging.publish(only: files, as: name, owner: Self.owner)
    return ingest.refusal(
      limit, path: staging.output.beside(name),
      advice: [
        "nothing was published; inspect the rejects and the report there", "raise --max-rejects",
      ])
  }
}
