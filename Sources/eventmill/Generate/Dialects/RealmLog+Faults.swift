import Stages

/// What goes wrong in logs of audit events. Most of it is cut, and told as a loss: history cannot
/// be sent again.
extension RealmLog {
  private static let event: StaticString = #"""
    {"_id":"@E00000000","activity":"Browse products",@_,"timestamp":{"$date":"@T"},"userId":"@U"}
    """#
  private static let payload: StaticString = #"""
    {"_id":"@E00000000","activity":"Browse products","event":"login","data":{@_},\#
    "timestamp":{"$date":"@T"},"userId":"@U"}
    """#
  private static let metadata: StaticString =
    #"{"_id":"@E00000000","activity":"Browse products","event":"login",@_}"#

  static let faults: [FaultyLine] = eventFaults + lineFaults

  private static let eventFaults: [FaultyLine] = [
    FaultyLine(.payloadNotJSON, in: event, #""event":"read","data":"{\"type\":\"Product\",\"val""#),
    FaultyLine(.payloadShape, in: event, #""event":"write","data":"[1,2]""#),
    FaultyLine(.dataNotString, in: event, #""event":"login","data":{"screen":"home"}"#),
    FaultyLine(
      .badMetadata, in: metadata, #""timestamp":"@T","userId":"@U","device":{"model":"A1"}"#),
    FaultyLine(.badIDIgnored, in: metadata, #""timestamp":"@T","userId":"null""#),
    FaultyLine(.timeNoZone, in: metadata, #""timestamp":"2024-06-01T10:00:00","userId":"@U""#),
    FaultyLine(.missingTime, in: metadata, #""userId":"@U""#),
    FaultyLine(
      .missingName,
      #"{"_id":"@E00000000","timestamp":"@T","event":null,"data":"none","userId":"@U"}"#),
    FaultyLine(.badName, in: event, #""event":"///""#),
    FaultyLine(.stringTruncated, in: payload, #""comment":"@S301.""#),
    FaultyLine(.arrayTruncated, in: payload, #""items":[@G26.]"#),
    FaultyLine(.attributesTruncated, in: payload, "@M21."),
    FaultyLine(.keyCollision, in: payload, #""Name":"Teapot","name":"Teapot""#),
    FaultyLine(.badKey, in: payload, #""--":1,"price":9.99"#),
    FaultyLine(.numberOutOfRange, in: payload, #""price":1e999,"count":1"#),
    FaultyLine(.invalidTime, in: metadata, #""timestamp":{"$date":"yesterday"},"userId":"@U""#),
    FaultyLine(.timeOutOfRange, in: metadata, #""timestamp":@N,"userId":"@U""#),
    FaultyLine(
      .outsideWindow, in: metadata, #""timestamp":"2003-05-05T00:00:00.000Z","userId":"@U""#),
    FaultyLine(
      .badIDIgnored, #"{"_id":true,"activity":"Browse products","timestamp":"@T","userId":"@U"}"#),
  ]

  /// One is too long only for a `--max-line` below 40,000 bytes, one is of another dialect, which
  /// only `--dialect` minds, and one is repaired only with `--repair`.
  private static let lineFaults: [FaultyLine] = [
    FaultyLine(.invalidJSON, #"{"_id":"@E00000000","activity":"Browse products","event":"re"#),
    FaultyLine(.repairedTrailingComma, in: metadata, #""timestamp":"@T","userId":"@U","#),
    FaultyLine(.invalidUTF8, in: payload, #""comment":"caf@X""#),
    FaultyLine(.notObject, #"["Browse products","@U","@T"]"#),
    FaultyLine(.tooDeep, in: payload, #""deep":@D70."#),
    FaultyLine(.lineTooLong, in: payload, #""comment":"@S40000.""#),
    FaultyLine(.unknownDialect, #"{"operation":"read","user":"@U","at":"@T"}"#),
    FaultyLine(
      .wrongDialect,
      #"{"identifiers":{"custom_id":"@U"},"time":"@T","attributes":{"old_key":null}}"#),
  ]
}
