extension ByteBuffer {
  /// Appends `text` as a JSON string with its quotes and the shortest escaping (data-model 2): only
  /// `"`, `\` and U+0000–U+001F are escaped; other bytes are copied, so `text` should be UTF-8.
  /// Complexity: O(`text.count`), 16 bytes at a time.
  package mutating func appendJSONString(_ text: ByteView) {
    precondition(!holds(text), "a view of a buffer cannot be appended to the buffer it moves")
    reserve(text.count + 2)
    append(JSONByte.quote)
    var run = 0
    while true {
      let stop = text.jsonStop(from: run)
      append(text[run..<stop])
      guard stop < text.count else { break }
      appendJSONEscape(text[stop])
      run = stop + 1
    }
    append(JSONByte.quote)
  }

  /// Appends `text` as a JSON string, as ``appendJSONString(_:)`` does for bytes.
  package mutating func appendJSONString(_ text: String) {
    ByteView.with(text) { appendJSONString($0) }
  }

  /// Appends `value` as the shortest JSON number that reads back as the same double; `null` when it
  /// is not finite.
  package mutating func appendJSON(_ value: Double) {
    append(text: value.isFinite ? value.description : "null")
  }

  /// Appends the lowest `digits` hexadecimal digits of `value`.
  package mutating func append(hex value: UInt64, digits: Int = 16, isUpper: Bool = false) {
    let letters = isUpper ? UInt8(ascii: "A") : UInt8(ascii: "a")
    for index in (0..<digits).reversed() {
      let digit = UInt8(truncatingIfNeeded: value >> UInt64(4 * index)) & 0xF
      append(digit < 10 ? JSONByte.zero + digit : letters + digit - 10)
    }
  }

  @inline(never)
  private mutating func appendJSONEscape(_ byte: UInt8) {
    append(JSONByte.backslash)
    switch byte {
    case JSONByte.quote, JSONByte.backslash: append(byte)
    case 0x08: append(JSONByte.b)
    case JSONByte.tab: append(JSONByte.t)
    case JSONByte.lineFeed: append(JSONByte.n)
    case 0x0C: append(JSONByte.f)
    case JSONByte.carriageReturn: append(JSONByte.r)
    default:
      append(JSONByte.u)
      append(hex: UInt64(byte), digits: 4)
    }
  }
}

extension ByteView {
  /// The index of the first byte from `start` on that a JSON string must escape, or `count`.
  package func jsonStop(from start: Int) -> Int {
    var position = start
    while position + 16 <= count {
      let stops = stringStops16(at: position)
      if stops != 0 { return position + stops.trailingZeroBitCount }
      position += 16
    }
    if count >= 16 {
      // Stops before `position` are shifted out.
      let stops = stringStops16(at: count - 16) >> UInt32(16 - (count - position))
      return stops == 0 ? count : position + stops.trailingZeroBitCount
    }
    while position + 8 <= count, !Self.hasStop(word64(at: position)) { position += 8 }
    while position < count {
      let byte = self[position]
      if byte < JSONByte.space || byte == JSONByte.quote || byte == JSONByte.backslash { break }
      position += 1
    }
    return position
  }

  /// Whether one of eight bytes is a quote, a backslash, a control character or not ASCII.
  @inline(__always)
  private static func hasStop(_ word: UInt64) -> Bool {
    let each = Characters.eachByte
    // A byte minus a greater one borrows, which sets its highest bit.
    let quotes = (word ^ each &* UInt64(JSONByte.quote)) &- each
    let backslashes = (word ^ each &* UInt64(JSONByte.backslash)) &- each
    let controls = word &- each &* UInt64(JSONByte.space)
    return ((quotes | backslashes | controls) & ~word | word) & Characters.highBits != 0
  }
}

/// Why an escape in a string is invalid: what would be valid there.
package struct EscapeFault: Error { let expected: StaticString }

/// Escapes in strings.
extension ByteView {
  /// Appends what the escape at `position` stands for, a pair of surrogates together; returns the
  /// position after it.
  package func decodeEscape(
    at position: Int, to text: inout ByteBuffer
  ) throws(EscapeFault) -> Int {
    let letter = position + 1 < count ? self[position + 1] : 0
    switch letter {
    case JSONByte.quote, JSONByte.backslash, JSONByte.slash: text.append(letter)
    case JSONByte.b: text.append(0x08)
    case JSONByte.f: text.append(0x0C)
    case JSONByte.n: text.append(JSONByte.lineFeed)
    case JSONByte.r: text.append(JSONByte.carriageReturn)
    case JSONByte.t: text.append(JSONByte.tab)
    case JSONByte.u:
      guard let unit = codeUnit(at: position) else {
        throw EscapeFault(expected: "four hexadecimal digits")
      }
      if let scalar = Unicode.Scalar(unit) {
        text.append(scalar)
        return position + 6
      }
      guard unit < 0xDC00, let low = codeUnit(at: position + 6), 0xDC00...0xDFFF ~= low,
        let scalar = Unicode.Scalar(0x1_0000 + (unit - 0xD800) << 10 + (low - 0xDC00))
      else { throw EscapeFault(expected: "a surrogate pair") }
      text.append(scalar)
      return position + 12
    default: throw EscapeFault(expected: "a valid escape sequence")
    }
    return position + 2
  }

  /// The code unit of the `\uXXXX` at `position`, or nil.
  func codeUnit(at position: Int) -> UInt32? {
    guard position + 1 < count, self[position] == JSONByte.backslash,
      self[position + 1] == JSONByte.u
    else { return nil }
    return hexNumber(at: position + 2, digits: 4)
  }

  /// The value of that many hexadecimal digits at `position`, or nil.
  package func hexNumber(at position: Int, digits: Int) -> UInt32? {
    guard position + digits <= count else { return nil }
    var number: UInt32 = 0
    for index in position..<position + digits {
      guard let digit = JSONByte.hexValue(self[index]) else { return nil }
      number = number << 4 | digit
    }
    return number
  }
}
