import Pipeline
import Stages

/// The note at the end of a redriven line with its original position:
///
/// ```json
/// "redriven":{"source":"a.ndjson","line":17,"offset":4711,"dialect":"v1"}
/// ```
struct RedrivenNote {
  /// Tape index of the path.
  private let source: Int
  private let line: Int
  private let offset: Int
  private let dialect: Dialect

  /// The note of a record that was redriven before; nil without a complete one.
  init?(of record: RecordEntry, in tape: Tape) {
    guard let source = record.redrivenNode("source", of: tape), tape.string(at: source) != nil,
      let line = tape.count(at: record.redrivenNode("line", of: tape)),
      let offset = tape.count(at: record.redrivenNode("offset", of: tape))
    else { return nil }
    (self.source, self.line, self.offset) = (source, line, offset)
    dialect = record.countedDialect
  }

  /// Inserts the note at the end of the record that `text` ends with.
  func append(to text: inout ByteBuffer, in tape: Tape) {
    Self.append(tape.bytes(at: source), line, offset, dialect, to: &text)
  }

  /// The same for a line of the input `source`.
  static func append(
    _ source: ByteView, _ line: Int, _ offset: Int, _ dialect: Dialect, to text: inout ByteBuffer
  ) {
    // Before the brace that ends the record.
    text.truncate(to: text.count - 1)
    text.append(",\"redriven\":")
    append(source, line, offset, to: &text)
    text.append(",\"dialect\":\"")
    text.append(text: dialect.name)
    text.append("\"}}")
  }

  /// Begins the object with the position of a line, as in rejects.
  static func append(_ source: ByteView, _ line: Int, _ offset: Int, to text: inout ByteBuffer) {
    text.append("{\"source\":")
    text.appendJSONString(source)
    text.append(",\"line\":")
    text.append(decimal: line)
    text.append(",\"offset\":")
    text.append(decimal: offset)
  }
}
