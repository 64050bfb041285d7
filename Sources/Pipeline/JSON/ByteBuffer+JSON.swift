import CSIMD

extension ByteBuffer {
  /// Appends `text` as a JSON string with its quotes and the shortest escaping (data-model 2): only
  /// `"`, `\` and U+0000–U+001F are escaped; everything else stands as it is, so `text` should be
  /// UTF-8. Complexity: O(`text.count`), 16 bytes at a time.
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
    var text = text
    text.withUTF8 { bytes in
      guard let base = bytes.baseAddress else { return append("\"\"") }
      // SAFETY: the string's bytes stay where they are for the length of the closure.
      unsafe appendJSONString(ByteView(base: base, count: bytes.count))
    }
  }

  /// Appends `value` as the shortest JSON number that reads back as the same double; `null` when it
  /// is not finite, for which JSON has no number.
  package mutating func appendJSON(_ value: Double) {
    append(text: value.isFinite ? value.description : "null")
  }

  /// Appends `value` as 16 lower-case hexadecimal digits, as docs/file-formats.md prints an XXH64.
  package mutating func append(hex value: UInt64) {
    for shift in stride(from: UInt64(60), through: 0, by: -4) {
      append(ByteBuffer.hexDigit(UInt8(truncatingIfNeeded: value >> shift) & 0xF))
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
      append("u00")
      append(ByteBuffer.hexDigit(byte >> 4))
      append(ByteBuffer.hexDigit(byte & 0xF))
    }
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? JSONByte.zero + value : UInt8(ascii: "a") + value - 10
  }
}

extension ByteView {
  /// The position of the first byte from `start` on that a JSON string must escape, or `count`.
  fileprivate func jsonStop(from start: Int) -> Int {
    var position = start
    while position + 16 <= count {
      // SAFETY: 16 bytes at `position` are within the view.
      let stops = unsafe csimd_string_stops16(base + position)
      if stops != 0 { return position + stops.trailingZeroBitCount }
      position += 16
    }
    if count >= 16 {
      // SAFETY: the view has 16 bytes; those in front of `position` are shifted out.
      let stops = unsafe csimd_string_stops16(base + count - 16) >> UInt32(16 - (count - position))
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

  /// Whether one of the eight bytes is a quote, a backslash or a control character, or outside
  /// ASCII.
  @inline(__always)
  private static func hasStop(_ word: UInt64) -> Bool {
    let each = Characters.eachByte
    // A byte less something that is greater than it borrows, which shows in its highest bit.
    let quotes = (word ^ each &* UInt64(JSONByte.quote)) &- each
    let backslashes = (word ^ each &* UInt64(JSONByte.backslash)) &- each
    let controls = word &- each &* UInt64(JSONByte.space)
    return ((quotes | backslashes | controls) & ~word | word) & Characters.highBits != 0
  }
}
