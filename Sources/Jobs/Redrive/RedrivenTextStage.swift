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
      let note =
        RedrivenNote(of: record, in: batch.tape)
        ?? (redriven.lines.isEmpty
          ? RedrivenNote("", 0, 0)
          : RedrivenNote(redriven.lines[Int(record.line)], of: redriven))
      note.append(record.countedDialect, to: &unit.text)
      unit.text.append(UInt8(ascii: "\n"))
      unit.textLines += 1
    }
  }
}

/// The note at the end of a redriven line with its original position:
///
/// ```json
/// "redriven":{"source":"a.ndjson","line":17,"offset":4711,"dialect":"v1"}
/// ```
struct RedrivenNote {
  private let source: ByteView
  private let line: Int
  private let offset: Int

  init(_ source: ByteView, _ line: Int, _ offset: Int) {
    (self.source, self.line, self.offset) = (source, line, offset)
  }

  init(_ line: RedrivenLines.Line, of redriven: RedrivenLines) {
    self.init(redriven.source(of: line), line.number, line.offset)
  }

  /// The note of a record that was redriven before; nil without a complete one.
  init?(of record: RecordEntry, in tape: Tape) {
    guard let source = tape.string(at: record.redrivenNode("source", of: tape)),
      let line = tape.count(at: record.redrivenNode("line", of: tape)),
      let offset = tape.count(at: record.redrivenNode("offset", of: tape))
    else { return nil }
    self.init(source, line, offset)
  }

  /// Inserts the note at the end of the record that `text` ends with.
  func append(_ dialect: Dialect, to text: inout ByteBuffer) {
    // Before the brace that ends the record.
    text.truncate(to: text.count - 1)
    text.append(",\"redriven\":")
    begin(in: &text)
    text.append(",\"dialect\":\"")
    text.append(text: dialect.name)
    text.append("\"}}")
  }

  /// Begins the object with the position of a line, as in rejects.
  func begin(in text: inout ByteBuffer) {
    text.append("{\"source\":")
    text.appendJSONString(source)
    text.append(",\"line\":")
    text.append(decimal: line)
    text.append(",\"offset\":")
    text.append(decimal: offset)
  }
}
