import Pipeline

/// Unescapes a text level by level: the text itself, the text with its escapes decoded, and so on
/// until nothing is left to decode, as in JSON texts in queries of URLs in strings of JSON texts.
///
/// Escapes are those of JSON strings, `\xXX` and `\u{X…}` of programming languages, `%XX` of
/// URLs, `%uXXXX` of JavaScript's `escape`, and the references of HTML: `&#39;`, `&#x27;`,
/// `&nbsp;`, and the five names of XML, also without `;`.
/// For one thread.
struct EscapeLevels: ~Copyable {
  /// Number of levels decoded separately. Each level of JSON doubles the length; contrived texts
  /// with more are searched once with all levels decoded.
  private static let most = 32
  /// Longest escape in bytes, a surrogate pair.
  private static let longest = 12

  private var decoded = ByteBuffer()
  private var next = ByteBuffer()
  private var character = ByteBuffer()

  /// Whether `body` holds for one of the texts. Complexity: O(`text.count`) per level.
  mutating func contains(_ text: ByteView, _ body: (ByteView) -> Bool) -> Bool {
    if body(text) { return true }
    guard Self.hasIntroducer(text), Self.decode(text, into: &decoded) else { return false }
    for _ in 0..<Self.most {
      if body(decoded.view) { return true }
      guard Self.decode(decoded.view, into: &next) else { return false }
      swap(&decoded, &next)
    }
    decodeCompletely(text)
    return body(decoded.view)
  }

  /// One escape of every form. A text that begins an escape becomes whole with an end of one of
  /// them.
  private static let whole: [StaticString] = [
    "\\n", "\\x00", "\\u0000", "\\u{0}", "\\uD800\\uDC00", "%00", "%u0000", "%uD800%uDC00",
  ]

  /// A truncated text without an incomplete escape at its end.
  static func withoutOpenEscape(_ text: ByteView) -> ByteView {
    for start in max(0, text.count - longest + 1)..<text.count where isIntroducer(text[start]) {
      let rest = text.dropFirst(start + 1)
      let isOpen =
        if text[start] == UInt8(ascii: "&") {
          (0..<rest.count).allSatisfy {
            rest[$0] == UInt8(ascii: "#") || Characters.isName(rest[$0..<$0 + 1])
          }
        } else {
          whole.contains { isCompleted(text.dropFirst(start), by: ByteView($0)) }
        }
      if isOpen { return text[0..<start] }
    }
    return text
  }

  /// Whether some end of `escape` makes an escape of a text.
  private static func isCompleted(_ beginning: ByteView, by escape: ByteView) -> Bool {
    var text = ByteBuffer()
    var character = ByteBuffer()
    return (1..<escape.count).contains { end in
      text.removeAll()
      text.append(beginning)
      text.append(escape.dropFirst(end))
      return append(escapeAt: 0, of: text.view, to: &character) == text.count
    }
  }

  // MARK: - Decoding

  private static func isIntroducer(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "%") || byte == UInt8(ascii: "&")
  }

  private static func hasIntroducer(_ text: ByteView) -> Bool {
    text.firstIndex(of: UInt8(ascii: "\\")) != nil || text.firstIndex(of: UInt8(ascii: "%")) != nil
      || text.firstIndex(of: UInt8(ascii: "&")) != nil
  }

  /// Writes a text with its escapes decoded once into `out`; false when it has none.
  private static func decode(_ text: ByteView, into out: inout ByteBuffer) -> Bool {
    out.removeAll()
    var isChanged = false
    var position = 0
    while position < text.count {
      let length = append(escapeAt: position, of: text, to: &out)
      if length == 0 { out.append(text[position]) } else { isChanged = true }
      position += max(length, 1)
    }
    return isChanged
  }

  /// Decodes a text until no escape is left: a decoded character may complete another escape.
  private mutating func decodeCompletely(_ text: ByteView) {
    decoded.removeAll()
    for index in 0..<text.count {
      decoded.append(text[index])
      let next = index + 1 < text.count ? text[index + 1] : nil
      while decodeLast(before: next) {}
    }
  }

  /// Decodes the escape that ends `decoded`, which `next` follows; false when there is none.
  private mutating func decodeLast(before next: UInt8?) -> Bool {
    for start in max(0, decoded.count - Self.longest)..<decoded.count {
      character.removeAll()
      let length = Self.append(escapeAt: start, of: decoded.view, before: next, to: &character)
      guard length > 0, start + length == decoded.count else { continue }
      decoded.truncate(to: start)
      decoded.append(character.view)
      return true
    }
    return false
  }

  /// Appends the character of the escape at `position`, and returns the length of that; 0 when
  /// there is none. The text ends there, or goes on with `next`.
  private static func append(
    escapeAt position: Int, of text: ByteView, before next: UInt8? = nil, to out: inout ByteBuffer
  ) -> Int {
    switch text[position] {
    case UInt8(ascii: "%"):
      if let (scalar, length) = unit(text, position + 1, introducer: UInt8(ascii: "%")) {
        out.append(scalar)
        return 1 + length
      }
      guard let byte = text.hexNumber(at: position + 1, digits: 2) else { return 0 }
      out.append(UInt8(byte))
      return 3
    case UInt8(ascii: "\\"):
      // Of a character in UTF-8, as servers write it; in ASCII it is the character.
      if position + 1 < text.count, text[position + 1] == UInt8(ascii: "x") {
        guard let byte = text.hexNumber(at: position + 2, digits: 2) else { return 0 }
        out.append(UInt8(byte))
        return 4
      }
      guard let (scalar, length) = escaped(text, position + 1) else { return 0 }
      out.append(scalar)
      return 1 + length
    case UInt8(ascii: "&"):
      let rest = text[position..<min(position + longest, text.count)]
      let end = endOfReference(rest)
      guard let scalar = referenced(by: rest[1..<end]) else { return 0 }
      let follower = position + end < text.count ? text[position + end] : next
      if follower == UInt8(ascii: ";") {
        guard end < rest.count else { return 0 }
        out.append(scalar)
        return end + 1
      }
      // A number may have further digits.
      if end == rest.count, rest[1] == UInt8(ascii: "#"),
        follower.map({ isDigit($0, of: rest) }) ?? false
      {
        return 0
      }
      out.append(scalar)
      return end
    default: return 0
    }
  }

  /// The character after a backslash, and its length in bytes; nil when it is not an escape.
  private static func escaped(
    _ text: ByteView, _ position: Int
  ) -> (scalar: Unicode.Scalar, length: Int)? {
    guard position < text.count else { return nil }
    if let index = ByteView(letters).firstIndex(of: text[position]) { return (escapes[index], 1) }
    guard text[position] == UInt8(ascii: "u") else { return nil }
    return braced(text, position + 1) ?? unit(text, position, introducer: UInt8(ascii: "\\"))
  }

  /// The letters after a backslash, and the characters that they stand for.
  private static let letters: StaticString = "\"\\/bfnrt"
  private static let escapes: [Unicode.Scalar] = [
    "\"", "\\", "/", "\u{8}", "\u{C}", "\n", "\r", "\t",
  ]

  /// The character of one to six digits in braces, and the length in bytes with the `u` before
  /// them; nil for anything else.
  private static func braced(
    _ text: ByteView, _ position: Int
  ) -> (scalar: Unicode.Scalar, length: Int)? {
    guard position < text.count, text[position] == UInt8(ascii: "{") else { return nil }
    var end = position + 1
    while end < min(text.count, position + 7), JSONByte.hexValue(text[end]) != nil { end += 1 }
    guard end < text.count, text[end] == UInt8(ascii: "}"),
      let number = text.hexNumber(at: position + 1, digits: end - position - 1),
      end > position + 1, let scalar = Unicode.Scalar(number)
    else { return nil }
    return (scalar, end - position + 2)
  }

  /// The character of `uXXXX`, or of two of them with the introducer between them, and its length
  /// in bytes; nil for anything else.
  private static func unit(
    _ text: ByteView, _ position: Int, introducer: UInt8
  ) -> (scalar: Unicode.Scalar, length: Int)? {
    guard position < text.count, text[position] == UInt8(ascii: "u"),
      let unit = text.hexNumber(at: position + 1, digits: 4)
    else { return nil }
    if let scalar = Unicode.Scalar(unit) { return (scalar, 5) }
    guard unit < 0xDC00, position + 6 < text.count, text[position + 5] == introducer,
      text[position + 6] == UInt8(ascii: "u"),
      let second = text.hexNumber(at: position + 7, digits: 4), 0xDC00...0xDFFF ~= second,
      let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + second - 0xDC00)
    else { return nil }
    return (scalar, 11)
  }

  private static let names: [(name: StaticString, scalar: Unicode.Scalar)] = [
    ("amp", "&"), ("lt", "<"), ("gt", ">"), ("quot", "\""), ("apos", "'"), ("nbsp", "\u{A0}"),
  ]

  /// The end of the reference that a text begins with: of its digits, or of a known name, which
  /// other letters may follow; 1 without either.
  private static func endOfReference(_ text: ByteView) -> Int {
    let body = text.dropFirst(1)
    guard body.starts(with: "#") else {
      return 1 + (names.first { body.starts(with: ByteView($0.name)) }?.name.utf8CodeUnitCount ?? 0)
    }
    var end = isHex(text) ? 3 : 2
    while end < text.count, isDigit(text[end], of: text) { end += 1 }
    return end
  }

  private static func isHex(_ reference: ByteView) -> Bool {
    reference.count > 2 && reference[2] | 0x20 == UInt8(ascii: "x")
  }

  private static func isDigit(_ byte: UInt8, of reference: ByteView) -> Bool {
    isHex(reference) ? JSONByte.hexValue(byte) != nil : Characters.isDigit(byte)
  }

  /// The character of a reference in HTML, without `&` and `;`.
  private static func referenced(by name: ByteView) -> Unicode.Scalar? {
    if name.starts(with: "#") {
      let isHex = name.count > 1 && name[1] | 0x20 == UInt8(ascii: "x")
      let digits = name.dropFirst(isHex ? 2 : 1)
      return UInt32(digits.text, radix: isHex ? 16 : 10).flatMap(Unicode.Scalar.init)
    }
    return names.first { ByteView($0.name) == name }?.scalar
  }
}
