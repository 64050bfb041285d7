import CSIMD

/// Turns one line of JSON into tape entries: strict RFC 8259 (SPEC 2), without recursion, without
/// an allocation per line.
///
/// ```
/// source  … {"a":1}\n … {"b":[2,3]} \n …
///                       ↑position    ↑end, the sentinel
/// ```
/// Invariants, from `init` on:
/// 1. `position <= end < source.count`. `init` traps unless the byte at `end` is the line feed or
///    the carriage return that ends the line. That byte can stand neither in a string nor in a
///    number nor in a literal, so every loop over the bytes of a token stops there at the latest,
///    and no byte needs a check of its own. White space, which may hold a carriage return, is
///    skipped up to `end` only.
/// 2. `lastVector + 16 <= source.count`: 16 bytes can be read from any position up to `lastVector`.
/// 3. `used <= limit`, and `limit` entries of the tape are allocated; each append checks it.
///
/// How many entries a line of n bytes can make: every entry but the root owns two bytes that no
/// other entry owns. A key owns its quotes; a member's value its first byte and the colon before
/// it; an array's item its first byte and the comma before it, or, when it is the first item, the
/// closing bracket. Only the first items of arrays that are still open lack the second byte, and no
/// more than ``maxDepth`` containers are open. So `2 × entries <= n + 1 + maxDepth`, and
/// ``room(for:)`` entries are enough.
///
/// The open containers are a stack in the tape itself: the `next` of an open container is the index
/// of the container around it, until the container is closed.
@safe
package struct Scanner {
  /// Deepest level a container may stand at, the root being 1 (SPEC 2).
  package static let maxDepth = 64

  /// The `next` of an open container that nothing surrounds.
  private static let noContainer = -1

  let source: UnsafePointer<UInt8>
  let start: Int
  let end: Int
  let lastVector: Int
  var position: Int
  private let entries: UnsafeMutablePointer<TapeEntry>
  private let limit: Int
  private var used: Int

  /// Scans the bytes `line` of the tape's source and appends their entries.
  ///
  /// `line` is one line without its line feed, and without a carriage return before it or with it.
  /// The byte at `line.upperBound` must be the line feed or carriage return that ends the line (a
  /// ``Block`` promises one after every line); anything else traps, as does a range outside the
  /// source. The line must be valid UTF-8, which is checked before (``UTF8Check``).
  ///
  /// After `.value(root:)` the entries from `root` to the tape's end are the value. After `.fault`
  /// the tape is as it was. Complexity: O(`line.count`).
  package static func scan(line: Range<Int>, into tape: inout Tape) -> ScanResult {
    let root = tape.used
    let decoded = tape.decoded.count
    // Decoding never makes a text longer, so the offsets of all its strings fit an entry.
    precondition(decoded + line.count <= UInt32.max, "a tape cannot hold so much text")
    tape.reserve(room(for: line.count))
    var scanner = Scanner(line: line, tape: tape)
    do throws(ScanFault) {
      try scanner.scanLine(into: &tape.decoded)
      tape.used = scanner.used
      return .value(root: root)
    } catch {
      tape.decoded.truncate(to: decoded)
      return .fault(error)
    }
  }

  /// How many entries a line of `bytes` bytes can make at most.
  static func room(for bytes: Int) -> Int { (bytes + 1 + maxDepth) / 2 + 1 }

  private init(line: Range<Int>, tape: borrowing Tape) {
    precondition(
      line.lowerBound >= 0 && line.upperBound < tape.source.count, "the line is not in the source")
    let sentinel = tape.source[line.upperBound]
    precondition(
      sentinel == JSONByte.lineFeed || sentinel == JSONByte.carriageReturn,
      "the line does not end where it was said to")
    unsafe source = tape.source.base
    start = line.lowerBound
    end = line.upperBound
    lastVector = tape.source.count - 16
    position = line.lowerBound
    unsafe entries = tape.entries
    used = tape.used
    limit = used + Scanner.room(for: line.count)
    precondition(limit <= tape.capacity, "the tape has too little room for the line")
  }

  /// Scans the whole line: one value, white space around it, nothing else.
  private mutating func scanLine(into decoded: inout ByteBuffer) throws(ScanFault) {
    /// Index of the innermost open container.
    var open = Scanner.noContainer
    var depth = 0
    var inObject = false

    scanning: while true {
      // A value begins here.
      let first = nextByte()
      switch first {
      case JSONByte.quote:
        try scanString(.string, span: 1, into: &decoded)
      case JSONByte.openBrace, JSONByte.openBracket:
        guard depth < Scanner.maxDepth else {
          throw ScanFault(.tooDeep, offset: position - start, expected: "no deeper container")
        }
        depth += 1
        inObject = first == JSONByte.openBrace
        let index = used
        append(
          TapeEntry(start: position, length: 0, next: open, kind: inObject ? .object : .array))
        open = index
        position += 1
        let second = nextByte()
        if inObject {
          if second != JSONByte.closeBrace {
            try scanKey(second, orElse: "a member name or }", into: &decoded)
            continue scanning
          }
        } else if second != JSONByte.closeBracket {
          continue scanning
        }
      case JSONByte.minus, JSONByte.zero...JSONByte.nine:
        try scanNumber(first)
      case JSONByte.t:
        try scanLiteral("true", .true)
      case JSONByte.f:
        try scanLiteral("false", .false)
      case JSONByte.n:
        try scanLiteral("null", .null)
      default:
        throw invalid("a value")
      }

      // A value ended here, or an empty container is about to.
      while depth > 0 {
        let byte = nextByte()
        if byte == JSONByte.comma {
          position += 1
          if inObject { try scanKey(nextByte(), orElse: "a member name", into: &decoded) }
          continue scanning
        }
        guard byte == (inObject ? JSONByte.closeBrace : JSONByte.closeBracket) else {
          throw invalid(inObject ? "a comma or }" : "a comma or ]")
        }
        position += 1
        close(&open, &inObject)
        depth -= 1
      }
      _ = nextByte()
      guard position == end else { throw invalid("the end of the line") }
      return
    }
  }

  /// Gives the innermost open container its length and its `next`, and makes the one around it the
  /// innermost.
  @inline(__always)
  private mutating func close(_ open: inout Int, _ inObject: inout Bool) {
    let index = open
    // SAFETY: an open container's index, its parent's, and that of the key before a member's value
    // are indexes of entries appended before, so below `used`.
    let parent = Int(Int32(bitPattern: unsafe entries[index].next))
    unsafe entries[index].length = UInt32(
      truncatingIfNeeded: position - Int(entries[index].start))
    unsafe entries[index].next = UInt32(truncatingIfNeeded: used)
    open = parent
    guard parent != Scanner.noContainer else { return }
    inObject = unsafe entries[parent].kind == .object
    if inObject { unsafe entries[index - 1].next = UInt32(truncatingIfNeeded: used) }
  }

  /// Scans a member's name and the colon after it. The key's `next` is right for a value of one
  /// entry; ``close`` mends it for a container.
  @inline(__always)
  private mutating func scanKey(
    _ first: UInt8, orElse expected: StaticString, into decoded: inout ByteBuffer
  ) throws(ScanFault) {
    guard first == JSONByte.quote else { throw invalid(expected) }
    try scanString(.key, span: 2, into: &decoded)
    guard nextByte() == JSONByte.colon else { throw invalid("a colon") }
    position += 1
  }

  /// Scans `true`, `false` or `null`.
  @inline(__always)
  private mutating func scanLiteral(
    _ literal: StaticString, _ kind: TapeKind
  ) throws(ScanFault) {
    let text = ByteView(literal)
    var length = 0
    while length < text.count {
      // SAFETY: the bytes before this one are the literal's, so none of them is the sentinel.
      guard unsafe source[position + length] == text[length] else {
        position += length
        throw invalid("true, false or null")
      }
      length += 1
    }
    appendScalar(kind, length: length)
  }

  /// Appends the entry of a value that begins at `position` and moves behind it.
  @inline(__always)
  mutating func appendScalar(_ kind: TapeKind, length: Int) {
    append(TapeEntry(start: position, length: length, next: used + 1, kind: kind))
    position += length
  }

  /// Appends the entry of a string or key; `span` entries on, what belongs to it ends.
  @inline(__always)
  mutating func appendText(
    _ kind: TapeKind, start: Int, length: Int, span: Int, flags: UInt8 = 0
  ) {
    append(TapeEntry(start: start, length: length, next: used + span, kind: kind, flags: flags))
  }

  @inline(__always)
  private mutating func append(_ entry: TapeEntry) {
    precondition(used < limit, "a line made more entries than its length allows")
    // SAFETY: invariant 3 and the line above.
    unsafe entries[used] = entry
    used += 1
  }

  /// Skips white space and returns the byte it stops at: the first one that is none, or the
  /// sentinel.
  @inline(__always)
  private mutating func nextByte() -> UInt8 {
    // SAFETY: invariant 1.
    var byte = unsafe source[position]
    while byte <= JSONByte.space && JSONByte.isSpace(byte) && position < end {
      position += 1
      byte = unsafe source[position]
    }
    return byte
  }

  /// The fault at the current position.
  func invalid(_ expected: StaticString) -> ScanFault {
    ScanFault(.invalidJSON, offset: position - start, expected: expected)
  }
}
