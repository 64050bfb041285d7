import Stages
import Pipeline

/// The loss report of a migration: one line per code, with how often it was met and the first
/// places.
enum LossLines {
  /// Writes the file, sorted by code.
  /// - Throws: `io`.
  static func write(
    _ losses: [TallyFacts.CodeCount], of inputs: [InputOutcome], to staging: StagedDirectory
  ) throws(Failure) {
    var text = ByteBuffer()
    for loss in losses.sorted(by: { $0.code.text.utf8.lexicographicallyPrecedes($1.code.text.utf8) }
    ) {
      JSONWriter.line(to: &text) { json in
        json.member("code", loss.code.text)
        json.member("count", loss.count)
        loss.writeSamples(to: &json) { inputs[$0].file.path }
      }
    }
    try staging.folder.write(text.view, to: ArchiveFiles.losses, lines: losses.count)
  }
}
