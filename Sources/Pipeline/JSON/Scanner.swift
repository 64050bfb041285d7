/// Turns a line of JSON into tape entries: strict RFC 8259 (data-model 2), without recursion.
///
/// It holds what does not change while a line is scanned. Position, number of entries and depth are
/// variables of one function, so that they stay in registers; rare cases are in other functions.
///
/// ```
/// source  … {"a":1}\n … {"b":[2,3]} \n …
///                       ↑position    ↑end, the sentinel
/// ```
/// Invariants, from `init` on:
/// 1. `position <= end < source.count`, for every position. `init` traps unless the byte at `end`
///   is the line feed or the carriage return that ends the line. That byte is not valid in a
///   string, a number or a literal, so every loop over the bytes of a token stops there at the
///   latest, without a check. White space, which may contain a carriage return, is skipped up to
///   `end` only.
/// 2. `lastVector + 16 <= source.count`: 16 bytes can be read from any position up to `lastVector`.
/// 3. `next + 1 < limit` where a field or an item begins, which is checked there and makes two
///   entries at most, and `limit` entries of the tape are allocated.
///
/// How many entries n bytes can make: every entry but the root owns two bytes alone. A key owns its
/// quotes; a field's value its first byte and the colon before it; an array's item its first byte
/// and the comma before it, or, when it is the first item, the closing bracket. Only the first
/// items of arrays that are still open lack the second byte, and no more than ``maxDepth``
/// containers are open. So `2 × entries <= n + 1 + maxDepth`, and ``room(for:)`` entries are
/// enough, with one to spare.
///
/// The `next` of an open container is the index of the container around it, until it is closed.
@safe package struct Scanner {
  /// Deepest level of a container; the root is level 1 (data-model 2).
  package static let maxDepth = 64

  /// The `next` of the outermost open container.
  private static let noContainer = -1

  let source: UncheckedBytes
  let start: Int
  let end: Int
  let lastVector: Int
  private let entries: UnsafeMutablePointer<TapeEntry>
  private let limit: Int

  /// Scans `line` of the tape's source and appends its entries. It is one line without its line
  /// feed, and without a carriage return before it or with it; the byte at its end is one of these
  /// (a ``Block`` guarantees one), or this traps. It must be valid UTF-8 (``UTF8Check``).
  ///
  /// After `.value(root:)` the entries from `root` to the tape's end are the value. After `.fault`
  /// the tape is unchanged. Complexity: O(`line.count`).
  package static func scan(line: Range<Int>, into tape: Tape) -> ScanResult {
    scan(line, of: tape.source, into: tape, context: NextNamePredictor.context(after: 0))
  }

  /// Scans `line` of `source`, which decoding must not move. The first name is at `context`.
  static func scan(
    _ line: Range<Int>, of source: ByteView, into tape: Tape, context: Int
  ) -> ScanResult {
    let root = tape.count
    let decoded = tape.decoded.count
    // Decoded text is never longer than its source, so the offsets of all strings fit in an entry.
    precondition(decoded + line.count <= UInt32.max, "a tape cannot hold so much text")
    tape.reserve(room(for: line.count))
    let scanner = Scanner(line: line, of: source, tape: tape)
    do throws(ScanFault) {
      let (used, hasSpaces) = try scanner.scanLine(
        from: root, context, into: &tape.decoded, tape.names)
      // SAFETY: the scanner has appended the entries up to there.
      unsafe tape.entries.initialized(to: used)
      tape.hasSpaces = hasSpaces
      return .value(root: root)
    } catch {
      tape.decoded.truncate(to: decoded)
      return .fault(error)
    }
  }

  /// The most entries that a line of `bytes` bytes can make.
  static func room(for bytes: Int) -> Int { (bytes + 1 + maxDepth) / 2 + 2 }

  @inline(__always) private init(line: Range<Int>, of source: ByteView, tape: Tape) {
    precondition(
      line.lowerBound >= 0 && line.upperBound < source.count, "the line is not in the source")
    let sentinel = source[line.upperBound]
    precondition(
      sentinel == JSONByte.lineFeed || sentinel == JSONByte.carriageReturn,
      "the line does not end at its upper bound")
    // SAFETY: invariants 1 and 2; the caller keeps the bytes.
    self.source = unsafe UncheckedBytes(source)
    start = line.lowerBound
    end = line.upperBound
    lastVector = source.count - 16
    unsafe entries = tape.entries.base
    limit = tape.count + Scanner.room(for: line.count)
    precondition(limit <= tape.entries.capacity, "the tape has too little room for the line")
  }

  /// Scans one value with white space around it. The first entry gets the index `next`; returns the
  /// index after the last one, and whether there was white space.
  private func scanLine(
    from next: Int, _ context: Int, into decoded: inout ByteBuffer, _ names: InternTable
  ) throws(ScanFault) -> (used: Int, hasSpaces: Bool) {
    var next = next
    var context = context
    var position = start
    var hasSpaces = false
    /// Index of the innermost open container.
    var open = Scanner.noContainer
    var depth = 0
    var inObject = false

    while true {
      precondition(next &+ 1 < limit, "a line made more entries than its length allows")
      if inObject {
        guard token(&position, &hasSpaces) == JSONByte.quote else {
          throw invalid("a field name", at: position)
        }
        try scanKey(&position, &next, &context, &hasSpaces, &decoded, names)
      }
      // A value begins here.
      let first = token(&position, &hasSpaces)
      if first == JSONByte.quote {
        try scanText(&position, &next, &decoded)
      } else if first | 0x20 == JSONByte.openBrace {
        guard depth < Scanner.maxDepth else {
          throw ScanFault(kind: .tooDeep, offset: position - start, expected: "no deeper container")
        }
        depth &+= 1
        inObject = first == JSONByte.openBrace
        openContainer(inObject ? .object : .array, &open, &position, &next)
        let second = token(&position, &hasSpaces)
        if inObject {
          if second != JSONByte.closeBrace {
            guard second == JSONByte.quote else { throw invalid("a field name or }", at: position) }
            continue
          }
        } else if second != JSONByte.closeBracket {
          continue
        }
      } else {
        let (kind, length, flags) = try scanScalar(first, at: position)
        append(
          TapeEntry(start: position, length: length, next: next &+ 1, kind: kind, flags: flags),
          &next)
        position &+= length
      }

      if try isContinued(&position, &hasSpaces, &open, &inObject, &depth, &context, next) {
        continue
      }
      _ = token(&position, &hasSpaces)
      guard position == end else { throw invalid("the end of the line", at: position, .moreText) }
      return (next, hasSpaces)
    }
  }

  @inline(__always) private func scanText(
    _ position: inout Int, _ next: inout Int, _ decoded: inout ByteBuffer
  ) throws(ScanFault) {
    let text = position &+ 1
    position = plainEnd(text)
    if source[position] == JSONByte.quote {
      append(
        TapeEntry(start: text, length: position &- text, next: next &+ 1, kind: .string), &next)
    } else {
      let entry: TapeEntry
      (entry, position) = try decode(
        .string, from: text, stop: position, next: next &+ 1, &decoded)
      append(entry, &next)
    }
    position &+= 1
  }

  @inline(__always) private func openContainer(
    _ kind: TapeKind, _ open: inout Int, _ position: inout Int, _ next: inout Int
  ) {
    let index = next
    append(TapeEntry(start: position, length: 0, next: open, kind: kind), &next)
    open = index
    position &+= 1
  }

  /// Whether a value follows the one that ended at `position`, or the empty container that is about
  /// to end there; closes the containers that end before it.
  @inline(__always) private func isContinued(
    _ position: inout Int, _ hasSpaces: inout Bool, _ open: inout Int, _ inObject: inout Bool,
    _ depth: inout Int, _ context: inout Int, _ next: Int
  ) throws(ScanFault) -> Bool {
    while depth > 0 {
      let byte = token(&position, &hasSpaces)
      if byte == JSONByte.comma {
        position &+= 1
        return true
      }
      guard byte == (inObject ? JSONByte.closeBrace : JSONByte.closeBracket) else {
        throw invalid(inObject ? "a comma or }" : "a comma or ]", at: position)
      }
      position &+= 1
      close(&open, &inObject, at: position, next: next)
      context = NextNamePredictor.context(closed: context)
      depth &-= 1
    }
    return false
  }

  @inline(__always)
  private func close(_ open: inout Int, _ inObject: inout Bool, at position: Int, next: Int) {
    // SAFETY: an open container's index, its parent's, and that of the key before a field's value
    // are indexes of entries appended before, so below `next`.
    let container = unsafe entries + open
    let parent = Int(Int32(bitPattern: unsafe container.pointee.next))
    unsafe container.pointee.length = UInt32(
      truncatingIfNeeded: position &- Int(container.pointee.start))
    unsafe container.pointee.next = UInt32(truncatingIfNeeded: next)
    open = parent
    guard parent != Scanner.noContainer else { return }
    inObject = unsafe entries[parent].kind == .object
    if inObject { unsafe (container - 1).pointee.next = UInt32(truncatingIfNeeded: next) }
  }

  @inline(__always) private func scanScalar(
    _ first: UInt8, at position: Int
  ) throws(ScanFault) -> (kind: TapeKind, length: Int, flags: UInt8) {
    if Characters.isDigit(first) || first == JSONByte.minus {
      return try scanNumber(first, at: position)
    }
    return try scanLiteral(first, at: position)
  }

  private func scanLiteral(
    _ first: UInt8, at position: Int
  ) throws(ScanFault) -> (kind: TapeKind, length: Int, flags: UInt8) {
    let (text, kind): (ByteView, TapeKind)
    switch first {
    case JSONByte.t: (text, kind) = ("true", .true)
    case UInt8(ascii: "f"): (text, kind) = ("false", .false)
    case JSONByte.n: (text, kind) = ("null", .null)
    default: throw invalid("a value", at: position)
    }
    for length in 0..<text.count {
      // The bytes before this one are the literal's, so none of them is the sentinel.
      guard source[position + length] == text[length] else {
        throw invalid("true, false or null", at: position + length)
      }
    }
    return (kind, text.count, 0)
  }

  @inline(__always) func append(_ entry: TapeEntry, _ next: inout Int) {
    assert(next < limit, "a line made more entries than its length allows")
    // SAFETY: invariant 3.
    unsafe entries[next] = entry
    next &+= 1
  }

  /// Skips white space; returns the next byte, which may be the sentinel.
  @inline(__always) func token(_ position: inout Int, _ hasSpaces: inout Bool) -> UInt8 {
    let byte = source[position]
    if byte > JSONByte.space { return byte }
    let stop = spaceEnd(position)
    if stop > position { hasSpaces = true }
    position = stop
    return source[position]
  }

  @inline(never) private func spaceEnd(_ position: Int) -> Int {
    var position = position
    while position < end && JSONByte.isSpace(source[position]) { position += 1 }
    return position
  }

  func invalid(
    _ expected: StaticString, at position: Int, _ kind: ScanFault.Kind = .invalidJSON
  ) -> ScanFault { ScanFault(kind: kind, offset: position - start, expected: expected) }
}
