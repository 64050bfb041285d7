import Pipeline
import Stages

/// Writes accepted parts as canonical v2 lines, each with a note of its origin:
///
/// ```json
/// {"identifiers":{…},"events":[…],
///  "redriven":{"source":"a.ndjson","line":17,"offset":4711,"dialect":"v1"}}
/// ```
/// A line that already has such a note, because it comes from an earlier redrive, keeps it: the
/// original position counts. The text goes to the unit's `text`.
struct RedrivenTextStage: Stage {
  static let name = "canonical"

  init() {}

  /// Writes the lines of the unit. Complexity: O(bytes written).
  mutating func process(_ unit: WorkUnit) {
    unit.text.removeAll()
    write(unit.batch, unit.notes.redriven, to: &unit.text)
  }

  private func write(_ batch: RecordBatch, _ redriven: RedrivenLines, to text: inout ByteBuffer) {
    for index in batch.records.indices
    where CanonicalWriter.append(record: index, of: batch, to: &text) {
      let record = batch.records[index]
      let origin = redriven.lines[Int(record.line)]
      if let earlier = RedrivenNote(of: record, in: batch.tape) {
        earlier.append(to: &text, in: batch.tape)
      } else {
        RedrivenNote.append(
          redriven.source(of: origin), origin.number, origin.offset, record.countedDialect,
          to: &text)
      }
      text.append(UInt8(ascii: "\n"))
    }
  }
}
