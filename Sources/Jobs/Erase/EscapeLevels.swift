import Pipeline

/// Unescapes a text level by level: the text itself, the text with its escapes decoded, and so on
/// until nothing is left to decode, as in JSON texts in queries of URLs in strings of JSON texts.
///
/// Escapes are those of JSON strings, `%XX` of URLs, and the references of HTML: `&#39;`, `&#x27;`,
/// `&nbsp;`, and the five names of XML. For one thread.
struct EscapeLevels: ~Copyable {
  /// Number of levels decoded separately. Each level of JSON doubles the length; contrived texts
  /// with more are searched once with all levels decoded.
  private static let most = 32
  /// Longest escape in bytes, a surrogate pair.
  private static let longest = 12

  private var decoded = ByteBuffer()
  private var next = ByteBuffer()
  private var character = ByteBuffer()

  init() {}

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

  /// A truncated text without an incomplete escape at its end.
  static func withoutOpenEscape(_ text: ByteView) -> ByteView {
    for start in max(0, text.count - longest + 1)..<text.count where isIntroducer(text[start]) {
      let rest = text.dropFirst(start + 1)
      let isHex = { (range: Range<Int>) in range.allSatisfy { JSONByte.hexValue(rest[$0]) != nil } }
      let isOpen =
        switch text[start] {
        case UInt8(ascii: "%"): rest.count < 2 && isHex(0..<rest.count)
        case UInt8(ascii: "&"):
          (0..<rest.count).allSatisfy {
            rest[$0] == UInt8(ascii: "#") || Characters.isName(rest[$0..<$0 + 1])
          }
        default:
          rest.isEmpty
            || rest[0] == UInt8(ascii: "u") && isHex(1..<min(5, rest.count))
              && (rest.count < 5 || isHighSurrogate(rest) && isOpenPair(rest.dropFirst(5)))
        }
      if isOpen { return text[0..<start] }
    }
    return text
  }

  private static func isHighSurrogate(_ unit: ByteView) -> Bool {
    JSONByte.hexValue(unit[1]) == 0xD && (8...11).contains(JSONByte.hexValue(unit[2]) ?? 0)
  }

  /// Whether a text after the first half of a pair may be part of the second.
  private static func isOpenPair(_ rest: ByteView) -> Bool {
    rest.isEmpty
      || rest.count < 6 && rest[0] == UInt8(ascii: "\\")
        && (rest.count == 1 || rest[1] == UInt8(ascii: "u"))
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
      while decodeLast() {}
    }
  }

  /// Decodes the escape that ends `decoded`; false when there is none.
  private mutating func decodeLast() -> Bool {
    for start in max(0, decoded.count - Self.longest)..<decoded.count {
      character.removeAll()
      let length = Self.append(escapeAt: start, of: decoded.view, to: &character)
      guard length > 0, start + length == decoded.count else { continue }
      decoded.truncate(to: start)
      decoded.append(character.view)
      return true
    }
    return false
  }

  /// Appends the character of the escape at `position`, and returns the length of that; 0 when
  /// there is none.
  private static func append(
    escapeAt position: Int, of text: ByteView, to out: inout ByteBuffer
  ) -> Int {
    switch text[position] {
    case UInt8(ascii: "%"):
      guard let byte = number(text, position + 1, digits: 2) else { return 0 }
      out.append(UInt8(byte))
      return 3
    case UInt8(ascii: "\\"):
      guard let (scalar, length) = escaped(text, position + 1) else { return 0 }
      out.append(scalar)
      return 1 + length
    case UInt8(ascii: "&"):
      let rest = text[position..<min(position + longest, text.count)]
      guard let end = rest.firstIndex(of: UInt8(ascii: ";")),
        let scalar = referenced(by: rest[1..<end])
      else { return 0 }
      out.append(scalar)
      return end + 1
    default: return 0
    }
  }

  /// The character after a backslash, and its length in bytes; nil when it is not an escape.
  private static func escaped(
    _ text: ByteView, _ position: Int
  ) -> (scalar: Unicode.Scalar, length: Int)? {
    guard position < text.count else { return nil }
    switch text[position] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
      return (Unicode.Scalar(text[position]), 1)
    case UInt8(ascii: "b"): return ("\u{8}", 1)
    case UInt8(ascii: "f"): return ("\u{C}", 1)
    case UInt8(ascii: "n"): return ("\n", 1)
    case UInt8(ascii: "r"): return ("\r", 1)
    case UInt8(ascii: "t"): return ("\t", 1)
    case UInt8(ascii: "u"):
      guard let unit = number(text, position + 1, digits: 4) else { return nil }
      if let scalar = Unicode.Scalar(unit) { return (scalar, 5) }
      guard unit < 0xDC00, position + 6 < text.count, text[position + 5] == UInt8(ascii: "\\"),
        text[position + 6] == UInt8(ascii: "u"),
        let second = number(text, position + 7, digits: 4), 0xDC00...0xDFFF ~= second,
        let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + second - 0xDC00)
      else { return nil }
      return (scalar, 11)
    default: return nil
    }
  }

  /// The character of a reference in HTML, without `&` and `;`.
  private static func referenced(by name: ByteView) -> Unicode.Scalar? {
    if name.starts(with: "#") {
      let isHex = name.count > 1 && name[1] | 0x20 == UInt8(ascii: "x")
      let digits = name.dropFirst(isHex ? 2 : 1)
      return UInt32(digits.text, radix: isHex ? 16 : 10).flatMap(Unicode.Scalar.init)
    }
    return switch name {
    case "amp": "&"
    case "lt": "<"
    case "gt": ">"
    case "quot": "\""
    case "apos": "'"
    case "nbsp": "\u{A0}"
    default: nil
    }
  }

  /// The value of that many hexadecimal digits.
  private static func number(_ text: ByteView, _ position: Int, digits: Int) -> UInt32? {
    guard position + digits <= text.count else { return nil }
    var number: UInt32 = 0
    for index in position..<position + digits {
      guard let digit = JSONByte.hexValue(text[index]) else { return nil }
      number = number << 4 | digit
    }
    return number
  }
}
