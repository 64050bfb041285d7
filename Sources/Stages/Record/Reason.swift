import Pipeline

/// Why a line, an event or an operation was not taken (data-model 17). Codes are stable: scripts
/// and dashboards depend on their spelling.
package enum ReasonCode: UInt8, BitwiseCopyable, CaseIterable, Sendable {
  // Lines.
  case invalidJSON, invalidUTF8, notObject, tooDeep, lineTooLong, unknownDialect, badCustomID
  case badInstallationID, noIdentity, emptyRecord, badEvents, wrongDialect
  case ambiguousDialect, badAction
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
  case regionInvalid, unknownReservedKey, emptyOperation, topicInvalid, locationInvalid
  case needsInstallationID
  // Fields that nobody reads.
  case unknownField
  // Losses that are never reasons (data-model 10).
  case aliasIgnored, reservedKeyInV1, rootLabelIgnored, rootTagsIgnored
  // Losses of the further dialects.
  case actionAttributeSkipped, actionTagSkipped
  // Foreign dialects: lines.
  case notMeasurementEvent
  // Foreign dialects: losses, of which those that cut are reasons under --foreign strict.
  case stringTruncated, arrayTruncated, attributesTruncated, keyCollision, timeNoZone
  case badIDIgnored, repairedTrailingComma
  // Dialect realm: losses.
  case badMetadata, dataNotString, payloadNotJSON, payloadShape
  // Losses of pulse: parts of its events, each with a code of its own.
  case missingData, missingMetadata, missingElement, missingElementType, missingScrollInfo
  case missingScrollDistance, missingScrollSpeed, missingScrollDirection, missingScrollDepth
  case missingScrollStart, missingScrollEnd, missingScrollDuration, missingGestureType
  case missingParams, missingItemsCount, itemsCountMismatch
  case badEnumScrollDirection, badEnumGestureType
  case badFieldIsBackground, badFieldSubSIDs, badFieldMetadata, badFieldElement
  case badFieldElementType, badFieldScrollInfo, badFieldScrollDistance, badFieldScrollSpeed
  case badFieldScrollDirection, badFieldScrollDepth, badFieldScrollStart, badFieldScrollEnd
  case badFieldScrollDuration, badFieldGestureParams, badFieldGestureType, badFieldParams
  case badFieldItemsCount, badFieldPreviousEvents, badFieldSourcesInfo, badFieldAdditionalIDs
  case tooManyPreviousEvents, tooManySourcesInfo

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
    case .ambiguousDialect: "ambiguous_dialect"
    case .badAction: "bad_action"
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
    case .locationInvalid: "location_invalid"
    case .needsInstallationID: "needs_installation_id"
    case .unknownField: "unknown_field"
    case .aliasIgnored: "alias_ignored"
    case .reservedKeyInV1: "reserved_key_in_v1"
    case .rootLabelIgnored: "root_label_ignored"
    case .rootTagsIgnored: "root_tags_ignored"
    case .actionAttributeSkipped: "action_attribute_skipped"
    case .actionTagSkipped: "action_tag_skipped"
    case .notMeasurementEvent: "not_measurement_event"
    case .stringTruncated: "string_truncated"
    case .arrayTruncated: "array_truncated"
    case .attributesTruncated: "attributes_truncated"
    case .keyCollision: "key_collision"
    case .timeNoZone: "time_no_zone"
    case .badIDIgnored: "bad_id_ignored"
    case .repairedTrailingComma: "repaired_trailing_comma"
    case .badMetadata: "bad_metadata"
    case .dataNotString: "data_not_string"
    case .payloadNotJSON: "payload_not_json"
    case .payloadShape: "payload_shape"
    case .missingData: "missing_data"
    case .missingMetadata: "missing:metadata"
    case .missingElement: "missing:element"
    case .missingElementType: "missing:element.type"
    case .missingScrollInfo: "missing:scroll_info"
    case .missingScrollDistance: "missing:scroll_info.distance"
    case .missingScrollSpeed: "missing:scroll_info.speed"
    case .missingScrollDirection: "missing:scroll_info.direction"
    case .missingScrollDepth: "missing:scroll_info.scroll_depth"
    case .missingScrollStart: "missing:scroll_info.start_position"
    case .missingScrollEnd: "missing:scroll_info.end_position"
    case .missingScrollDuration: "missing:scroll_info.duration"
    case .missingGestureType: "missing:gesture_params.type"
    case .missingParams: "missing:params"
    case .missingItemsCount: "missing:items_count"
    case .itemsCountMismatch: "items_count_mismatch"
    case .badEnumScrollDirection: "bad_enum:scroll_info.direction"
    case .badEnumGestureType: "bad_enum:gesture_params.type"
    case .badFieldIsBackground: "bad_field:is_background"
    case .badFieldSubSIDs: "bad_field:sub_sids"
    case .badFieldMetadata: "bad_field:metadata"
    case .badFieldElement: "bad_field:element"
    case .badFieldElementType: "bad_field:element.type"
    case .badFieldScrollInfo: "bad_field:scroll_info"
    case .badFieldScrollDistance: "bad_field:scroll_info.distance"
    case .badFieldScrollSpeed: "bad_field:scroll_info.speed"
    case .badFieldScrollDirection: "bad_field:scroll_info.direction"
    case .badFieldScrollDepth: "bad_field:scroll_info.scroll_depth"
    case .badFieldScrollStart: "bad_field:scroll_info.start_position"
    case .badFieldScrollEnd: "bad_field:scroll_info.end_position"
    case .badFieldScrollDuration: "bad_field:scroll_info.duration"
    case .badFieldGestureParams: "bad_field:gesture_params"
    case .badFieldGestureType: "bad_field:gesture_params.type"
    case .badFieldParams: "bad_field:params"
    case .badFieldItemsCount: "bad_field:items_count"
    case .badFieldPreviousEvents: "bad_field:previous_events"
    case .badFieldSourcesInfo: "bad_field:sources_info"
    case .badFieldAdditionalIDs: "bad_field:additional_ids"
    case .tooManyPreviousEvents: "too_many:previous_events"
    case .tooManySourcesInfo: "too_many:sources_info"
    }
  }

  /// Whether it says, as a loss of an event of a foreign dialect, that something was cut or left
  /// out which breaks a rule of v2: `--foreign strict` rejects the event for it (dialects 4). The
  /// others only remark on something.
  package var isCut: Bool {
    switch self {
    case .stringTruncated, .arrayTruncated, .attributesTruncated, .badKey: true
    case .badFieldIsBackground, .badFieldSubSIDs, .badFieldMetadata, .badFieldElement,
      .badFieldElementType, .badFieldScrollInfo, .badFieldScrollDistance, .badFieldScrollSpeed,
      .badFieldScrollDirection, .badFieldScrollDepth, .badFieldScrollStart, .badFieldScrollEnd,
      .badFieldScrollDuration, .badFieldGestureParams, .badFieldGestureType, .badFieldParams,
      .badFieldItemsCount, .badFieldPreviousEvents, .badFieldSourcesInfo, .badFieldAdditionalIDs,
      .tooManyPreviousEvents, .tooManySourcesInfo:
      true
    default: false
    }
  }

  /// The code as text. Not for the hot path.
  package var text: String { ByteView(code).text }
}
