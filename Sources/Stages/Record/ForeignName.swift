import Pipeline

/// Names of events and keys of attributes, derived from the names in a foreign source (dialects 4
/// "Names and keys"). Pure: the same source has the same name, on every machine and in every line.
///
/// ```
/// location/changed                        location_changed
/// app/permission/photo_library/granted    app_permission_photo__e052c060
/// 購入                                     ev_04779288
/// ```
enum ForeignName {
  /// The use of a name: what replaces a source without valid ASCII characters.
  enum Use: String {
    case event = "ev"
    case key = "k"
  }

  /// Bytes of a name before a checksum.
  private static let head = 21
  /// Hexadecimal digits of the checksum.
  private static let digits = 8

  /// Whether `source` is its own name. Complexity: O(1).
  static func isCanonical(_ source: ByteView) -> Bool {
    Characters.nameShape(source) == .lowercase
  }

  /// Whether `source` has a usable character: a valid one, or one outside ASCII.
  static func isUsable(_ source: ByteView) -> Bool {
    for index in 0..<source.count where source[index] >= 0x80 || isNameByte(source[index]) {
      return true
    }
    return false
  }

  /// Appends the name of `source` and returns true; appends nothing and returns false when it has
  /// no usable character.
  ///
  /// ASCII letters become lower case; other characters than lower-case letters, digits and `_` are
  /// removed at both ends and become one `_` per run inside. A source with non-ASCII characters, or
  /// with too long a name, gets a checksum of its UTF-8 in lower case after the first characters.
  /// Complexity: O(`source.count`).
  static func append(_ source: ByteView, for use: Use, to text: inout ByteBuffer) -> Bool {
    let start = text.count
    var isASCII = true
    var isGap = false
    var isCut = false
    for index in 0..<source.count where !isCut {
      let byte = Characters.lowercased(source[index])
      if byte >= 0x80 { isASCII = false }
      guard isNameByte(byte) else {
        isGap = text.count > start
        continue
      }
      if isGap { text.append(UInt8(ascii: "_")) }
      isGap = false
      text.append(byte)
      // The rest counts for the checksum only, which most names do not have.
      isCut = text.count - start > Characters.longestName
    }
    if text.count == start {
      if isASCII { return false }
      text.append(text: use.rawValue)
    }
    guard !isASCII || isCut else { return true }
    text.truncate(to: min(text.count, start + head))
    text.append(UInt8(ascii: "_"))
    text.append(hex: UInt64(checksum(of: source)), digits: digits)
    return true
  }

  /// Appends the name, cut to fit, and the number `number`, for further ones of equal keys.
  static func append(_ name: ByteView, number: Int, to text: inout ByteBuffer) {
    text.append(name[0..<min(name.count, cutLength(number: number))])
    text.append(UInt8(ascii: "_"))
    text.append(decimal: number)
  }

  static func cutLength(number: Int) -> Int {
    var length = Characters.longestName - 1
    var rest = number
    repeat {
      length -= 1
      rest /= 10
    } while rest > 0
    return length
  }

  /// The checksum of a source with its ASCII letters in lower case. Complexity: O(`source.count`).
  private static func checksum(of source: ByteView) -> UInt32 {
    var register = UInt32.max
    for index in 0..<source.count {
      let byte = UInt8(truncatingIfNeeded: register) ^ Characters.lowercased(source[index])
      register = register >> 8 ^ checksums[Int(byte)]
    }
    return ~register
  }

  /// The CRC-32 of IEEE 802.3 (reflected, as in gzip) after each byte, from zero.
  private static let checksums = InlineArray<256, UInt32> { byte in
    (0..<8).reduce(UInt32(byte)) { rest, _ in rest >> 1 ^ (rest & 1 == 0 ? 0 : 0xEDB8_8320) }
  }

  /// Whether the byte is valid in names, including upper-case letters.
  private static func isNameByte(_ byte: UInt8) -> Bool {
    let small = Characters.lowercased(byte)
    return small &- UInt8(ascii: "a") < 26 || Characters.isDigit(byte)
      || byte == UInt8(ascii: "_")
  }
}
