import Stages

/// What goes wrong in logs of actions.
extension ActionLog {
  private static let event: StaticString =
    #"{"custom_id":"@U","id":"@E","time":"@T","action":["batch.user.event",{@_}]}"#
  private static let attributes: StaticString = #"""
    {"custom_id":"@U","id":"@E","time":"@T","action":["batch.user.event",{"e":"ad_seen",\#
    "a":{@_}}]}
    """#
  private static let tag: StaticString =
    #"{"custom_id":"@U","id":"@E","time":"@T","action":["batch.user.tag",{@_}]}"#
  private static let action: StaticString =
    #"{"custom_id":"@U","id":"@E","time":"@T","action":@_}"#
  private static let seen: StaticString =
    #"{@_"action":["batch.user.event",{"e":"ad_seen","l":"sports"}]}"#

  static let faults: [FaultyLine] = eventFaults + actionFaults + lineFaults

  private static let eventFaults: [FaultyLine] = [
    FaultyLine(.actionAttributeSkipped, in: attributes, #""price":9.99,"sizes":["m","l"]"#),
    FaultyLine(.actionTagSkipped, in: event, #""e":"ad_seen","t":["sports",7]"#),
    FaultyLine(.missingName, in: event, #""e":"","l":"sports""#),
    FaultyLine(.badName, in: event, #""e":"ad seen!""#),
    FaultyLine(.badKey, in: attributes, #""bad-key":1"#),
    FaultyLine(.reservedKey, in: attributes, #""$label":"sports""#),
    FaultyLine(.wrongType, in: event, #""e":"ad_seen","l":4711"#),
    FaultyLine(.badAttributes, in: event, #""e":"ad_seen","a":"none""#),
    FaultyLine(.stringEmpty, in: attributes, #""city":"""#),
    FaultyLine(.stringBlank, in: attributes, #""city":"  ""#),
    FaultyLine(.stringTooLong, in: attributes, #""city":"@S301.""#),
    FaultyLine(.stringNewline, in: attributes, #""city":"Paris\nLyon""#),
    FaultyLine(.integerOutOfRange, in: attributes, #""price":9223372036854775808"#),
    FaultyLine(.numberOutOfRange, in: attributes, #""price":1e999"#),
    FaultyLine(.tooManyAttributes, in: attributes, "@M21."),
    FaultyLine(.labelTooLong, in: event, #""e":"ad_seen","l":"@S201.""#),
    FaultyLine(.labelNewline, in: event, #""e":"ad_seen","l":"a\nb""#),
    FaultyLine(.tooManyTags, in: event, #""e":"ad_seen","t":[@L11.]"#),
    FaultyLine(.tagTooLong, in: event, #""e":"ad_seen","t":["@S65."]"#),
    FaultyLine(.tagBlank, in: event, #""e":"ad_seen","t":["  "]"#),
    FaultyLine(.tagNewline, in: event, #""e":"ad_seen","t":["a\nb"]"#),
  ]

  private static let actionFaults: [FaultyLine] = [
    FaultyLine(.badAction, in: action, #"["batch.user.event",7]"#),
    FaultyLine(
      .badAction, in: action, #"["batch.group",{"actions":[["batch.group",{"actions":[]}]]}]"#),
    FaultyLine(.badAction, in: tag, #""c":"interests","t":"sports","a":"toggle""#),
    FaultyLine(.badKey, in: tag, #""c":"bad-key","t":"sports","a":"add""#),
    FaultyLine(.stringTooLong, in: tag, #""c":"interests","t":"@S301.","a":"add""#),
    FaultyLine(.stringBlank, in: tag, #""c":"interests","t":" ","a":"add""#),
    FaultyLine(.unknownReservedKey, in: tag, #""c":"$interests","t":"sports","a":"add""#),
    FaultyLine(.topicInvalid, in: tag, #""c":"$topic_preferences","t":"No Topic","a":"add""#),
    FaultyLine(.wrongType, in: tag, #""c":"$language","t":"fr","a":"add""#),
    FaultyLine(
      .noIdentity,
      #"{"time":"@T","action":["batch.user.tag",{"c":"interests","t":"sports","a":"add"}]}"#),
    FaultyLine(.emptyRecord, in: action, #"["batch.group",{"actions":[]}]"#),
  ]

  /// One is too long only for a `--max-line` below 40,000 bytes, one is of another dialect, which
  /// only `--dialect` minds.
  private static let lineFaults: [FaultyLine] = [
    FaultyLine(.missingTime, in: seen, #""custom_id":"@U","id":"@E","#),
    FaultyLine(.invalidTime, in: seen, #""custom_id":"@U","id":"@E","time":"@T+1","#),
    FaultyLine(.timeOutOfRange, in: seen, #""custom_id":"@U","id":"@E","time":1717200000,"#),
    FaultyLine(
      .outsideWindow, in: seen, #""custom_id":"@U","id":"@E","time":"2003-05-05T00:00:00","#),
    FaultyLine(.badEventID, in: seen, #""custom_id":"@U","id":"","time":"@T","#),
    FaultyLine(.badCustomID, in: seen, #""custom_id":"undefined","id":"@E","time":"@T","#),
    FaultyLine(.badInstallationID, in: seen, #""installation_id":"no id","id":"@E","time":"@T","#),
    FaultyLine(
      .invalidJSON,
      #"{"custom_id":"@U","id":"@E","time":"@T","action":["batch.user.event",{"e":"ad_"#),
    FaultyLine(.invalidUTF8, in: event, #""e":"ad_seen","l":"caf@X""#),
    FaultyLine(.notObject, #"["batch.user.event",{"e":"ad_seen"}]"#),
    FaultyLine(.tooDeep, in: attributes, #""deep":@D70."#),
    FaultyLine(.lineTooLong, in: event, #""e":"ad_seen","l":"@S40000.""#),
    FaultyLine(.unknownDialect, in: action, #""ad_seen""#),
    FaultyLine(
      .wrongDialect,
      #"{"identifiers":{"custom_id":"@U"},"time":"@T","attributes":{"old_key":null}}"#),
  ]
}
