import Pipeline
import Stages

/// The files of an archive, which `migrate` publishes, beside its logs.
package enum ArchiveFiles {
  /// The losses of the migration, one line per code.
  package static let losses = "losses.ndjson"
  static let rejects = RunFiles.rejects
  static let report = RunFiles.report
  static let page = RunFiles.page
  static let manifest = RunFiles.manifest

  /// Names that logs must not have.
  static let reserved = [rejects, losses, report, page, manifest]

  /// Every file of a checkpoint, `#` for numbers.
  static let ofCheckpoint =
    [ArchiveCheckpoint.optionsFile, "facts-#.json"].flatMap { [$0, "\($0).saving-#"] }
    + ["log-#.ndjson.zst", "rejects-#.ndjson.zst"]

  /// Writes the loss report: a line per code, sorted, with its count and the first positions.
  static func writeLosses(
    _ losses: [TallyFacts.CodeCount], of inputs: [InputOutcome], to staging: StagedDirectory
  ) throws(Failure) {
    let paths = inputs.map(\.file.path)
    let text = LossLine.text(
      of: losses.map { LossLine(code: $0.code.text, loss: $0.reported(of: paths)) })
    try staging.folder.write(text.view, to: self.losses, lines: losses.count)
  }
}
