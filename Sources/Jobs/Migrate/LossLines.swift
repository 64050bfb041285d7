import Stages
import Pipeline

/// The loss report of a migration: one line per code, with how often it was met and the first
/// places.
enum LossLines {
  /// The text of the file, sorted by code.
  static func text(
    _ losses: [TallyFacts.CodeCount], of inputs: [InputOutcome]
  ) -> ByteBuffer {
    var text = ByteBuffer()
    for loss in sorted(losses) {
      JSONWriter.line(to: &text) { json in
        json.member("code", loss.code.text)
        json.member("count", loss.count)
        loss.writeSamples(to: &json) { inputs[$0].file.path }
      }
    }
    return text
  }

  private static func sorted(_ losses: [TallyFacts.CodeCount]) -> [TallyFacts.CodeCount] {
    losses.sorted { $0.code.text.utf8.lexicographicallyPrecedes($1.code.text.utf8) }
  }
}
