import Stages

/// What goes wrong in logs of measurement events. Most of it is cut, and told as a loss: history
/// cannot be sent again.
extension BoltsLog {
  private static let event: StaticString = #"""
    {"name":"com.parse.bolts.measurement_event","userInfo":{@_},"custom_id":"@U","event_id":"@E",\#
    "timestamp":@N000}
    """#
  private static let arguments: StaticString = #"""
    {"event_name":"item/viewed","event_args":{@_},"custom_id":"@U","event_id":"@E",\#
    "timestamp":@N000}
    """#
  private static let envelope: StaticString =
    #"{"event_name":"item/viewed","event_args":{"price":9.99},@_}"#

  static let faults: [FaultyLine] = eventFaults + lineFaults

  private static let eventFaults: [FaultyLine] = [
    FaultyLine(.missingTime, in: envelope, #""custom_id":"@U""#),
    FaultyLine(
      .notMeasurementEvent,
      #"""
      {"name":"com.example.other","userInfo":{"event_name":"item/viewed"},"custom_id":"@U",\#
      "timestamp":@N000}
      """#),
    FaultyLine(.missingName, in: event, #""event_args":{"price":9.99}"#),
    FaultyLine(.badName, in: event, #""event_name":"///""#),
    FaultyLine(.badAttributes, in: event, #""event_name":"item/viewed","event_args":[1]"#),
    FaultyLine(.keyCollision, in: arguments, #""itemName":"Teapot","itemname":"Teapot""#),
    FaultyLine(.badKey, in: arguments, #""--":1,"price":9.99"#),
    FaultyLine(.stringTruncated, in: arguments, #""comment":"@S301.""#),
    FaultyLine(.arrayTruncated, in: arguments, #""items":[@G26.]"#),
    FaultyLine(.attributesTruncated, in: arguments, "@M21."),
    FaultyLine(.timeNoZone, in: envelope, #""custom_id":"@U","time":"2024-06-01T10:00:00""#),
    FaultyLine(.badIDIgnored, in: envelope, #""custom_id":"undefined","timestamp":@N000"#),
    FaultyLine(.invalidTime, in: envelope, #""custom_id":"@U","time":"yesterday""#),
    FaultyLine(.timeOutOfRange, in: envelope, #""custom_id":"@U","timestamp":@N"#),
    FaultyLine(.outsideWindow, in: envelope, #""custom_id":"@U","time":"2003-05-05T00:00:00Z""#),
    FaultyLine(.badIDIgnored, in: envelope, #""custom_id":"@U","event_id":true,"timestamp":@N000"#),
    FaultyLine(.numberOutOfRange, in: arguments, #""price":1e999"#),
  ]

  /// One is too long only for a `--max-line` below 40,000 bytes, one is of another dialect, which
  /// only `--dialect` minds, and one is repaired only with `--repair`.
  private static let lineFaults: [FaultyLine] = [
    FaultyLine(
      .ambiguousDialect,
      #"{"userInfo":{"event_name":"item/viewed"},"event_type":"click","timestamp":@N000,"data":{}}"#
    ),
    FaultyLine(.invalidJSON, #"{"event_name":"item/viewed","event_args":{"price":9."#),
    FaultyLine(.repairedTrailingComma, in: arguments, #""price":9.99,"#),
    FaultyLine(.invalidUTF8, in: arguments, #""comment":"caf@X""#),
    FaultyLine(.notObject, #"["item/viewed","@U","@T"]"#),
    FaultyLine(.tooDeep, in: arguments, #""deep":@D70."#),
    FaultyLine(.lineTooLong, in: arguments, #""comment":"@S40000.""#),
    FaultyLine(.unknownDialect, #"{"event":"item/viewed","user":"@U","at":"@T"}"#),
    FaultyLine(
      .wrongDialect,
      #"{"identifiers":{"custom_id":"@U"},"time":"@T","attributes":{"old_key":null}}"#),
  ]
}
