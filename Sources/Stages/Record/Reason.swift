import Pipeline

/// Why a line, an event or an operation was not taken (SPEC 10). Codes are stable: scripts and
/// dashboards depend on their spelling.
package enum ReasonCode: UInt8, BitwiseCopyable, CaseIterable, Sendable {
  // Lines.
  case invalidJSON, invalidUTF8, notObject, tooDeep, lineTooLong, unknownDialect, badCustomID
  case badInstallationID, noIdentity, emptyRecord, badEvents, wrongDialect
  // Events.
  case partMissing, missingName, badName, missingTime, invalidTime, timeOutOfRange, outsideWindow
  case badEventID, badAttributes
  // Values, of events and operations.
  case badKey, reservedKey, wrongType, typeNotInV1, stringEmpty, stringBlank, stringTooLong
  case stringNewline, integerOutOfRange, numberOutOfRange, dateInvalid, urlInvalid, urlTooLong
  case arrayTooLong, arrayMixed, arrayNested, tooNested, tooManyAttributes
  case labelTooLong, labelBlank, labelNewline, tooManyTags, tagTooLong, tagBlank, tagNewline
  // Operations.
  case needsCustomID, emailInvalid, phoneInvalid, subscriptionInvalid, languageInvalid
  case regionInvalid, unknownReservedKey, emptyOperation, topicInvalid
  // Losses that are never reasons (SPEC 5).
  case reservedKeyInV1, rootLabelIgnored, rootTagsIgnored

  /// The code as it stands in outputs.
  package var code: StaticString {
    switch self {
    case .invalidJSON: "invalid_json"
    case .invalidUTF8: "invalid_utf8"
    case .notObject: "not_object"
    case .tooDeep: "too_deep"
    case .lineTooLong: "line_too_long"
    case .unknownDialect: "unknown_dialect"
    case .badCustomID: "bad_custom_id"
    case .badInstallationID: "bad_installation_id"
    case .noIdentity: "no_identity"
    case .emptyRecord: "empty_record"
    case .badEvents: "bad_events"
    case .wrongDialect: "wrong_dialect"
    case .partMissing: "part_missing"
    case .missingName: "missing_name"
    case .badName: "bad_name"
    case .missingTime: "missing_time"
    case .invalidTime: "invalid_time"
    case .timeOutOfRange: "time_out_of_range"
    case .outsideWindow: "outside_window"
    case .badEventID: "bad_event_id"
    case .badAttributes: "bad_attributes"
    case .badKey: "bad_key"
    case .reservedKey: "reserved_key"
    case .wrongType: "wrong_type"
    case .typeNotInV1: "type_not_in_v1"
    case .stringEmpty: "string_empty"
    case .stringBlank: "string_blank"
    case .stringTooLong: "string_too_long"
    case .stringNewline: "string_newline"
    case .integerOutOfRange: "integer_out_of_range"
    case .numberOutOfRange: "number_out_of_range"
    case .dateInvalid: "date_invalid"
    case .urlInvalid: "url_invalid"
    case .urlTooLong: "url_too_long"
    case .arrayTooLong: "array_too_long"
    case .arrayMixed: "array_mixed"
    case .arrayNested: "array_nested"
    case .tooNested: "too_nested"
    case .tooManyAttributes: "too_many_attributes"
    case .labelTooLong: "label_too_long"
    case .labelBlank: "label_blank"
    case .labelNewline: "label_newline"
    case .tooManyTags: "too_many_tags"
    case .tagTooLong: "tag_too_long"
    case .tagBlank: "tag_blank"
    case .tagNewline: "tag_newline"
    case .needsCustomID: "needs_custom_id"
    case .emailInvalid: "email_invalid"
    case .phoneInvalid: "phone_invalid"
    case .subscriptionInvalid: "subscription_invalid"
    case .languageInvalid: "language_invalid"
    case .regionInvalid: "region_invalid"
    case .unknownReservedKey: "unknown_reserved_key"
    case .emptyOperation: "empty_operation"
    case .topicInvalid: "topic_invalid"
    case .reservedKeyInV1: "reserved_key_in_v1"
    case .rootLabelIgnored: "root_label_ignored"
    case .rootTagsIgnored: "root_tags_ignored"
    }
  }

  /// The code as text. Not for the hot path.
  package var text: String { ByteView(code).text }
}
