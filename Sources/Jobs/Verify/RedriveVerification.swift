import Pipeline
import Stages

/// One verification of the output of a redrive.
struct RedriveVerification {
  private(set) var files: VerifiedFiles
  /// The findings in the log; nil when it does not exist.
  private(set) var log: CanonicalLogs.Log?

  /// The people who should be absent from it.
  var absent: AbsentIDs?

  init(_ files: VerifiedFiles) { self.files = files }

  /// Runs all checks.
  ///
  /// - Throws: the failure that the job was cancelled with.
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

  /// Checks the remaining entries. With `--keep-going` lines that are not entries are kept, so any
  /// content is valid then.
  private mutating func checkRejects(
    _ manifest: Manifest
  ) throws(Failure) -> FrameWalk.Outcome? {
    let keepsAll = manifest.options["keep_going"]?.bool ?? false
    let lanes = try FrameLane.lanes(files.jobs) { EntryCheck(keepsAll: keepsAll) }
    return try files.walk(RunFiles.rejects, lanes)
  }
}

/// Checks that lines are reject entries; a redrive does not know their inputs and their order.
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
