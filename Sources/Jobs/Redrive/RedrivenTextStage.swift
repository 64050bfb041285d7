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
///
/// A redriven log that is verified is written in the same form. There a record without a complete
/// note gets an empty one, so that its line differs from the expected form.
struct RedrivenTextStage: Stage {
  static let name = "canonical"

  /// Writes the lines of the unit. Complexity: O(bytes written).
  mutating func process(_ unit: WorkUnit) {
    unit.text.removeAll()
    unit.textLines = 0
    let (batch, redriven) = (unit.batch, unit.notes.redriven)
    for index in batch.records.indices
    where CanonicalWriter.append(record: index, of: batch, to: &unit.text) {
      let record = batch.records[index]
      if let earlier = RedrivenNote(of: record, in: batch.tape) {
        earlier.append(to: &unit.text, in: batch.tape)
      } else if redriven.lines.isEmpty {
        RedrivenNote.append("", 0, 0, record.countedDialect, to: &unit.text)
      } else {
        let origin = redriven.lines[Int(record.line)]
        RedrivenNote.append(
          redriven.source(of: origin), origin.number, origin.offset, record.countedDialect,
          to: &unit.text)
      }
      unit.text.append(UInt8(ascii: "\n"))
      unit.textLines += 1
    }
  }
}
