import Pipeline

/// A fault of one value: the code and the details for the message.
struct ValueFault {
  let code: ReasonCode
  var limit: Int?
  var actual: Int?
  var detail: StaticString?

  init(_ code: ReasonCode, limit: Int? = nil, actual: Int? = nil, detail: StaticString? = nil) {
    (self.code, self.limit, self.actual, self.detail) = (code, limit, actual, detail)
  }
}

/// The rule for the values at one place as a row: their kinds, the greatest length of a text, and
/// the code of each fault; nil = not a fault here. A value has one fault, the first of wrong type,
/// empty, blank, too long, newline, invalid (data-model 7). The reader of plain lines has its kinds
/// and limits from here (``PlanPlace``), the validator its reasons.
struct TextRule {
  /// Most characters of a text.
  let limit: Int
  /// The kinds that are valid. A number among texts only is judged as its text.
  var kinds = PlainKinds.text
  var empty: ReasonCode?
  var blank: ReasonCode?
  var tooLong: ReasonCode?
  var newline: ReasonCode?
  /// The code of another kind, and what is expected instead of it.
  var wrongType = ReasonCode.wrongType
  var expected = ExpectedType.nothing
  /// The code of an array, if it has one of its own.
  var nested: ReasonCode?
  /// The format of a text, and the code of another one, or one of fewer characters than `least`.
  var format: TextFormat?
  var invalid: ReasonCode?
  var least = 0

  // Values of events, by version.
  static let v1String = TextRule(
    limit: Limits.v1.string, kinds: .scalar, empty: .stringEmpty, tooLong: .stringTooLong,
    expected: .noNull)
  static let v2String = TextRule(
    limit: Limits.v2.string, kinds: .scalar, empty: .stringEmpty, blank: .stringBlank,
    tooLong: .stringTooLong, newline: .stringNewline, expected: .noNull)
  static let v2Item = v2String.ofItems(expected: .itemOrObject)
  static let v1Label = TextRule(limit: Limits.label, tooLong: .labelTooLong, expected: .label)
  static let v2Label = TextRule(
    limit: Limits.label, empty: .labelBlank, blank: .labelBlank, tooLong: .labelTooLong,
    newline: .labelNewline, expected: .label)
  static let v1Tag = TextRule(
    limit: Limits.tag, empty: .tagBlank, tooLong: .tagTooLong, expected: .tag)
  static let v2Tag = TextRule(
    limit: Limits.tag, empty: .tagBlank, blank: .tagBlank, tooLong: .tagTooLong,
    newline: .tagNewline, expected: .tag)

  // Operations, by version; null unsets the value.
  static let v1Operation = operation(.v1)
  static let v2Operation = operation(.v2)
  static let v1OperationItem = v1Operation.ofItems(expected: .item)
  static let v2OperationItem = v2Operation.ofItems(expected: .item)
  /// Instead of a list.
  static let collection = TextRule(limit: 0, kinds: .null, expected: .texts)
  static let topics = TextRule(limit: 0, kinds: .null, expected: .topics)
  static let topic = TextRule(
    limit: Limits.topic, expected: .item, format: .topic, invalid: .topicInvalid)
  static let url = TextRule(
    limit: Limits.url, empty: .urlInvalid, blank: .urlInvalid, tooLong: .urlTooLong,
    expected: .untypedURL, format: .url, invalid: .urlInvalid)

  // Native attributes.
  static let email = TextRule(
    limit: Limits.email, tooLong: .emailInvalid, expected: .native, format: .email,
    invalid: .emailInvalid)
  static let phone = TextRule(
    limit: .max, expected: .native, format: .phone, invalid: .phoneInvalid)
  static let subscription = TextRule(
    limit: .max, expected: .native, format: .subscription,
    invalid: .subscriptionInvalid)
  static let language = locale(.languageInvalid)
  static let region = locale(.regionInvalid)
  static let timezone = TextRule(
    limit: Limits.timezone, empty: .stringEmpty, tooLong: .stringTooLong, expected: .native)

  // Ids.
  static let eventID = TextRule(
    limit: Limits.eventID, kinds: .id, empty: .badEventID, tooLong: .badEventID,
    wrongType: .badEventID)
  static let customID = TextRule(
    limit: Limits.customID, kinds: .id, empty: .badCustomID, blank: .badCustomID,
    tooLong: .badCustomID, newline: .badCustomID, wrongType: .badCustomID)
  static let installationID = TextRule(
    limit: Limits.installationID, empty: .badInstallationID, blank: .badInstallationID,
    tooLong: .badInstallationID, wrongType: .badInstallationID,
    format: .word, invalid: .badInstallationID)

  private static func locale(_ code: ReasonCode) -> TextRule {
    TextRule(
      limit: Limits.longestLocale, tooLong: code, expected: .native, invalid: code,
      least: Limits.shortestLocale)
  }

  private static func operation(_ limits: Limits) -> TextRule {
    TextRule(
      limit: limits.string, kinds: [.scalar, .null], empty: .stringEmpty, blank: .stringBlank,
      tooLong: .stringTooLong)
  }

  private func ofItems(expected: ExpectedType) -> TextRule {
    var rule = self
    (rule.kinds, rule.expected, rule.nested) = (.text, expected, .arrayNested)
    return rule
  }

  /// Whether the value is certainly valid, as most are. Complexity: O(1).
  @inline(__always)
  func isPlain(_ value: TapeEntry, of tape: Tape) -> Bool {
    invalid == nil && kinds.has(value.kind)
      && PlainValue.isTriviallyValid(value, atMost: UInt32(clamping: limit), of: tape)
  }

  /// The fault of a value, or nil. Complexity: O(length), O(1) for most.
  @inline(__always)
  func fault(_ entry: TapeEntry, of tape: Tape) -> ValueFault? {
    isPlain(entry, of: tape) ? nil : firstFault(entry, of: tape)
  }

  @inline(never)
  private func firstFault(_ entry: TapeEntry, of tape: Tape) -> ValueFault? {
    guard kinds.has(entry.kind) else {
      if entry.kind == .array, let nested { return ValueFault(nested) }
      return ValueFault(wrongType, detail: expected.detail(insteadOf: entry))
    }
    let text = tape.bytes(entry)
    switch entry.kind {
    case .integer where kinds.has(.double):
      return DecimalNumber.fitsInt64(text) ? nil : ValueFault(.integerOutOfRange)
    case .double: return DecimalNumber.isFinite(text) ? nil : ValueFault(.numberOutOfRange)
    case .string, .integer: return fault(text, mayHaveNewline: entry.isDecoded)
    default: return nil
    }
  }

  func fault(_ text: ByteView, mayHaveNewline: Bool = true) -> ValueFault? {
    if let empty, text.isEmpty { return ValueFault(empty) }
    if let blank, Characters.isBlank(text) { return ValueFault(blank) }
    if let tooLong, let actual = Characters.count(text, moreThan: limit) {
      return ValueFault(tooLong, limit: limit, actual: actual)
    }
    // A raw line feed is not valid in a string, so only text that had escapes can contain one.
    if let newline, mayHaveNewline, text.firstIndex(of: UInt8(ascii: "\n")) != nil {
      return ValueFault(newline)
    }
    guard let invalid else { return nil }
    if least > 0, Characters.count(text, moreThan: least - 1) == nil {
      return ValueFault(invalid, limit: least)
    }
    return format?.fits(text) ?? true ? nil : ValueFault(invalid)
  }
}

/// Cheap sufficient checks that a value is valid: `false` means that the full rules must decide.
enum PlainValue {
  /// Bytes of the longest string that every rule for attribute values accepts (data-model 7).
  private static let string = UInt32(Limits.v1.string)
  /// Most digits, with a sign, of a number that certainly fits in 64 bits.
  private static let integer = 18
  /// Most bytes of a number without exponent that is certainly finite.
  private static let double = 300

  /// Whether the value is certainly valid: a string as ``isText(_:atMost:of:)`` accepts, a number
  /// of usual size, a boolean.
  @inline(__always)
  static func isTriviallyValid(
    _ value: TapeEntry, atMost limit: UInt32 = string, of tape: Tape
  ) -> Bool {
    switch value.kind {
    case .string: isText(value, atMost: limit, of: tape)
    case .integer: value.length <= integer
    case .double: value.length <= double && !value.hasExponent
    case .true, .false: true
    default: false
    }
  }

  /// Most bytes of a number of that kind, without an exponent, that is certainly valid.
  @inline(__always)
  static func most(of kind: TapeKind) -> Int { Int(kind == .integer ? integer : double) }

  /// Whether the string has 1 to `limit` bytes, no escapes, and begins with a visible ASCII
  /// character: it is neither empty nor blank, and has no line feed.
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

  /// Whether the source of a string is certainly valid: at most `limit` characters of UTF-8, not
  /// blank, without escapes but, with `mayEscape`, canonical ones. Complexity: O(length).
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
