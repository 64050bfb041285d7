package import Pipeline

/// The attributes with `$` that a profile may have (data-model 9).
package enum NativeKey: UInt8, BitwiseCopyable, CaseIterable, Sendable {
  case emailAddress, emailMarketing, phoneNumber, smsMarketing, language, region, timezone
  case topicPreferences

  /// The key as it stands in records.
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

  /// The native attribute with exactly this key, or nil.
  package init?(_ key: ByteView) {
    for native in NativeKey.allCases where key == ByteView(native.key) {
      self = native
      return
    }
    return nil
  }
}
