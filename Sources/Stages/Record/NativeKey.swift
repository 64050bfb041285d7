package import Pipeline

/// The native attributes of a profile, whose keys begin with `$` (data-model 9).
package enum NativeKey: UInt8, BitwiseCopyable, CaseIterable, Sendable {
  case emailAddress, emailMarketing, phoneNumber, smsMarketing, language, region, timezone
  case topicPreferences

  /// The keys in records, in the order of the cases, and the rules for their values (data-model 9);
  /// that of topics is for what is not a list.
  private static let rows: [(key: StaticString, rule: TextRule)] = [
    ("$email_address", .email), ("$email_marketing", .subscription), ("$phone_number", .phone),
    ("$sms_marketing", .subscription), ("$language", .language), ("$region", .region),
    ("$timezone", .timezone), ("$topic_preferences", .topics),
  ]

  package var key: StaticString { Self.rows[Int(rawValue)].key }

  var isOfPerson: Bool { self == .emailAddress || self == .phoneNumber }

  package init?(_ key: ByteView) {
    for native in NativeKey.allCases where key == ByteView(native.key) {
      self = native
      return
    }
    return nil
  }

  /// The fault of its value at `node`, or nil. A language or region is stored trimmed.
  func fault(_ node: Int, in tape: Tape) -> ValueFault? {
    if self == .language || self == .region {
      KeyName.narrow(node, to: Characters.trimmedRange(tape.bytes(at: node)), in: tape)
    }
    return Self.rows[Int(rawValue)].rule.fault(tape[node], of: tape)
  }
}
