import Pipeline

/// The look that tells, at the price of a few comparisons, that a value is valid under every rule
/// for attribute values: most values are. What it does not see is not wrong, only worth the rules.
enum PlainValue {
  /// Longest string every rule takes, in bytes: no text has more characters than bytes (data-model
  /// 7).
  private static let string = UInt32(Limits.v1.string)
  /// Most digits, with a sign, of a number that surely fits 64 bits.
  private static let integer = 18
  /// Most bytes of a number without exponent that is surely finite.
  private static let double = 300

  /// Whether the value is seen to be valid: a short string without escapes that begins with a
  /// visible ASCII character (so it is neither empty nor blank, and has no line feed), a number of
  /// usual size, a boolean.
  @inline(__always)
  static func isSeen(_ value: TapeEntry, of tape: Tape) -> Bool {
    switch value.kind {
    case .string: isText(value, atMost: string, of: tape)
    case .integer: value.length <= integer
    case .double: value.length <= double && !value.hasExponent
    case .true, .false: true
    default: false
    }
  }

  /// Whether the string has 1 to `limit` bytes, no escapes, and begins with a visible ASCII
  /// character.
  @inline(__always)
  static func isText(_ value: TapeEntry, atMost limit: UInt32, of tape: Tape) -> Bool {
    guard !value.isDecoded, value.length &- 1 < limit else { return false }
    return tape.sourceByte(at: Int(value.start)) &- 0x21 < 0x7F - 0x21
  }
}
