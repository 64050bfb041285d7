import Pipeline

/// What is wrong with one value: the code and the figures for the message.
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

/// The rule for one kind of text as data: how long it may be, and which code each fault has. nil =
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

  /// What is wrong with the string `entry`, or nil. Complexity: O(length).
  func fault(_ entry: TapeEntry, of tape: Tape) -> ValueFault? {
    let text = tape.bytes(entry)
    if text.isEmpty { return empty.map { ValueFault($0) } }
    if let blank, Characters.isBlank(text) { return ValueFault(blank) }
    if text.count > limit, let actual = Characters.count(text, moreThan: limit) {
      return ValueFault(tooLong, limit: limit, actual: actual)
    }
    // A raw line feed cannot stand in a string, so only text that had escapes can hold one.
    if let newline, entry.isDecoded, text.firstIndex(of: UInt8(ascii: "\n")) != nil {
      return ValueFault(newline)
    }
    return nil
  }
}
