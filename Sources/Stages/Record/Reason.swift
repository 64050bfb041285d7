import Pipeline

/// Why a line, an event or an operation was not taken (data-model 17), or what was left out of it
/// (data-model 18). Codes are stable: scripts and dashboards depend on their spelling.
///
/// A new code is a case, a row of ``table`` at the same place, and a line in data-model 17 or 18.
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

  /// A row for each case: the code as it is in outputs, its ``Scope``, and the sentence about it:
  /// what was found and what would be right, with each ``Figure`` in braces. `= code` means
  /// the sentence of that code.
  ///
  /// `+cut` marks a loss of an event of a foreign dialect for which `--foreign strict` rejects the
  /// event (dialects 4): something was cut or left out which breaks a rule of v2. Other losses only
  /// remark on something.
  private static let table = """
    invalid_json | line | the line is no valid JSON{byte}{expected}
    invalid_utf8 | line | the line is not valid UTF-8
    not_object | line | the line is JSON but no object
    too_deep | line | the line nests deeper than {most} levels
    line_too_long | line | the line has {found} bytes; the limit is {most}
    unknown_dialect | line | the line is not of a known dialect; records are identified by these \
      fields: \(Dialect.identifyingFields)
    bad_custom_id | line | {place} must be a string, 1 to \(Limits.customID) characters, not \
      blank, without line feed, and no placeholder such as null or undefined
    bad_installation_id | line | {place} must be a string, 1 to \(Limits.installationID) \
      characters, without white space
    no_identity | line | operations need a custom_id or an installation_id
    empty_record | line | the record holds neither events nor operations, and is no link
    bad_events | line | events must be an array
    wrong_dialect | line | the line is written in another dialect than --dialect allows
    ambiguous_dialect | line | the line could be of two dialects; --dialect tells which
    bad_action | line | {place} is no action that can be read
    part_missing | event | the line has no part with this index any more; edited lines must keep \
      their parts
    missing_name | event | the event has no name
    bad_name | event | an event name is 1 to \(Characters.longestName) of the characters A-Z, a-z, \
      0-9 and _
    missing_time | event | there is no time, and no --default-time stands in for it
    invalid_time | event | a time is text such as 2024-05-02T09:15:00Z or a number of milliseconds \
      since 1970
    time_out_of_range | event | the time lies outside 2000 to 2099
    outside_window | event | the time {time} is outside --not-before and --not-after
    bad_event_id | event | an event id is a string of 1 to \(Limits.eventID) characters or an \
      integer
    bad_attributes | event | {place} must be an object
    bad_key | value+cut | the key of {place} must be 1 to \(Characters.longestName) of the \
      characters A-Z, a-z, 0-9 and _
    reserved_key | event | {place} is reserved: keys must not begin with $
    wrong_type | value | {value} has a type that is not allowed here
    type_not_in_v1 | event | {place} has a type that v1 events do not have
    string_empty | value | {place} is empty
    string_blank | value | {place} is blank
    string_too_long | value | {place} has {found} characters; the limit is {most}
    string_newline | event | {place} contains a line feed
    integer_out_of_range | value | {place} does not fit into 64 bits
    number_out_of_range | value | {place} is too large for a double
    date_invalid | value | {place} is no date of the years 0001 to 9999
    url_invalid | value | {place} is no URL with a scheme and a host
    url_too_long | value | = string_too_long
    array_too_long | value | {place} has {found} items; the limit is {most}
    array_mixed | event | {place} mixes strings and objects
    array_nested | value | {place} is an array inside an array
    too_nested | event | {place} is nested deeper than {most} levels
    too_many_attributes | event | {place} exceeds the limit of {most} attributes
    label_too_long | event | = string_too_long
    label_blank | event | = string_blank
    label_newline | event | = string_newline
    too_many_tags | event | {place} exceeds the limit of {most} tags
    tag_too_long | event | = string_too_long
    tag_blank | event | = string_blank
    tag_newline | event | = string_newline
    needs_custom_id | operation | {place} needs a record with a custom_id
    email_invalid | operation | {place} is no e-mail address of at most \(Limits.email) characters
    phone_invalid | operation | {place} is no phone number: + and 1 to 15 digits
    subscription_invalid | operation | {place} must be subscribed or unsubscribed
    language_invalid | operation | {place} must have \(Limits.shortestLocale) to \
      \(Limits.longestLocale) characters
    region_invalid | operation | = language_invalid
    unknown_reserved_key | operation | {place} is no native attribute
    empty_operation | operation | {place} changes nothing: it is empty
    topic_invalid | operation | {place} must be 1 to \(Limits.topic) of the characters a-z, 0-9 \
      and _
    location_invalid | operation | {place} needs a latitude within 90 and a longitude within 180 \
      degrees, and an accuracy that is not negative, if any
    needs_installation_id | operation | {place} needs a record with an installation_id
    unknown_field | loss | {place} is a field that no rule reads
    alias_ignored | loss | {place} is another name of a field that says something else
    reserved_key_in_v1 | loss | {place} is reserved in v1; the root member counts
    root_label_ignored | loss | a root label does not count in a v2 event; use $label
    root_tags_ignored | loss | root tags do not count in a v2 event; use $tags
    action_attribute_skipped | loss | {place} has a type that actions do not have
    action_tag_skipped | loss | {place} is no text
    not_measurement_event | line | {place} is none of the names under which measurement events are \
      sent
    string_truncated | loss+cut | {place} has {found} characters, of which {most} are kept
    array_truncated | loss+cut | {place} has {found} items, of which {most} are kept
    attributes_truncated | loss+cut | {place} has {found} attributes, of which the first {most} by \
      key are kept
    key_collision | loss | the key of {place} is that of another member; it got a number
    time_no_zone | loss | {place} has no zone and is taken for UTC
    bad_id_ignored | loss | {place} cannot be an id and is taken for none
    repaired_trailing_comma | loss | the line is JSON only without its trailing commas
    bad_metadata | loss | {place} is an array or object, and metadata is text
    data_not_string | loss | {place} is no text, and is taken as it is
    payload_not_json | loss | {place} is not the JSON text that events of this kind have
    payload_shape | loss | {place} has another shape than events of this kind have
    missing_data | loss | {place} is expected here, and missing
    missing:metadata | loss | = missing_data
    missing:element | loss | = missing_data
    missing:element.type | loss | = missing_data
    missing:scroll_info | loss | = missing_data
    missing:scroll_info.distance | loss | = missing_data
    missing:scroll_info.speed | loss | = missing_data
    missing:scroll_info.direction | loss | = missing_data
    missing:scroll_info.scroll_depth | loss | = missing_data
    missing:scroll_info.start_position | loss | = missing_data
    missing:scroll_info.end_position | loss | = missing_data
    missing:scroll_info.duration | loss | = missing_data
    missing:gesture_params.type | loss | = missing_data
    missing:params | loss | = missing_data
    missing:items_count | loss | = missing_data
    items_count_mismatch | loss | {place} is not the number of params
    bad_enum:scroll_info.direction | loss | {place} is a word that the format does not know
    bad_enum:gesture_params.type | loss | = bad_enum:scroll_info.direction
    bad_field:is_background | loss+cut | {place} has a type that the format does not allow, and is \
      left out
    bad_field:sub_sids | loss+cut | = bad_field:is_background
    bad_field:metadata | loss+cut | = bad_field:is_background
    bad_field:element | loss+cut | = bad_field:is_background
    bad_field:element.type | loss+cut | = bad_field:is_background
    bad_field:scroll_info | loss+cut | = bad_field:is_background
    bad_field:scroll_info.distance | loss+cut | = bad_field:is_background
    bad_field:scroll_info.speed | loss+cut | = bad_field:is_background
    bad_field:scroll_info.direction | loss+cut | = bad_field:is_background
    bad_field:scroll_info.scroll_depth | loss+cut | = bad_field:is_background
    bad_field:scroll_info.start_position | loss+cut | = bad_field:is_background
    bad_field:scroll_info.end_position | loss+cut | = bad_field:is_background
    bad_field:scroll_info.duration | loss+cut | = bad_field:is_background
    bad_field:gesture_params | loss+cut | = bad_field:is_background
    bad_field:gesture_params.type | loss+cut | = bad_field:is_background
    bad_field:params | loss+cut | = bad_field:is_background
    bad_field:items_count | loss+cut | = bad_field:is_background
    bad_field:previous_events | loss+cut | = bad_field:is_background
    bad_field:sources_info | loss+cut | = bad_field:is_background
    bad_field:additional_ids | loss+cut | = bad_field:is_background
    too_many:previous_events | loss+cut | {place} has {found} items, of which the newest {most} \
      are kept
    too_many:sources_info | loss+cut | = too_many:previous_events
    """

  /// What is not taken for the reason.
  package enum Scope: String, Sendable {
    case line, event, operation
    /// A value of an event or an operation.
    case value
    /// Nothing. A loss is a reason only with an option that asks for it.
    case loss
  }

  /// What a sentence says about one reason.
  enum Figure: String {
    /// The path, or else the line or the value.
    case place, value
    /// What was found, and the limit.
    case found, most
    /// The byte at which JSON ends, and what was expected there.
    case byte, expected
    /// The time that was found.
    case time
  }

  /// A piece of a sentence.
  enum Piece {
    case text(String)
    case figure(Figure)
  }

  /// A row of the table.
  struct Row {
    let text: String
    let scope: Scope
    let isCut: Bool
    let sentence: [Piece]
  }

  private static let rows = readRows()

  private static let byText = Dictionary(uniqueKeysWithValues: allCases.map { ($0.text, $0) })

  /// The code with this text, or nil.
  package init?(_ text: String) {
    guard let code = ReasonCode.byText[text] else { return nil }
    self = code
  }

  var row: Row { ReasonCode.rows[Int(rawValue)] }

  /// The code as text.
  package var text: String { row.text }

  /// What is not taken for this reason.
  package var scope: Scope { row.scope }

  /// Whether `--foreign strict` rejects an event that has this as a loss.
  package var isCut: Bool { row.isCut }

  /// Reads the table, by bytes: every process does it, so it has to cost next to nothing.
  private static func readRows() -> [Row] {
    var sentences: [String: [Piece]] = [:]
    return Array(table.utf8).split(separator: UInt8(ascii: "\n")).map { line in
      let fields = line.split(separator: UInt8(ascii: "|"), maxSplits: 2).map(words)
      let code = String(decoding: fields[0], as: UTF8.self)
      let scopes = fields[1].split(separator: UInt8(ascii: "+"))
      guard let scope = Scope(rawValue: String(decoding: scopes[0], as: UTF8.self)) else {
        preconditionFailure("a row has no scope: \(code)")
      }
      let isOther = fields[2].first == UInt8(ascii: "=")
      let other = isOther ? sentences[String(decoding: fields[2].dropFirst(2), as: UTF8.self)] : nil
      let sentence = other ?? pieces(fields[2])
      sentences[code] = sentence
      return Row(text: code, scope: scope, isCut: scopes.count > 1, sentence: sentence)
    }
  }

  /// The text with one space between words, and none around them: the lines of a long sentence are
  /// indented.
  private static func words(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let space = UInt8(ascii: " ")
    var words: [UInt8] = []
    words.reserveCapacity(text.count)
    for byte in text where byte != space || words.last != space { words.append(byte) }
    let start = words.first == space ? 1 : 0
    return words[start..<(words.last == space ? words.count - 1 : words.count)]
  }

  /// The texts and figures of a sentence.
  private static func pieces(_ sentence: ArraySlice<UInt8>) -> [Piece] {
    sentence.split { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }.map { piece in
      let text = String(decoding: piece, as: UTF8.self)
      return Figure(rawValue: text).map { .figure($0) } ?? .text(text)
    }
  }
}
