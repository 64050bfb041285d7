/// The files of an archive, what `migrate` publishes, beside its logs.
package enum ArchiveFiles {
  /// What was lost in the migration, one line per code.
  package static let losses = "losses.ndjson"
  static let rejects = RunFiles.rejects
  static let report = RunFiles.report
  static let manifest = RunFiles.manifest

  /// The names that no log may have.
  static let reserved = [rejects, losses, report, manifest]

  /// Every file of a checkpoint, `#` for numbers.
  static let ofCheckpoint =
    [ArchiveCheckpoint.optionsFile, "facts-#.json"].flatMap { [$0, "\($0).saving-#"] }
    + ["log-#.ndjson.zst", "rejects-#.ndjson.zst"]
}
