import Pipeline

/// Parses texts of lines for `verify --absent`: escapes, strings and numbers, of valid JSON and of
/// invalid or truncated lines.
enum AbsentText {
  /// Writes a text with its JSON escapes decoded, once or, if decoding produces further escapes,
  /// completely.
  static func decode(_ text: ByteView, all: Bool, into out: inout ByteBuffer) {
    var offset = 0
    while offset < text.count {
      guard text[offset] == 0x5C else {
        out.append(text[offset])
        offset += 1
        continue
      }
      // For any number of backslashes here, written as such or as \u005c, the innermost text has
      // one.
      var next = offset + 1
      while all, next < text.count {
        if text[next] == 0x5C {
          next += 1
        } else if number(text, next) == 0x5C {
          next += 5
        } else {
          break
        }
      }
      next = append(text, next, to: &out)
      offset = next
    }
  }

  /// The bytes of a text with each `%XX` as one byte.
  static func decodePercents(_ text: [UInt8]) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(text.count)
    var rest = text[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      if byte == 0x25, digits.count == 2, !digits.contains(0x2B), !digits.contains(0x2D),
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      {
        decoded.append(value)
        rest.removeFirst(2)
      } else {
        decoded.append(byte)
      }
    }
    return decoded
  }

  /// Appends the character after backslashes at `offset`, and returns the position after it.
  private static func append(_ text: ByteView, _ offset: Int, to out: inout ByteBuffer) -> Int {
    if offset == text.count { return offset }
    if let unit = number(text, offset) {
      var (value, end) = (unit, offset + 5)
      // The second half of a pair may have any number of backslashes before it.
      var next = end
      while next < text.count, text[next] == 0x5C { next += 1 }
      if 0xD800..<0xDC00 ~= unit, next > end, let low = number(text, next), 0xDC00..<0xE000 ~= low {
        value = 0x10000 + (unit - 0xD800) * 0x400 + (low - 0xDC00)
        end = next + 5
      }
      out.append(text: Unicode.Scalar(value).map { String($0) } ?? "\u{FFFD}")
      return end
    }
    let plain: [UInt8: UInt8] = [
      0x62: 0x08, 0x66: 0x0C, 0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09, 0x22: 0x22, 0x2F: 0x2F,
      0x5C: 0x5C,
    ]
    guard let byte = plain[text[offset]] else {
      out.append(0x5C)
      return offset
    }
    out.append(byte)
    return offset + 1
  }

  /// The number of `uXXXX` at `offset`; nil for anything else.
  private static func number(_ text: ByteView, _ offset: Int) -> UInt32? {
    guard offset + 5 <= text.count, text[offset] == 0x75 else { return nil }
    return UInt32(text[offset + 1..<offset + 5].text, radix: 16)
  }

  /// A part of a text.
  enum Part {
    case key, string
    /// Letters and digits outside of strings: mostly a number. With the key before it.
    case bare(key: ByteView)
  }

  /// Calls `body` with every string and bare word of a JSON text until it returns true; then true.
  static func contains(
    _ text: ByteView, where body: (_ part: Part, _ source: ByteView) -> Bool
  ) -> Bool {
    var offset = 0
    var key = ByteView("")
    while offset < text.count {
      let byte = text[offset]
      if byte == 0x22 {
        var end = offset + 1
        while end < text.count, text[end] != 0x22 { end += text[end] == 0x5C ? 2 : 1 }
        let source = text[offset + 1..<min(end, text.count)]
        offset = min(end + 1, text.count)
        var next = offset
        while next < text.count, text[next] <= 0x20 { next += 1 }
        let isKey = next < text.count && text[next] == 0x3A
        if isKey { key = source }
        if body(isKey ? .key : .string, source) { return true }
      } else if byte == 0x2D || 0x30...0x39 ~= byte {
        let start = offset
        while offset < text.count, text[offset] > 0x20, ![0x2C, 0x7D, 0x5D].contains(text[offset]) {
          offset += 1
        }
        if body(.bare(key: key), text[start..<offset]) { return true }
      } else {
        offset += 1
      }
    }
    return false
  }

  /// Whether a name is valid for events and attributes.
  static func isValidName(_ name: ByteView) -> Bool {
    guard 1...31 ~= name.count else { return false }
    return (0..<name.count).allSatisfy { index in
      let byte = name[index]
      return byte == 0x5F || 0x30...0x39 ~= byte || 0x41...0x5A ~= byte & 0xDF
        || byte == 0x24 && index == 0
    }
  }
}
