package import Pipeline

/// The native attributes of a profile, whose keys begin with `$` (data-model 9).
package enum NativeKey: UInt8, BitwiseCopyable, CaseIterable, Sendable {
  case emailAddress, emailMarketing, phoneNumber, smsMarketing, language, region, timezone
  case topicPreferences

  /// The key in records.
  package var key: StaticString {
    switch self {
    case .emailAddress: "$email_address"
    case .emailMarketing: "$email_marketing"
    case .phoneNumber: "$phone_number"
    case .smsMarketing: "$sms_marketing"
    case .language: "$language"
    case .region: "$region"
    case .timezone: "$timezone"
    case .topicPreferences: "$topic_preferences"
    }
  }

  /// Whether only people have it.
  var isOfPerson: Bool { self == .emailAddress || self == .phoneNumber }

  /// The native attribute with exactly this key, or nil.
  package init?(_ key: ByteView) {
    for native in NativeKey.allCases where key == ByteView(native.key) {
      self = native
      return
    }
    return nil
  }
}

/// The rules for the values of native attributes that are texts (data-model 9).
enum NativeRule {
  /// The fault of the text at `node` as the value of `native`, or nil. A language or region is
  /// stored trimmed.
  static func fault(_ native: NativeKey, _ node: Int, in tape: Tape) -> ValueFault? {
    let text = tape.bytes(at: node)
    switch native {
    case .emailAddress:
      if let actual = Characters.count(text, moreThan: Limits.email) {
        return ValueFault(.emailInvalid, limit: Limits.email, actual: actual)
      }
      return FormatRules.isEmail(text) ? nil : ValueFault(.emailInvalid)
    case .phoneNumber:
      return FormatRules.isPhone(text) ? nil : ValueFault(.phoneInvalid)
    case .emailMarketing, .smsMarketing:
      return text == "subscribed" || text == "unsubscribed"
        ? nil : ValueFault(.subscriptionInvalid)
    case .language: return localeFault(node, code: .languageInvalid, in: tape)
    case .region: return localeFault(node, code: .regionInvalid, in: tape)
    case .timezone: return TextRule.timezone.fault(tape[node], of: tape)
    case .topicPreferences: return nil
    }
  }

  private static func localeFault(
    _ node: Int, code: ReasonCode, in tape: Tape
  ) -> ValueFault? {
    let range = Characters.trimmedRange(tape.bytes(at: node))
    KeyName.narrow(node, to: range, in: tape)
    let text = tape.bytes(at: node)
    if Characters.count(text, moreThan: Limits.shortestLocale - 1) == nil {
      return ValueFault(code, limit: Limits.shortestLocale)
    }
    if let actual = Characters.count(text, moreThan: Limits.longestLocale) {
      return ValueFault(code, limit: Limits.longestLocale, actual: actual)
    }
    return nil
  }
}
