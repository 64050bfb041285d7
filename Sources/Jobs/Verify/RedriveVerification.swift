import Pipeline
import Stages

/// One verification of what a redrive left under way.
struct RedriveVerification {
  private(set) var files: VerifiedFiles
  /// What was found in the log; nil when it is not there.
  private(set) var log: CanonicalLogs.Log?

  /// Who should not be in it.
  var absent: AbsentIDs?

  init(_ files: VerifiedFiles) { self.files = files }

  /// Runs all checks.
  ///
  /// - Throws: what the job was cancelled with.
  mutating func run() throws(Failure) {
    guard let manifest = files.manifest(.redrive) else { return }
    let listing = FolderCheck(
      output: files.output, kind: .redrive, manifest: manifest,
      required: [RunFiles.redriven, ArchiveFiles.losses, ArchiveFiles.rejects])
    files.expect(listing.check(&files.problems))
    if let redriven = files[RunFiles.redriven] {
      log = try files.checkLogs([redriven], .noted, maxLine: Rules.longestLine, absent: absent)
        .first
    }
    let rejects = try checkRejects(manifest)
    let losses = try files.checkLosses(of: nil)
    if let absent {
      try files.look(through: [(RunFiles.rejects, .rejects)], for: absent, manifest)
    }
    guard let report = ReportCheck(in: files.output, manifest: manifest, problems: &files.problems)
    else { return }
    report.checkRedrive(log, entries: rejects?.lines, &files.problems)
    if let losses { report.checkLosses(losses, &files.problems) }
  }

  /// Checks the entries that are left. What was no entry is kept with `--keep-going`; then there
  /// may be anything.
  private mutating func checkRejects(
    _ manifest: ManifestFile
  ) throws(Failure) -> FrameWalk.Outcome? {
    let keepsAll = manifest.option("keep_going")?.bool ?? false
    let lanes = try FrameLane.lanes(files.jobs) { EntryCheck(keepsAll: keepsAll) }
    return try files.walk(RunFiles.rejects, lanes)
  }
}

/// Checks that lines are reject entries; of which inputs, and in which order, a redrive does not
/// know.
private final class EntryCheck: LineCheck {
  let tape = Tape(numbersNames: false)
  let needsObjects: Bool

  /// A check of lines that are entries, unless `keepsAll`.
  init(keepsAll: Bool) { needsObjects = !keepsAll }

  func check(root: Int, findings: FrameFindings, key: inout ByteBuffer) {
    do throws(RejectEntry.Damage) {
      _ = try RejectEntry(root, of: tape)
    } catch {
      findings.add(.badEntry, error.why)
    }
  }
}
