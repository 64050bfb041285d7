/// Characters of UTF-8 text (data-model 2, 7). Plain ASCII is checked eight bytes at a time;
/// scalars are decoded from the first other byte on.
@usableFromInline package enum Characters {
  /// Longest name of an event or an attribute, in bytes (data-model 6).
  package static let longestName = 30

  // MARK: Length

  /// The number of extended grapheme clusters, if above `limit`; O(1) for up to `limit` bytes.
  package static func count(_ text: ByteView, moreThan limit: Int) -> Int? {
    guard text.count > limit else { return nil }
    let count = count(text)
    return count > limit ? count : nil
  }

  /// In ASCII only CR LF is a cluster of more than one scalar. Allocates outside ASCII.
  package static func count(_ text: ByteView) -> Int {
    guard UTF8Check.isASCII(text) else { return text.text.count }
    var count = text.count
    var rest = text
    while let feed = rest.firstIndex(of: 0x0A) {
      if feed > 0 && rest[feed - 1] == 0x0D { count -= 1 }
      rest = rest.dropFirst(feed + 1)
    }
    return count
  }

  /// The length in bytes of the first `limit` clusters, and their number if there are more.
  package static func cut(_ text: ByteView, to limit: Int) -> (length: Int, count: Int)? {
    guard let count = count(text, moreThan: limit) else { return nil }
    // In ASCII a carriage return with its line feed is one.
    if UTF8Check.isASCII(text), text.firstIndex(of: 0x0D) == nil { return (limit, count) }
    let string = text.text
    let end = string.index(string.startIndex, offsetBy: limit)
    return (string.utf8.distance(from: string.startIndex, to: end), count)
  }

  // MARK: Letters and digits

  @inlinable @inline(__always)
  package static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }

  @inlinable @inline(__always)
  package static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  // MARK: White space and control characters

  /// Whether `scalar` is white space: `Zs`, tab, U+000A–U+000D, U+0085, U+2028, U+2029.
  package static func isWhiteSpace(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09...0x0D, 0x20, 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F,
      0x3000:
      true
    default: false
    }
  }

  /// O(1) for most texts.
  package static func isBlank(_ text: ByteView) -> Bool {
    if !text.isEmpty && text[0] > 0x20 && text[0] < 0x80 { return false }
    return Scalars(text).allSatisfy(isWhiteSpace)
  }

  /// Whether `text`, of eight or more bytes, consists of visible ASCII characters.
  package static func isGraphicASCII(_ text: ByteView) -> Bool {
    text.count >= 8 && run(in: text, while: isGraphic) == text.count
  }

  package static func containsWhiteSpace(_ text: ByteView) -> Bool {
    Scalars(text, from: run(in: text, while: isGraphic)).contains(where: isWhiteSpace)
  }

  /// Whether `text` has a control character: U+0000–U+001F, U+007F–U+009F.
  package static func hasControlCharacter(_ text: ByteView) -> Bool {
    Scalars(text, from: run(in: text, while: isGraphic)).contains {
      $0.value < 0x20 || 0x7F...0x9F ~= $0.value
    }
  }

  package static func trimmed(_ text: ByteView) -> ByteView { text[trimmedRange(text)] }

  package static func trimmedRange(_ text: ByteView) -> Range<Int> {
    var scalars = Scalars(text)
    var start = 0
    while let scalar = scalars.next(), isWhiteSpace(scalar) { start = scalars.position }
    var end = text.count
    while end > start, let last = Scalars.last(of: text, before: end), isWhiteSpace(last.scalar) {
      end = last.start
    }
    return start..<end
  }

  /// The greatest length up to `limit` bytes that does not split a scalar.
  package static func wholeCharacters(_ text: ByteView, atMost limit: Int) -> Int {
    guard text.count > limit else { return text.count }
    var end = max(limit, 0)
    while end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
    return end
  }

  // MARK: Case

  /// Lower case from U+0080 to U+00FF, where Unicode's tables are slow; nil for other scalars.
  private static func latinLowercase(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    guard 0x80...0xFF ~= scalar.value else { return nil }
    let isCapital = 0xC0...0xDE ~= scalar.value && scalar.value != 0xD7
    return isCapital ? Unicode.Scalar(scalar.value + 0x20) : scalar
  }

  /// Whether ``appendLowercased(_:to:)`` would change `text`.
  package static func needsLowercasing(_ text: ByteView) -> Bool {
    Scalars(text, from: run(in: text, while: isCaseless)).contains { scalar in
      if scalar.isASCII { return "A"..."Z" ~= scalar }
      if let lower = latinLowercase(scalar) { return lower != scalar }
      return !scalar.properties.lowercaseMapping.unicodeScalars.elementsEqual(
        CollectionOfOne(scalar))
    }
  }

  /// By the full Unicode mapping of each scalar, without context (no final sigma) or locale.
  package static func appendLowercased(_ text: ByteView, to buffer: inout ByteBuffer) {
    let unchanged = run(in: text, while: isCaseless)
    buffer.append(text[0..<unchanged])
    for scalar in Scalars(text, from: unchanged) {
      if scalar.isASCII {
        buffer.append(lowercased(UInt8(truncatingIfNeeded: scalar.value)))
      } else if let lower = latinLowercase(scalar) {
        buffer.append(lower)
      } else {
        for mapped in scalar.properties.lowercaseMapping.unicodeScalars { buffer.append(mapped) }
      }
    }
  }

  /// Any byte but a capital letter is unchanged.
  @inlinable package static func lowercased(_ byte: UInt8) -> UInt8 {
    byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
  }

  // MARK: Names

  /// The classification of a text as a name: not one, without or with capital letters.
  @frozen package enum NameShape: UInt8, BitwiseCopyable, Sendable {
    case none, lowercase, mixed

    @inlinable package var isName: Bool { rawValue != Self.none.rawValue }
    @inlinable package var isMixed: Bool { rawValue == Self.mixed.rawValue }
  }

  /// Whether `text` is a name: ASCII `[A-Za-z0-9_]`, 1 to ``longestName`` of them (data-model 6).
  package static func isName(_ text: ByteView) -> Bool { nameShape(text).isName }

  /// Eight bytes at a time.
  package static func nameShape(_ text: ByteView) -> NameShape {
    let count = text.count
    guard 1...longestName ~= count else { return .none }
    var other: UInt64 = 0
    var capitals: UInt64 = 0
    if count >= 8 {
      var position = 0
      while position + 8 < count {
        classify(text.word64(at: position), &other, &capitals)
        position += 8
      }
      classify(text.word64(at: count - 8), &other, &capitals)
    } else {
      // With valid bytes after them.
      let rest = (eachByte * 0x61) << UInt64(8 * count)
      classify(text.head64 | rest, &other, &capitals)
    }
    if other != 0 { return .none }
    return capitals == 0 ? .lowercase : .mixed
  }

  /// Marks, by the high bit of each byte, bytes that are invalid in a name, and capital letters.
  @inline(__always)
  private static func classify(_ word: UInt64, _ other: inout UInt64, _ capitals: inout UInt64) {
    // The sums do not carry into other bytes, because the high bits are removed first.
    let ascii = word & ~highBits
    let lower = ascii | eachByte * 0x20
    let fromA = lower + eachByte * (0x80 - 0x61)
    let behindZ = lower + eachByte * (0x80 - 0x7B)
    let letters = fromA & ~behindZ
    let from0 = ascii + eachByte * (0x80 - 0x30)
    let behind9 = ascii + eachByte * (0x80 - 0x3A)
    let underscores = highBits - (ascii ^ eachByte * 0x5F)
    other |= (~(letters | from0 & ~behind9 | underscores) | word) & highBits
    capitals |= letters & ~(word << 2) & highBits
  }

  // MARK: Eight bytes at a time

  @usableFromInline static var highBits: UInt64 { 0x8080_8080_8080_8080 }
  @usableFromInline static var eachByte: UInt64 { 0x0101_0101_0101_0101 }

  /// Number of leading bytes in words that pass `test`: whole words, or all bytes.
  @inline(__always)
  private static func run(in text: ByteView, while test: (UInt64) -> Bool) -> Int {
    guard text.count >= 8 else { return 0 }
    var position = 0
    while position + 8 <= text.count {
      guard test(text.word64(at: position)) else { return position }
      position += 8
    }
    // The last word overlaps the one before.
    return test(text.word64(at: text.count - 8)) ? text.count : position
  }

  /// Whether all eight bytes are visible ASCII, 0x21 to 0x7E. (Without a byte above 0x7F, adding 1
  /// and 0x5F to each byte does not carry; bit 7 then marks 0x7F, and 0x21 or more.)
  @inline(__always) private static func isGraphic(_ word: UInt64) -> Bool {
    word & highBits == 0 && (word &+ eachByte) & highBits == 0
      && (word &+ 0x5F &* eachByte) & highBits == highBits
  }

  @inlinable @inline(__always)
  package static func isASCII(_ word: UInt64) -> Bool { word & highBits == 0 }

  /// Eight ASCII bytes with `A` to `Z` in lower case.
  @inlinable @inline(__always)
  package static func lowercased(_ word: UInt64) -> UInt64 { word | capitals(of: word) >> 2 }

  /// Whether all eight bytes are ASCII and none is `A` to `Z`.
  @inline(__always) private static func isCaseless(_ word: UInt64) -> Bool {
    (word | capitals(of: word)) & highBits == 0
  }

  /// Bit 7 of each of eight ASCII bytes that is `A` to `Z`: bit 7 of the sums marks `A` or more,
  /// and more than `Z`; they differ for the letters only.
  @inlinable @inline(__always) static func capitals(of word: UInt64) -> UInt64 {
    ((word &+ 0x3F &* eachByte) ^ (word &+ 0x25 &* eachByte)) & highBits
  }
}
