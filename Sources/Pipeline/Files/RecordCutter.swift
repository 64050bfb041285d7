/// Cuts the content of an input whose records are not its lines: the items of JSON arrays, or
/// objects over several lines (data-model 2).
///
/// Only strings, brackets and line feeds matter here, so a record may be anything. A record of
/// ``Form/objects`` ends with the line that closes its brackets, one of ``Form/array`` before the
/// comma or bracket behind it. A torn record does not take others with it: it ends before a line
/// that begins with a bracket which cannot stand there, unless that belongs to the record: it is
/// further to the right, or, in a record that does not begin its line, within an inner bracket.
/// Positions are relative to the bytes that the caller holds.
struct RecordCutter {
  enum Form {
    /// One JSON array of records, or several, one after the other.
    case array
    /// Objects that take several lines each, one after the other.
    case objects
  }

  /// The form of an input that begins with `beginning`.
  enum Detection: Equatable {
    case lines
    case records(Form)
    /// It depends on what follows.
    case unknown
  }

  /// A record, and what is known about it.
  struct Record {
    /// Its first byte, negative when that was dropped.
    let start: Int
    /// The byte after its last one that is not blank.
    let end: Int
    /// The number of its first line in the file.
    let line: Int
    /// Whether a line feed ended a string in it, so that it is not JSON.
    let isTorn: Bool
    let isClosed: Bool
    /// What counts for its limit: ``RecordCutter/pending`` at its end.
    let length: Int
  }

  private let form: Form
  /// The number of the line that the next byte is in, and where it begins.
  private var (line, lineStart) = (1, 0)
  private var scanned = 0
  private var beginsLine = true
  private var isInArray = false
  /// Where the open array begins, as long as little follows.
  private var bare: Int?

  // The open record:
  private var start: Int?
  private var end = 0
  private var firstLine = 0
  /// The blanks before it in its line; nil if it does not begin the line.
  private var indentation: Int?
  private var depth = 0
  /// One bit for each open bracket, the innermost last: 1 for that of an array.
  private var kinds: UInt64 = 0
  private var isInString = false
  private var isEscaped = false
  private var isTorn = false
  /// The last byte outside of strings that is not blank.
  private var last: UInt8 = 0

  init(_ form: Form) { self.form = form }

  /// Whether an array or a record is open.
  var isOpen: Bool { isInArray || depth > 0 || isInString }

  /// Bytes at the beginning that are not needed any more, but for an open record.
  var settled: Int { start ?? bare ?? scanned }

  /// Bytes of the open record so far, or of the blanks behind it, which must be held, too.
  var pending: Int { start.map { max(end - $0, scanned - end) } ?? 0 }

  mutating func drop(_ count: Int) {
    scanned -= count
    lineStart -= count
    end -= count
    if let start { self.start = start - count }
    bare = bare.map { $0 - count }
  }

  /// Ends the open record if all its brackets are closed.
  mutating func settle() {
    if depth == 0, !isInString { start = nil }
  }

  /// The next record in `bytes`; nil when there is none before their end. Of an input that is at
  /// its end the rest counts. Complexity: O(bytes not seen before).
  mutating func next(in bytes: ByteView, isAtEnd: Bool) -> Record? {
    while scanned < bytes.count {
      let (position, byte) = (scanned, bytes[scanned])
      if isInString, byte != JSONByte.lineFeed {
        scanned += 1
        end = scanned
        if isEscaped {
          isEscaped = false
        } else if byte == JSONByte.quote {
          isInString = false
        } else {
          isEscaped = byte == JSONByte.backslash
        }
        continue
      }
      if beginsLine, isTorn(before: byte) { return finish() }
      scanned += 1
      let isFirst = beginsLine
      beginsLine = byte == JSONByte.lineFeed || beginsLine && JSONByte.isSpace(byte)
      if let record = take(byte, at: position, isFirst: isFirst) { return record }
    }
    guard isAtEnd else {
      // Blanks are not kept.
      if let bare, scanned - bare > Compression.longestMagic { self.bare = nil }
      return nil
    }
    // An array that was cut before its first record is not nothing.
    if start == nil, let bare, isInArray {
      (start, end, depth, self.bare) = (bare, bare + 1, 1, nil)
    }
    return finish()
  }

  /// Takes a byte outside of strings, or a line feed. Returns the record that it ends.
  private mutating func take(_ byte: UInt8, at position: Int, isFirst: Bool) -> Record? {
    switch byte {
    case JSONByte.lineFeed:
      (line, lineStart) = (line + 1, position + 1)
      (isTorn, isInString, isEscaped) = (isTorn || isInString, false, false)
      return !isInArray && depth == 0 ? finish() : nil
    case JSONByte.space, JSONByte.tab, JSONByte.carriageReturn: return nil
    case JSONByte.openBracket where form == .array && !isInArray && start == nil:
      (isInArray, bare, firstLine) = (true, position, line)
      return nil
    case JSONByte.comma where isInArray && depth == 0:
      return finish()
    case JSONByte.closeBracket where isInArray && depth == 0:
      isInArray = false
      return finish()
    case JSONByte.openBrace, JSONByte.openBracket:
      depth += 1
      kinds = kinds << 1 | (byte == JSONByte.openBracket ? 1 : 0)
    case JSONByte.closeBrace, JSONByte.closeBracket:
      depth = max(depth - 1, 0)
      kinds >>= 1
    case JSONByte.quote: isInString = true
    default: break
    }
    if start == nil {
      (start, firstLine, bare) = (position, line, nil)
      indentation = isFirst ? position - lineStart : nil
    }
    (end, last) = (position + 1, byte)
    return nil
  }

  /// Whether the open record is torn, as `byte` is the first of a line that is not blank.
  private mutating func isTorn(before byte: UInt8) -> Bool {
    guard start != nil, byte == JSONByte.openBrace || byte == JSONByte.openBracket,
      indentation.map({ scanned - lineStart <= $0 }) ?? (depth < 2),
      last != JSONByte.openBracket, last != JSONByte.colon,
      last != JSONByte.comma || kinds & 1 == 0
    else { return false }
    if byte == JSONByte.openBracket { isInArray = false }
    return true
  }

  private mutating func finish() -> Record? {
    guard let start else { return nil }
    let record = Record(
      start: start, end: end, line: firstLine, isTorn: isTorn,
      isClosed: depth == 0 && !isInString, length: pending)
    (self.start, depth, kinds, last) = (nil, 0, 0, 0)
    (isInString, isEscaped, isTorn) = (false, false, false)
    return record
  }

  /// Detects the form of an input from its beginning, without a byte order mark.
  static func detect(_ beginning: ByteView, isAtEnd: Bool) -> Detection {
    guard let first = (0..<beginning.count).first(where: { !JSONByte.isSpace(beginning[$0]) })
    else { return isAtEnd ? .lines : .unknown }
    let isArray = beginning[first] == JSONByte.openBracket
    guard isArray || beginning[first] == JSONByte.openBrace else { return .lines }
    let text = beginning.dropFirst(first)
    let end = text.firstIndex(of: JSONByte.lineFeed) ?? text.count
    if isArray { return .records(.array) }
    let next = (end..<text.count).first { index in
      text[index] != JSONByte.lineFeed && text[index] != JSONByte.carriageReturn
    }
    guard let next else { return isAtEnd ? .lines : .unknown }
    var cutter = RecordCutter(.objects)
    _ = cutter.next(in: text[0..<end], isAtEnd: false)
    // A line feed within a string is that of a torn line.
    return text[next] != JSONByte.openBrace && cutter.depth > 0 && !cutter.isInString
      ? .records(.objects) : .lines
  }
}
