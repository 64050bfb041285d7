extension ByteBuffer {
  private static var digits: ByteView {
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
  }

  /// Appends Base64 (RFC 4648, with padding).
  package mutating func append(base64 bytes: ByteView) {
    reserve((bytes.count + 2) / 3 * 4)
    var position = 0
    while position < bytes.count {
      let count = min(3, bytes.count - position)
      var word = 0
      for index in 0..<3 { word = word << 8 | (index < count ? Int(bytes[position + index]) : 0) }
      for index in 0..<4 {
        let digit = word >> (18 - 6 * index) & 63
        append(index <= count ? Self.digits[digit] : UInt8(ascii: "="))
      }
      position += 3
    }
  }

  /// Appends what Base64 (RFC 4648, with padding) encodes; false, with nothing appended, for other
  /// text.
  package mutating func append(decodingBase64 text: ByteView) -> Bool {
    guard text.count % 4 == 0 else { return false }
    let start = count
    reserve(text.count / 4 * 3)
    var position = 0
    while position < text.count {
      let isLast = position + 4 == text.count
      var word = 0
      var digits = 0
      for index in position..<position + 4 {
        if let digit = Self.digits.firstIndex(of: text[index]), digits == index - position {
          word = word << 6 | digit
          digits += 1
        } else if isLast, text[index] == UInt8(ascii: "="), index > position + 1 {
          word <<= 6
        } else {
          truncate(to: start)
          return false
        }
      }
      // The unused bits of the last digit must be zero, so that the encoding is unique.
      let spare = digits == 4 ? 0 : (1 << (8 * (4 - digits))) - 1
      guard word & spare == 0 else {
        truncate(to: start)
        return false
      }
      for index in 0..<digits - 1 { append(UInt8(truncatingIfNeeded: word >> (16 - 8 * index))) }
      position += 4
    }
    return true
  }
}
