/// A whole JSON text that this program writes (a manifest, a report), read at once: strict RFC
/// 8259, with line ends between tokens. For logs there is ``Scanner``, which works per line.
///
/// Immutable; ``JSONValue``s keep it alive. For one thread at a time.
package final class JSONDocument {
  /// Longest document that is read by default, in bytes; its tape takes up to eight times as much.
  package static var longest: Int { 256 << 20 }

  package enum Fault: Error, Equatable {
    case tooLong(limit: Int)
    case invalidUTF8
    /// Also nested too deep; `expected` is valid at that byte offset.
    case invalidJSON(offset: Int, expected: String)

    /// The end of a sentence "it …".
    package var why: String {
      switch self {
      case .tooLong(let limit): "is longer than \(limit) bytes"
      case .invalidUTF8: "is not UTF-8"
      case .invalidJSON(let offset, let expected):
        "is not JSON: at offset \(offset) it should have \(expected)"
      }
    }
  }

  /// A copy of the source, followed by a line end.
  private let text: ByteBuffer
  /// Entry 0 is the root.
  fileprivate let tape: Tape

  package init(_ source: ByteView, limit: Int = JSONDocument.longest) throws(Fault) {
    // Offsets on a tape have 32 bits.
    precondition(limit < Int(UInt32.max), "a document has less than 4 GiB")
    guard source.count <= limit else { throw .tooLong(limit: limit) }
    guard UTF8Check.isValid(source) else { throw .invalidUTF8 }
    var copy = ByteBuffer(capacity: source.count + 1)
    copy.append(source)
    copy.append(JSONByte.lineFeed)
    text = copy
    tape = Tape(capacity: 64, numbersNames: false)
    tape.bind(to: text.view)
    // The scanner accepts line feeds between tokens as white space (RFC 8259, 2).
    if case .fault(let fault) = Scanner.scan(line: 0..<text.count - 1, into: tape) {
      throw .invalidJSON(offset: fault.offset, expected: "\(fault.expected)")
    }
  }

  /// Reads the file `path`; `repair` is what to do when it is damaged.
  /// - Throws: `io` when the file cannot be read; `corrupt` when it is not JSON or too long.
  package convenience init(
    reading path: String, limit: Int = JSONDocument.longest, doing: String,
    system: System = .real, repair: [String] = []
  ) throws(Failure) {
    try self.init(
      reading: PositionedFile(path, doing: doing, system: system), limit: limit, repair: repair)
  }

  package convenience init(
    reading file: PositionedFile, limit: Int = JSONDocument.longest, repair: [String] = []
  ) throws(Failure) {
    var bytes = ByteBuffer()
    // One byte above the limit shows that the file is too long.
    try file.read(0..<min(file.size, limit + 1), into: &bytes)
    do throws(Fault) {
      try self.init(bytes.view, limit: limit)
    } catch {
      throw Failure(
        .corrupt, doing: file.doing, path: file.path, why: "it \(error.why)", advice: repair)
    }
  }

  fileprivate func line(of entry: TapeEntry) -> Int? {
    guard !entry.isDecoded else { return nil }
    let before = text.view[0..<Int(entry.start)]
    return 1 + (0..<before.count).count { before[$0] == JSONByte.lineFeed }
  }

  var source: ByteView { text.view[0..<text.count - 1] }

  package var root: JSONValue { JSONValue(document: self, index: 0) }
}

/// A value in a ``JSONDocument``. Accessors return nil or nothing for one of another kind.
package struct JSONValue: JSONScalar {
  fileprivate let document: JSONDocument
  fileprivate let index: Int

  private var tape: Tape { document.tape }

  /// The position on the tape, valid as long as this value is held.
  package var node: (tape: Tape, index: Int) { (tape, index) }

  package var kind: TapeKind { tape[index].kind }

  /// The value of the field `name` of an object; of repeated fields the last one counts.
  package subscript(name: StaticString) -> JSONValue? {
    tape.member(ByteView(name), of: index).map { JSONValue(document: document, index: $0) }
  }

  /// The items of an array. Complexity: O(items), regardless of their content.
  package var items: [JSONValue] {
    tape.items(of: index).map { JSONValue(document: document, index: $0) }
  }

  /// The fields of an object, in source order, including repeated ones.
  package var members: [(name: String, value: JSONValue)] {
    var members: [(name: String, value: JSONValue)] = []
    tape.forEachMember(of: index) { key in
      members.append((tape.bytes(at: key).text, JSONValue(document: document, index: key + 1)))
    }
    return members
  }

  /// The value's source text, a string with the escapes of ``JSONWriter``.
  package func appendJSON(to buffer: inout ByteBuffer) {
    if let text { buffer.appendJSONString(text) } else { buffer.append(tape.bytes(at: index)) }
  }

  /// The same without quotes and escapes.
  package var source: String { tape.bytes(at: index).text }

  /// The number of the line in which it begins, from 1; nil for a string with escapes. O(offset).
  package var line: Int? { document.line(of: tape[index]) }

  package var text: String? { kind == .string ? tape.bytes(at: index).text : nil }

  /// A number without fraction and exponent that fits in 64 bits.
  package var int: Int? { kind == .integer ? Int(tape.bytes(at: index).text) : nil }

  /// A number as the nearest double; nil when it is out of range.
  package var double: Double? {
    guard kind == .integer || kind == .double, let number = Double(tape.bytes(at: index).text),
      number.isFinite
    else { return nil }
    return number
  }

  package var bool: Bool? {
    kind == .true || kind == .false ? kind == .true : nil
  }
}
