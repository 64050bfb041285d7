package import Pipeline

/// Why a line, an event or an operation was rejected (data-model 17), what was lost from it
/// (data-model 18), or what is unusual about it (data-model 19). Codes are stable: scripts and
/// dashboards depend on their spelling. A new code is a case, a row at the same index, a line in
/// data-model 17, 18 or 19, and a vector with it.
package enum ReasonCode: UInt8, BitwiseCopyable, CaseIterable, Sendable {
  // Lines.
  case invalidJSON, invalidUTF8, notObject, tooDeep, lineTooLong, unknownDialect, badCustomID
  case badInstallationID, noIdentity, emptyRecord, badEvents, wrongDialect
  case ambiguousDialect, badAction, unmappedLine
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
  // Unread fields.
  case unknownField
  // Losses that are never reasons (data-model 10).
  case aliasIgnored, reservedKeyInV1, rootLabelIgnored, rootTagsIgnored
  // Losses of the further dialects.
  case actionAttributeSkipped, actionTagSkipped
  // Foreign dialects: lines.
  case notMeasurementEvent
  // Foreign dialects: losses; those that cut are reasons under --foreign strict.
  case stringTruncated, arrayTruncated, attributesTruncated, keyCollision, timeNoZone
  case badIDIgnored, repairedTrailingComma
  // Dialect realm: losses.
  case badMetadata, dataNotString, payloadNotJSON, payloadShape
  // Losses of pulse: parts of its events, each with a code of its own.
  case missingData, missingMetadata, missingElement, missingElementType, missingScrollInfo
  case missingScrollInfoDistance, missingScrollInfoSpeed, missingScrollInfoDirection
  case missingScrollInfoScrollDepth, missingScrollInfoStartPosition, missingScrollInfoEndPosition
  case missingScrollInfoDuration, missingGestureParamsType, missingParams, missingItemsCount
  case itemsCountMismatch, badEnumScrollInfoDirection, badEnumGestureParamsType
  case badFieldIsBackground, badFieldSubSIDs, badFieldMetadata, badFieldElement, badFieldElementType
  case badFieldScrollInfo, badFieldScrollInfoDistance, badFieldScrollInfoSpeed
  case badFieldScrollInfoDirection, badFieldScrollInfoScrollDepth, badFieldScrollInfoStartPosition
  case badFieldScrollInfoEndPosition, badFieldScrollInfoDuration, badFieldGestureParams
  case badFieldGestureParamsType, badFieldParams, badFieldItemsCount, badFieldPreviousEvents
  case badFieldSourcesInfo, badFieldAdditionalIDs, tooManyPreviousEvents, tooManySourcesInfo
  // Repeated keys, and repaired lines.
  case valueOverwritten, repairedSurrogate, repairedUTF8, repairedPrefix
  // Placeholders instead of ids.
  case nobodyID
  // Remarks.
  case implausibleDate

  /// A row for each case: the code in outputs, its ``Scope``, and the sentence of its message: what
  /// was found and what is valid, with each ``Figure`` in braces.
  private static let rows = general + pulse + last

  private static let general: [Row] = [
    Row("invalid_json", .line, "the line is not valid JSON{byte}{expected}"),
    Row("invalid_utf8", .line, "the line is not valid UTF-8"),
    Row("not_object", .line, "the line is JSON but not an object"),
    Row("too_deep", .line, "the line nests deeper than {most} levels"),
    Row("line_too_long", .line, "the line has {found} bytes; the limit is {most}"),
    Row(
      "unknown_dialect", .line,
      """
      the line is not of a known dialect; records are identified by these fields: \
      \(Dialect.identifyingFields)
      """),
    Row(
      "bad_custom_id", .line,
      """
      {path} must be a string of 1 to \(Limits.customID) characters or an integer, not blank, \
      without line feed, and not a placeholder such as null or undefined
      """),
    Row(
      "bad_installation_id", .line,
      "{path} must be a string, 1 to \(Limits.installationID) characters, without white space"),
    Row("no_identity", .line, "operations need a custom_id or an installation_id"),
    Row("empty_record", .line, "the record has neither events nor operations, and is not a link"),
    Row("bad_events", .line, "events must be an array"),
    Row("wrong_dialect", .line, "the line has another dialect than --dialect allows"),
    Row("ambiguous_dialect", .line, "the line matches two dialects; select one with --dialect"),
    Row("bad_action", .line, "{path} is not a valid action"),
    Row(
      "unmapped_line", .line,
      "the line has the dialect of a mapping, but matches none of its kinds of lines"
    ),
    Row(
      "part_missing", .event,
      "the line no longer has a part with this index; edited lines must keep their parts"),
    Row("missing_name", .event, "the event has no name"),
    Row(
      "bad_name", .event,
      "an event name is 1 to \(Characters.longestName) of the characters A-Z, a-z, 0-9 and _"),
    Row("missing_time", .event, "there is no time, and no --default-time for it"),
    Row(
      "invalid_time", .event,
      "a time is text such as 2024-05-02T09:15:00Z or a number of milliseconds since 1970"),
    Row("time_out_of_range", .event, "the time is outside 2000 to 2099"),
    Row("outside_window", .event, "the time {time} is {bound}"),
    Row(
      "bad_event_id", .event,
      "an event id is a string of 1 to \(Limits.eventID) characters or an integer"),
    Row("bad_attributes", .event, "{path} must be an object"),
    Row(
      "bad_key", .value, cut: true,
      """
      the key of {path} must be 1 to \(Characters.longestName) of the characters A-Z, a-z, \
      0-9 and _
      """),
    Row("reserved_key", .event, "{path} is reserved: keys must not begin with $"),
    Row("wrong_type", .value, "{value} has a type that is not allowed here"),
    Row("type_not_in_v1", .event, "{path} has a type that v1 events do not have"),
    Row("string_empty", .value, "{path} is empty"),
    Row("string_blank", .value, blank),
    Row("string_too_long", .value, tooLong),
    Row("string_newline", .event, lineFeed),
    Row("integer_out_of_range", .value, "{path} does not fit in 64 bits"),
    Row("number_out_of_range", .value, "{path} is too large for a double"),
    Row("date_invalid", .value, "{path} is not a date of the years 0001 to 9999"),
    Row("url_invalid", .value, "{path} is not a URL with a scheme and a host"),
    Row("url_too_long", .value, tooLong),
    Row("array_too_long", .value, "{path} has {found} items; the limit is {most}"),
    Row("array_mixed", .event, "{path} mixes strings and objects"),
    Row("array_nested", .value, "{path} is an array inside an array"),
    Row("too_nested", .event, "{path} is nested deeper than {most} levels"),
    Row("too_many_attributes", .event, "{path} exceeds the limit of {most} attributes"),
    Row("label_too_long", .event, tooLong),
    Row("label_blank", .event, blank),
    Row("label_newline", .event, lineFeed),
    Row("too_many_tags", .event, "{path} exceeds the limit of {most} tags"),
    Row("tag_too_long", .event, tooLong),
    Row("tag_blank", .event, blank),
    Row("tag_newline", .event, lineFeed),
    Row("needs_custom_id", .operation, "{path} needs a record with a custom_id"),
    Row(
      "email_invalid", .operation,
      "{path} is not an e-mail address of at most \(Limits.email) characters"),
    Row("phone_invalid", .operation, "{path} is not a phone number: + and 1 to 15 digits"),
    Row("subscription_invalid", .operation, "{path} must be subscribed or unsubscribed"),
    Row("language_invalid", .operation, noLocale),
    Row("region_invalid", .operation, noLocale),
    Row("unknown_reserved_key", .operation, "{path} is not a native attribute"),
    Row("empty_operation", .operation, "{path} changes nothing: it is empty"),
    Row(
      "topic_invalid", .operation,
      "{path} must be 1 to \(Limits.topic) of the characters a-z, 0-9 and _"),
    Row(
      "location_invalid", .operation,
      """
      {path} needs a latitude within 90 and a longitude within 180 degrees, and an accuracy \
      that is not negative, if any
      """),
    Row("needs_installation_id", .operation, "{path} needs a record with an installation_id"),
    Row("unknown_field", .loss, "{path} is a field that no rule reads"),
    Row("alias_ignored", .loss, "{path} is another name of a field that has a different value"),
    Row("reserved_key_in_v1", .loss, "{path} is reserved in v1; the root field counts"),
    Row("root_label_ignored", .loss, "a root label does not count in a v2 event; use $label"),
    Row("root_tags_ignored", .loss, "root tags do not count in a v2 event; use $tags"),
    Row("action_attribute_skipped", .loss, "{path} has a type that actions do not have"),
    Row("action_tag_skipped", .loss, "{path} is not text"),
    Row(
      "not_measurement_event", .line,
      "{path} is not one of the names of measurement events"),
    Row(
      "string_truncated", .loss, cut: true,
      "{path} has {found} characters; the first {most} are kept"),
    Row("array_truncated", .loss, cut: true, "{path} has {found} items; {most} are kept"),
    Row(
      "attributes_truncated", .loss, cut: true,
      "{path} has {found} attributes; the first {most} by key are kept"),
    Row("key_collision", .loss, "the key of {path} equals that of another field; it got a number"),
    Row("time_no_zone", .loss, "{path} has no zone and is read as UTC"),
    Row("bad_id_ignored", .loss, "{path} is not a valid id and is ignored"),
    Row("repaired_trailing_comma", .loss, "the line is JSON only without its trailing commas"),
    Row("bad_metadata", .loss, "{path} is an array or object, and metadata is text"),
    Row("data_not_string", .loss, "{path} is not text, and is read as it is"),
    Row("payload_not_json", .loss, "{path} is not the JSON text that events of this kind have"),
    Row("payload_shape", .loss, "{path} has another shape than events of this kind have"),
  ]

  /// The rows of pulse: parts of its events.
  private static let pulse =
    [Row("missing_data", .loss, missing)]
    + parts(
      "missing", missing,
      [
        "metadata", "element", "element.type", "scroll_info", "scroll_info.distance",
        "scroll_info.speed", "scroll_info.direction", "scroll_info.scroll_depth",
        "scroll_info.start_position", "scroll_info.end_position", "scroll_info.duration",
        "gesture_params.type", "params", "items_count",
      ])
    + [Row("items_count_mismatch", .loss, "{path} is not the number of params")]
    + parts("bad_enum", badEnum, ["scroll_info.direction", "gesture_params.type"])
    + parts(
      "bad_field", badField, cut: true,
      [
        "is_background", "sub_sids", "metadata", "element", "element.type", "scroll_info",
        "scroll_info.distance", "scroll_info.speed", "scroll_info.direction",
        "scroll_info.scroll_depth", "scroll_info.start_position", "scroll_info.end_position",
        "scroll_info.duration", "gesture_params", "gesture_params.type", "params", "items_count",
        "previous_events", "sources_info", "additional_ids",
      ])
    + parts("too_many", tooMany, cut: true, ["previous_events", "sources_info"])

  private static func parts(
    _ kind: String, _ sentence: String, cut: Bool = false, _ paths: [String]
  ) -> [Row] {
    paths.map { Row("\(kind):\($0)", .loss, cut: cut, sentence) }
  }

  private static let last = [
    Row("value_overwritten", .loss, "a later field of the same key overwrites {path}"),
    Row("repaired_surrogate", .loss, "halves of escaped surrogate pairs became U+FFFD"),
    Row("repaired_utf8", .loss, "bytes that are not UTF-8 became U+FFFD"),
    Row("repaired_prefix", .loss, "NUL bytes or U+FEFF before the object are left out"),
    Row("nobody_id", .loss, "{path} is a placeholder, which is not an id, and is ignored"),
    Row("implausible_date", .remark, "{path} is a date before 1900 or after 2100"),
  ]

  // Sentences shared by several codes.
  private static let blank = "{path} is blank"
  private static let tooLong = "{path} has {found} characters; the limit is {most}"
  private static let lineFeed = "{path} contains a line feed"
  private static let noLocale =
    "{path} must have \(Limits.shortestLocale) to \(Limits.longestLocale) characters"
  private static let missing = "{path} is missing"
  private static let badEnum = "{path} has an unknown value"
  private static let badField = "{path} has an invalid type, and is omitted"
  private static let tooMany = "{path} has {found} items; the newest {most} are kept"

  /// The part that is rejected for the reason.
  package enum Scope: String, Sendable {
    case line, event, operation
    /// A value of an event or an operation.
    case value
    /// Nothing. A loss is a reason only with an option.
    case loss
    /// Nothing, and nothing is lost (data-model 19).
    case remark
  }

  /// A placeholder in the sentence of a reason.
  enum Figure: String {
    /// The path, or else the line or the value.
    case path, value
    /// What was found, the limit, and the offset at which JSON becomes invalid.
    case found, most, byte
    /// What was expected there; the time found, and which limit it exceeds.
    case expected, time, bound
  }

  private struct Row {
    let text: String
    let scope: Scope
    /// Whether `--foreign strict` rejects an event of a foreign dialect with this loss (dialects
    /// 4): what was cut or omitted breaks a rule of v2. Other losses are only notices.
    let isCut: Bool
    let sentence: String

    init(_ text: String, _ scope: Scope, cut: Bool = false, _ sentence: String) {
      (self.text, self.scope, self.isCut, self.sentence) = (text, scope, cut, sentence)
    }
  }

  /// The texts and placeholders of each sentence, split when a process writes its first message.
  private static let sentences = rows.map { row in
    row.sentence.split { $0 == "{" || $0 == "}" }.map(String.init)
  }

  private static let byText = Dictionary(uniqueKeysWithValues: allCases.map { ($0.text, $0) })

  package init?(_ text: String) {
    guard let code = ReasonCode.byText[text] else { return nil }
    self = code
  }

  private var row: Row { ReasonCode.rows[Int(rawValue)] }

  package var text: String { row.text }

  package var scope: Scope { row.scope }

  package var isCut: Bool { row.isCut }

  /// The parts of messages about this reason: texts, and names of a ``Figure``.
  var sentence: [String] { ReasonCode.sentences[Int(rawValue)] }
}

extension ReasonCode: DocumentScalar {
  package static var expected: String { "the code of a reason" }
  package init?(_ value: JSONValue) {
    guard let code = value.text.flatMap({ ReasonCode($0) }) else { return nil }
    self = code
  }
  package func appendJSON(to buffer: inout ByteBuffer) { text.appendJSON(to: &buffer) }
}
