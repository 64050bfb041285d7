import Pipeline

/// A fault of one value: the code and the details for the message.
struct ValueFault {
  let code: ReasonCode
  var limit: Int?
  var actual: Int?

  init(_ code: ReasonCode, limit: Int? = nil, actual: Int? = nil) {
    self.code = code
    self.limit = limit
    self.actual = actual
  }
}

/// The rule for one kind of text as data: its greatest length, and the code of each fault. nil =
/// not a fault here. A value has one fault, the first of empty, blank, too long, newline
/// (data-model 7).
struct TextRule {
  let limit: Int
  let empty: ReasonCode?
  let blank: ReasonCode?
  let tooLong: ReasonCode
  let newline: ReasonCode?

  static let v1String = TextRule(
    limit: Limits.v1.string, empty: .stringEmpty, blank: nil, tooLong: .stringTooLong, newline: nil)
  static let v2String = TextRule(
    limit: Limits.v2.string, empty: .stringEmpty, blank: .stringBlank, tooLong: .stringTooLong,
    newline: .stringNewline)
  static let v1Operation = TextRule(
    limit: Limits.v1.operationString, empty: .stringEmpty, blank: .stringBlank,
    tooLong: .stringTooLong, newline: nil)
  static let v2Operation = TextRule(
    limit: Limits.v2.operationString, empty: .stringEmpty, blank: .stringBlank,
    tooLong: .stringTooLong, newline: nil)
  static let v1Label = TextRule(
    limit: Limits.label, empty: nil, blank: nil, tooLong: .labelTooLong, newline: nil)
  static let v2Label = TextRule(
    limit: Limits.label, empty: .labelBlank, blank: .labelBlank, tooLong: .labelTooLong,
    newline: .labelNewline)
  static let v1Tag = TextRule(
    limit: Limits.tag, empty: .tagBlank, blank: nil, tooLong: .tagTooLong, newline: nil)
  static let v2Tag = TextRule(
    limit: Limits.tag, empty: .tagBlank, blank: .tagBlank, tooLong: .tagTooLong,
    newline: .tagNewline)
  static let timezone = TextRule(
    limit: Limits.timezone, empty: .stringEmpty, blank: nil, tooLong: .stringTooLong, newline: nil)
  static let eventID = TextRule(
    limit: Limits.eventID, empty: .badEventID, blank: nil, tooLong: .badEventID, newline: nil)
  static let customID = TextRule(
    limit: Limits.customID, empty: .badCustomID, blank: .badCustomID, tooLong: .badCustomID,
    newline: .badCustomID)
  static let installationID = TextRule(
    limit: Limits.installationID, empty: .badInstallationID, blank: .badInstallationID,
    tooLong: .badInstallationID, newline: nil)

  /// The fault of the string `entry`, or nil. Complexity: O(length).
  func fault(_ entry: TapeEntry, of tape: Tape) -> ValueFault? {
    let text = tape.bytes(entry)
    if text.isEmpty { return empty.map { ValueFault($0) } }
    if let blank, Characters.isBlank(text) { return ValueFault(blank) }
    if text.count > limit, let actual = Characters.count(text, moreThan: limit) {
      return ValueFault(tooLong, limit: limit, actual: actual)
    }
    // A raw line feed is not valid in a string, so only text that had escapes can contain one.
    if let newline, entry.isDecoded, text.firstIndex(of: UInt8(ascii: "\n")) != nil {
      return ValueFault(newline)
    }
    return nil
  }
}

/// A cheap sufficient check that a value is valid under every ``TextRule`` and the other rules for
/// attribute values, as most values are: `false` means that the full rules must decide. A new,
/// stricter rule must be added here, too.
enum PlainValue {
  /// Longest string that every rule accepts, in bytes: no text has more characters than bytes
  /// (data-model 7).
  private static let string = UInt32(Limits.v1.string)
  /// Most digits, with a sign, of a number that certainly fits in 64 bits.
  private static let integer = 18
  /// Most bytes of a number without exponent that is certainly finite.
  private static let double = 300

  /// Whether the value is certainly valid: a short string without escapes that begins with a
  /// visible ASCII character (so it is neither empty nor blank, and has no line feed), a number of
  /// usual size, a boolean.
  @inline(__always)
  static func isTriviallyValid(_ value: TapeEntry, of tape: Tape) -> Bool {
    switch value.kind {
    case .string: isText(value, atMost: string, of: tape)
    case .integer: value.length <= integer
    case .double: value.length <= double && !value.hasExponent
    case .true, .false: true
    default: false
    }
  }

  /// Most bytes of a number of that kind, without an exponent, that is certainly valid.
  @inline(__always)
  static func most(of kind: TapeKind) -> Int {
    Int(kind == .integer ? integer : double)
  }

  /// Whether the string has 1 to `limit` bytes, no escapes, and begins with a visible ASCII
  /// character.
  @inline(__always)
  static func isText(_ value: TapeEntry, atMost limit: UInt32, of tape: Tape) -> Bool {
    guard !value.isDecoded, value.length &- 1 < limit else { return false }
    return tape.sourceByte(at: Int(value.start)) &- 0x21 < 0x7F - 0x21
  }

  /// The same for a string that had escapes: it has no line feed, either. Complexity: O(length).
  static func isDecodedText(_ value: TapeEntry, atMost limit: UInt32, of tape: Tape) -> Bool {
    guard value.length &- 1 < limit else { return false }
    let text = tape.bytes(value)
    return text[0] &- 0x21 < 0x7F - 0x21 && text.firstIndex(of: UInt8(ascii: "\n")) == nil
  }

  /// Whether the source of a string without control characters, between quotes, is certainly valid:
  /// at most `limit` characters of UTF-8, not blank, without escapes; with `mayEscape` also with
  /// canonical escapes. Complexity: O(length).
  @inline(never)
  static func isText(_ text: ByteView, atMost limit: Int, mayEscape: Bool) -> Bool {
    var hasEscapes = false
    var index = 0
    while index < text.count {
      let byte = text[index]
      if byte < 0x20 { return false }
      if byte == JSONByte.backslash {
        index += 1
        guard mayEscape, index < text.count,
          text[index] == JSONByte.quote || text[index] == JSONByte.backslash
        else { return false }
        hasEscapes = true
      }
      index += 1
    }
    guard UTF8Check.isValid(text), !Characters.isBlank(text) else { return false }
    return hasEscapes ? text.count <= limit : Characters.count(text, moreThan: limit) == nil
  }
}
