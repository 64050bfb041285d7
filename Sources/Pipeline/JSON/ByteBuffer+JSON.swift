extension ByteBuffer {
  /// Appends `text` as a JSON string with the shortest escaping (data-model 2): only `"`, `\` and
  /// U+0000–U+001F; other bytes are copied, so it should be UTF-8. 16 bytes at a time.
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

  package mutating func appendJSONString(_ text: String) {
    ByteView.with(text) { appendJSONString($0) }
  }

  /// Appends the lowest `digits` hexadecimal digits of `value`.
  package mutating func append(hex value: UInt64, digits: Int = 16, isUpper: Bool = false) {
    let letters = isUpper ? UInt8(ascii: "A") : UInt8(ascii: "a")
    for index in (0..<digits).reversed() {
      let digit = UInt8(truncatingIfNeeded: value >> UInt64(4 * index)) & 0xF
      append(digit < 10 ? JSONByte.zero + digit : letters + digit - 10)
    }
  }

  @inline(never) private mutating func appendJSONEscape(_ byte: UInt8) {
    append(JSONByte.backslash)
    if let index = JSONByte.escaped.firstIndex(of: byte) { return append(JSONByte.escapes[index]) }
    append(JSONByte.u)
    append(hex: UInt64(byte), digits: 4)
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
  @inline(__always) private static func hasStop(_ word: UInt64) -> Bool {
    let each = Characters.eachByte
    // A byte minus a greater one borrows, which sets its highest bit.
    let quotes = (word ^ each &* UInt64(JSONByte.quote)) &- each
    let backslashes = (word ^ each &* UInt64(JSONByte.backslash)) &- each
    let controls = word &- each &* UInt64(JSONByte.space)
    return ((quotes | backslashes | controls) & ~word | word) & Characters.highBits != 0
  }
}

/// The text that would be valid instead of an escape.
package struct EscapeFault: Error { let expected: StaticString }

extension ByteView {
  /// Appends what the escape at `position` means, a surrogate pair together; returns the index
  /// after it.
  package func decodeEscape(
    at position: Int, to text: inout ByteBuffer
  ) throws(EscapeFault) -> Int {
    let letter = position + 1 < count ? self[position + 1] : 0
    // The most usual ones.
    if letter == JSONByte.quote || letter == JSONByte.backslash {
      text.append(letter)
      return position + 2
    }
    guard letter == JSONByte.u else {
      guard let index = JSONByte.escapes.firstIndex(of: letter) else {
        throw EscapeFault(expected: "a valid escape sequence")
      }
      text.append(JSONByte.escaped[index])
      return position + 2
    }
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
