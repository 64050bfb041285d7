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

  /// The rule for its value (data-model 9); that of topics is for what is not a list.
  private var rule: TextRule {
    switch self {
    case .emailAddress: .email
    case .phoneNumber: .phone
    case .emailMarketing, .smsMarketing: .subscription
    case .language: .language
    case .region: .region
    case .timezone: .timezone
    case .topicPreferences: .topics
    }
  }

  /// The fault of its value at `node`, or nil. A language or region is stored trimmed.
  func fault(_ node: Int, in tape: Tape) -> ValueFault? {
    if self == .language || self == .region {
      KeyName.narrow(node, to: Characters.trimmedRange(tape.bytes(at: node)), in: tape)
    }
    return rule.fault(tape[node], of: tape)
  }
}
