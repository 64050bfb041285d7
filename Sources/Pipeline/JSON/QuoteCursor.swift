/// A position between two tokens of a line of JSON without white space and with known quotes.
///
/// Every quote before the position has been passed, and the byte before it is not a backslash. So a
/// quote at the position is the next one of the index, and the following one ends the text.
///
/// Invariants:
/// 1. The line ends with the line feed at `end`; ``margin`` bytes follow it in the block. No token
///    holds a line feed and each is read up to the first byte that does not fit, so ``position``
///    never exceeds `end`, and 16 bytes can be read from any position and from the next one.
/// 2. `quotes` are the positions of the block's quotes in the line, `lastQuote` of them.
/// 3. The block and its index outlive the cursor, and do not change meanwhile.
@safe @frozen @usableFromInline
package struct QuoteCursor {
  /// Bytes of the block that must follow the line.
  @inlinable package static var margin: Int { 32 }

  @usableFromInline let source: UnsafePointer<UInt8>
  @usableFromInline let quotes: UnsafePointer<UInt32>
  @usableFromInline let specials: UnsafePointer<UInt64>
  @usableFromInline let lastQuote: Int
  /// Whether the line is free of special bytes.
  @usableFromInline let isClean: Bool
  /// The beginning of the next token.
  @usableFromInline package var position: Int
  /// Number of quotes passed.
  @usableFromInline var quote = 0
  /// The context for guessing the next name.
  @usableFromInline var context = NextNamePredictor.context(after: 0)

  /// Whether ``margin`` bytes follow the line, so that a cursor can read it.
  @inlinable
  package static func canRead(_ line: LineIndex.Line, of source: ByteView) -> Bool {
    line.range.upperBound + margin <= source.count
  }

  /// A cursor at the beginning of a line that it can read.
  package init(_ line: LineIndex.Line, of source: ByteView, _ index: borrowing LineIndex) {
    precondition(Self.canRead(line, of: source), "a cursor reads beyond the line")
    precondition(
      source[line.range.upperBound] == JSONByte.lineFeed, "a line that is indexed ends with a feed")
    unsafe self.source = source.base
    unsafe quotes = index.start(of: line.quotes)
    unsafe specials = UnsafePointer(index.specials.base)
    lastQuote = line.quotes.count
    isClean = line.isClean
    position = line.range.lowerBound
  }

  /// The byte at `position`, which is in the line or one byte after it.
  @inlinable @inline(__always)
  func byte(at position: Int) -> UInt8 {
    // SAFETY: invariant 1.
    unsafe source[position]
  }

  /// The little-endian integer at `position`.
  @inlinable @inline(__always)
  func word<Word: FixedWidthInteger & BitwiseCopyable>(
    at position: Int, as type: Word.Type = UInt64.self
  ) -> Word {
    // SAFETY: invariant 1.
    unsafe UnsafeRawPointer(source + position).loadUnaligned(as: type).littleEndian
  }

  /// The next byte.
  @inlinable package var byte: UInt8 { @inline(__always) get { byte(at: position) } }

  /// The bytes `range` of the line.
  @inlinable @inline(__always)
  package func bytes(_ range: Range<Int>) -> ByteView {
    // SAFETY: invariant 1.
    unsafe ByteView(base: source + range.lowerBound, count: range.count)
  }

  /// Skips `expected` if it is the next byte; returns whether it was.
  @inlinable @inline(__always)
  package mutating func pass(_ expected: UInt8) -> Bool {
    guard byte == expected else { return false }
    position &+= 1
    return true
  }

  /// Skips a text with its quotes and returns its range without them; nil for another token.
  @inlinable @inline(__always)
  package mutating func text() -> Range<Int>? {
    guard byte(at: position) == JSONByte.quote, quote &+ 1 < lastQuote else { return nil }
    let start = position &+ 1
    // SAFETY: invariant 2 and the line above.
    let end = Int(unsafe quotes[quote &+ 1])
    position = end &+ 1
    quote &+= 2
    return unsafe Range(uncheckedBounds: (start, end))
  }

  /// Skips the name of a field and its colon, and returns the name's number in `names`; 0 when it
  /// has none, has special bytes, or another token begins here.
  @inlinable @inline(__always)
  package mutating func name(in names: InternTable) -> UInt16 {
    let text = position &+ 1
    if byte(at: position) == JSONByte.quote {
      let (low, high) = (word(at: text), word(at: text &+ 8))
      let first = names.guesses.first(at: context)
      if first.begins(low, high), isEnd(text &+ Int(first.length)) { return pass(first, text) }
      let second = names.guesses.second(at: context)
      if second.begins(low, high), isEnd(text &+ Int(second.length)) { return pass(second, text) }
    }
    return otherName(in: names)
  }

  /// Whether a name ends at `position`, which is at most 16 bytes after a quote.
  @inlinable @inline(__always)
  func isEnd(_ position: Int) -> Bool {
    word(at: position, as: UInt16.self) == JSONByte.quoteAndColon
  }

  @inlinable @inline(__always)
  mutating func pass(_ guess: NextNamePredictor.Guess, _ text: Int) -> UInt16 {
    position = text &+ Int(guess.length) &+ 2
    quote &+= 2
    context = NextNamePredictor.context(after: guess.number)
    return guess.number
  }

  /// The same for a name that was not expected here.
  @usableFromInline @inline(never)
  mutating func otherName(in names: InternTable) -> UInt16 {
    // A name with escapes is another one than its bytes, so it must not be learnt.
    guard let range = text(), !range.isEmpty, !hasSpecial(in: range), pass(JSONByte.colon) else {
      return 0
    }
    let number = names.number(
      of: bytes(range), word(at: range.lowerBound), word(at: range.lowerBound &+ 8),
      learntAt: context)
    context = NextNamePredictor.context(after: number)
    return number
  }

  /// Skips the number that begins here, as JSON defines it, and returns it as an entry with that
  /// `next`; nil for one with an exponent, or another token.
  @inlinable @inline(__always)
  package mutating func number(next: Int) -> TapeEntry? {
    let start = position
    let first = byte(at: start) == JSONByte.minus ? start &+ 1 : start
    var end = digitsEnd(first)
    guard end > first, byte(at: first) != JSONByte.zero || end == first &+ 1 else { return nil }
    var kind = TapeKind.integer
    if byte(at: end) == JSONByte.point {
      kind = .double
      let fraction = end &+ 1
      end = digitsEnd(fraction)
      if end == fraction { return nil }
    }
    position = end
    return TapeEntry(start: start, length: end &- start, next: next, kind: kind)
  }

  /// The position after the digits at `position`, if any.
  @inlinable @inline(__always)
  func digitsEnd(_ position: Int) -> Int {
    var end = position
    while true {
      let others = DecimalDigits.others(in: word(at: end) ^ DecimalDigits.zeros)
      if others != 0 { return end &+ others.trailingZeroBitCount &>> 3 }
      end &+= 8
    }
  }

  /// Skips `true` or `false`, and returns whether one of them begins here.
  @inlinable @inline(__always)
  package mutating func boolean() -> Bool {
    let word = word(at: position, as: UInt32.self)
    if word == 0x6575_7274 {
      position &+= 4
      return true
    }
    guard word == 0x736C_6166, byte(at: position &+ 4) == UInt8(ascii: "e") else { return false }
    position &+= 5
    return true
  }

  /// Skips `null`, and returns whether it begins here.
  @inlinable @inline(__always)
  package mutating func null() -> Bool {
    guard word(at: position, as: UInt32.self) == 0x6C6C_756E else { return false }
    position &+= 4
    return true
  }

  /// Skips an object: `member` skips each field. Returns their number, at least one; nil for
  /// another token or an empty object, or when `member` returned false.
  @inlinable @inline(__always)
  package mutating func members(_ member: (inout Self) -> Bool) -> Int? {
    pass(JSONByte.openBrace) ? list(until: JSONByte.closeBrace, member) : nil
  }

  /// The same for an array and its items.
  @inlinable @inline(__always)
  package mutating func items(_ item: (inout Self) -> Bool) -> Int? {
    pass(JSONByte.openBracket) ? list(until: JSONByte.closeBracket, item) : nil
  }

  /// The same for the fields or items from here on, up to `close`.
  @inlinable @inline(__always)
  package mutating func list(until close: UInt8, _ element: (inout Self) -> Bool) -> Int? {
    var count = 0
    repeat {
      guard element(&self) else { return nil }
      count &+= 1
    } while pass(JSONByte.comma)
    guard pass(close) else { return nil }
    context = NextNamePredictor.context(closed: context)
    return count
  }

  /// Whether one of the bytes of `range`, which is not empty, is special.
  @inlinable @inline(__always)
  package func hasSpecial(in range: Range<Int>) -> Bool {
    if isClean { return false }
    // SAFETY: there is a word for each 64 bytes of the block.
    let (first, last) = (range.lowerBound &>> 6, (range.upperBound &- 1) &>> 6)
    let before = UInt64(truncatingIfNeeded: range.lowerBound & 63)
    let behind = UInt64(truncatingIfNeeded: 63 &- (range.upperBound &- 1) & 63)
    // Whether a text is in one word or in two is random, so a branch would be mispredicted.
    let tail = unsafe specials[last] &<< behind
    let head = (first == last ? tail &>> behind : unsafe specials[first]) &>> before
    if head | tail & (first == last ? 0 : ~0) != 0 { return true }
    var word = first &+ 1
    while word < last {
      if unsafe specials[word] != 0 { return true }
      word &+= 1
    }
    return false
  }
}
