/// A position between two tokens of a line of JSON that has no white space between its tokens.
///
/// For readers that take what is usual and leave every other line to the ``Scanner``: a token that
/// is not there is an answer, not a fault. What it passes is JSON only if ``isPlain(from:to:_:)``
/// says so of the whole line at its end: until then a text may hold control characters, even line
/// feeds.
///
/// Invariants:
/// 1. The source is a sealed block: the last byte of its content is a line feed, a quote and zeros
///    follow. No text ends behind that quote, and no other token holds a line feed or a zero, so
///    ``position`` is at most one behind the quote, and 62 bytes can be read from it.
/// 2. The block outlives the cursor, and does not change meanwhile.
/// 3. `guesses` are those of the table of names, which outlives the cursor, too. They have all
///    slots: a table that has them keeps them.
@safe @frozen @usableFromInline package struct TokenCursor: BitwiseCopyable {
  @usableFromInline let source: UncheckedBytes
  @usableFromInline let guesses: UnsafePointer<NextNamePredictor.Pair>
  /// The beginning of the next token; set to the end of one that another cursor has read.
  @usableFromInline package var position: Int
  /// The context for guessing the next name (``NextNamePredictor``).
  @usableFromInline var context = NextNamePredictor.context(after: 0)

  /// At the beginning of `block`, which has lines; their names are numbered in `names`.
  package init(_ block: Block, _ names: InternTable) {
    names.guesses.prepare()
    unsafe guesses = UnsafePointer(names.guesses.pairs.slots.base)
    let bytes = block.bytes
    precondition(
      bytes.count > 0 && bytes[bytes.count - 1] == JSONByte.lineFeed && block.isSealed,
      "a line ends with a feed, in a sealed block")
    // SAFETY: invariants 1 and 2.
    source = unsafe UncheckedBytes(bytes, padding: Block.padding)
    position = 0
  }

  @inlinable @inline(__always) package func line(at start: Int) -> TokenCursor {
    var line = self
    line.position = start
    return line
  }

  @inlinable package var byte: UInt8 { @inline(__always) get { source[position] } }

  /// The position behind a value without content, null or an empty text; nil for any other.
  @inlinable package var endOfNothing: Int? {
    @inline(__always) get {
      let word = source.word(at: position, as: UInt32.self)
      return if word & 0xFFFF == JSONByte.quotes {
        position &+ 2
      } else if word == JSONByte.null {
        position &+ 4
      } else {
        nil
      }
    }
  }

  @inlinable @inline(__always) package func bytes(_ range: Range<Int>) -> ByteView {
    source.view(from: range.lowerBound, to: range.upperBound)
  }

  /// Skips `expected`; returns whether it was the next byte.
  @inlinable @inline(__always) package mutating func pass(_ expected: UInt8) -> Bool {
    guard byte == expected else { return false }
    position &+= 1
    return true
  }

  /// Ends an object or array; returns whether `close` was the next byte.
  @inlinable @inline(__always) package mutating func close(_ close: UInt8) -> Bool {
    context = NextNamePredictor.context(closed: context)
    return pass(close)
  }

  // MARK: - Lines

  /// The end of the line, without a carriage return before it; nil unless the next byte is that.
  @inlinable @inline(__always) package var lineEnd: (text: Int, feed: Int)? {
    let feed = byte == JSONByte.carriageReturn ? position &+ 1 : position
    return source[feed] == JSONByte.lineFeed ? (position, feed) : nil
  }

  /// Whether the bytes that were passed from `start` to `end` have no control character, and no
  /// other backslashes than those of `escapes`. Complexity: O(bytes), 32 at a time.
  @inlinable @inline(__always)
  package func isPlain(from start: Int, to end: Int, _ escapes: Int) -> Bool {
    guard end &- start >= 32 else { return countSpecials(from: start, to: end) == escapes }
    if !source.hasSpecials(end &- start, at: start) { return true }
    return escapes > 0 && countSpecials(from: start, to: end) == escapes
  }

  @usableFromInline @inline(never) func countSpecials(from start: Int, to end: Int) -> Int {
    var (position, count) = (start, 0)
    while position < end {
      let (controls, _, backslashes) = source.stringParts64(at: position)
      var specials = controls | backslashes
      if end &- position < 64 { specials &= 1 &<< UInt64(end &- position) &- 1 }
      count += specials.nonzeroBitCount
      position += 64
    }
    return count
  }

  // MARK: - Texts

  /// Skips what a quote begins, up to the next quote, and returns the range between them; nil for
  /// another token. The text goes on behind it if ``isEscaped(_:)``.
  @inlinable @inline(__always) package mutating func text() -> Range<Int>? {
    let start = position &+ 1
    guard source[position] == JSONByte.quote else { return nil }
    var end = start
    while true {
      // There is a quote from any position on that is in the content.
      let quotes = source.quotes32(at: end)
      if quotes != 0 {
        end &+= quotes.trailingZeroBitCount
        break
      }
      end &+= 32
    }
    position = end &+ 1
    return unsafe Range(uncheckedBounds: (start, end))
  }

  /// Whether there is a backslash before the quote that ends the range.
  @inlinable @inline(__always) package func isEscaped(_ range: Range<Int>) -> Bool {
    source[range.upperBound &- 1] == JSONByte.backslash
  }

  /// Skips the text that begins at `start`, and returns its range and the number of its
  /// backslashes; nil unless all its escapes are canonical, `\"` and `\\`.
  @inline(never)
  package mutating func escapedText(from start: Int) -> (range: Range<Int>, backslashes: Int)? {
    var (end, backslashes) = (start, 0)
    while source[end] != JSONByte.quote {
      if source[end] == JSONByte.backslash {
        end += 1
        backslashes += source[end] == JSONByte.backslash ? 2 : 1
        guard source[end] == JSONByte.quote || source[end] == JSONByte.backslash else { return nil }
      } else if source[end] < JSONByte.space {
        return nil
      }
      end += 1
    }
    position = end + 1
    return (start..<end, backslashes)
  }

  // MARK: - Containers

  /// Most objects and arrays around a value that is skipped.
  private static var deepest: Int { 16 }

  /// The position behind the object or array that begins here; nil if it has escapes or is not
  /// JSON.
  @inline(never) package func skippedContainer(depth: Int = 1) -> Int? {
    guard depth <= TokenCursor.deepest else { return nil }
    var cursor = self
    let isObject = byte == JSONByte.openBrace
    let close = isObject ? JSONByte.closeBrace : JSONByte.closeBracket
    cursor.position &+= 1
    if cursor.pass(close) { return cursor.position }
    repeat {
      if isObject {
        guard let name = cursor.text(), !cursor.isEscaped(name), cursor.pass(JSONByte.colon) else {
          return nil
        }
      }
      switch cursor.byte {
      case JSONByte.quote:
        guard let text = cursor.text(), !cursor.isEscaped(text) else { return nil }
      case JSONByte.openBrace, JSONByte.openBracket:
        guard let end = cursor.skippedContainer(depth: depth + 1) else { return nil }
        cursor.position = end
      default:
        let scalar = cursor.scalar()
        guard scalar.kind != .object else { return nil }
        cursor.position = scalar.end
      }
    } while cursor.pass(JSONByte.comma)
    return cursor.pass(close) ? cursor.position : nil
  }

  // MARK: - Names

  /// Skips the name of a field and its colon; its number in `names`, 0 for none and another token.
  @inlinable @inline(__always) package mutating func name(in names: InternTable) -> UInt16 {
    let text = position &+ 1
    if source[position] == JSONByte.quote {
      let (low, high) = (source.word(at: text), source.word(at: text &+ 8))
      // SAFETY: invariant 3. A copy of a pair would cost more than the comparison.
      let pair = unsafe guesses + (context & (NextNamePredictor.most - 1))
      let first = unsafe pair.pointee.first
      if first.begins(low, high), isEnd(text &+ Int(first.length)) { return pass(first, text) }
      let second = unsafe pair.pointee.second
      if second.begins(low, high), isEnd(text &+ Int(second.length)) { return pass(second, text) }
    }
    // Not a mutating call: the cursor stays in registers.
    let other = otherName(in: names)
    (position, context) = (other.end, NextNamePredictor.context(after: other.number))
    return other.number
  }

  /// Whether a name ends at `position`, which is at most 16 bytes after a quote.
  @inlinable @inline(__always) func isEnd(_ position: Int) -> Bool {
    source.word(at: position, as: UInt16.self) == JSONByte.quoteAndColon
  }

  @inlinable @inline(__always)
  mutating func pass(_ guess: NextNamePredictor.Guess, _ text: Int) -> UInt16 {
    position = text &+ Int(guess.length) &+ 2
    context = NextNamePredictor.context(after: guess.number)
    return guess.number
  }

  /// The number of a name that was not expected here, and the position behind its colon.
  @usableFromInline @inline(never)
  func otherName(in names: InternTable) -> (number: UInt16, end: Int) {
    let start = position &+ 1
    guard source[position] == JSONByte.quote else { return (0, position) }
    var end = start
    while true {
      let stops = source.stringStops16(at: end)
      if stops != 0 {
        end &+= stops.trailingZeroBitCount
        break
      }
      end &+= 16
    }
    // A name with escapes is another one than its bytes, so it must not be learnt.
    guard isEnd(end), end > start else { return (0, position) }
    let number = names.number(
      of: bytes(start..<end), source.word(at: start), source.word(at: start &+ 8), learntAt: context
    )
    return (number, end &+ 2)
  }

  // MARK: - Numbers and literals

  /// The kind of the number, `true`, `false` or `null` that begins here, and the position behind
  /// it; `.object` for a number with an exponent, and for another token.
  @inlinable @inline(__always) package func scalar() -> (kind: TapeKind, end: Int) {
    let first = byte == JSONByte.minus ? position &+ 1 : position
    let end = digitsEnd(first)
    if end == first { return literal() }
    // A zero is the only digit before a point. What follows is not checked: nothing that a line may
    // have there is an exponent.
    if source[first] == JSONByte.zero, end > first &+ 1 { return (.object, position) }
    guard source[end] == JSONByte.point else { return (.integer, end) }
    let fraction = digitsEnd(end &+ 1)
    return fraction == end &+ 1 ? (.object, position) : (.double, fraction)
  }

  /// The position after the digits at `position`, if any.
  @inlinable @inline(__always) func digitsEnd(_ position: Int) -> Int {
    var end = position
    while true {
      let others = DecimalDigits.others(in: source.word(at: end) ^ DecimalDigits.zeros)
      if others != 0 { return end &+ others.trailingZeroBitCount &>> 3 }
      end &+= 8
    }
  }

  @inlinable @inline(__always) func literal() -> (kind: TapeKind, end: Int) {
    switch source.word(at: position, as: UInt32.self) {
    case 0x6575_7274: (.true, position &+ 4)
    case 0x6C6C_756E: (.null, position &+ 4)
    case 0x736C_6166 where source[position &+ 4] == 0x65: (.false, position &+ 5)
    default: (.object, position)
    }
  }
}
