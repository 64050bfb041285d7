import Stages

/// What goes wrong in logs of auto events: parts that are missing or are something else. Nearly all
/// of it is told as a loss: history cannot be sent again.
extension PulseLog {
  private static let click: StaticString = #"""
    {"event_type":"click","timestamp":@N000,"user_id":"@U",\#
    "data":{"metadata":{"title":"home"},"element":{"type":"button"},@_}}
    """#
  private static let scroll: StaticString = #"""
    {"event_type":"scroll","timestamp":@N000,"user_id":"@U",\#
    "data":{"metadata":{"title":"home"},"element":{"type":"list"},"scroll_info":{@_}}}
    """#
  private static let impression: StaticString = #"""
    {"event_type":"items_impression","timestamp":@N000,"user_id":"@U",\#
    "data":{"metadata":{"title":"home"},"element":{"type":"carousel"},@_}}
    """#
  private static let gesture: StaticString = #"""
    {"event_type":"gesture","timestamp":@N000,"user_id":"@U",\#
    "data":{"metadata":{"title":"home"},@_}}
    """#
  private static let data: StaticString =
    #"{"event_type":"click","timestamp":@N000,"user_id":"@U","data":{@_}}"#
  private static let line: StaticString =
    #"{"event_type":"purchase",@_"data":{"metadata":{"title":"home"}}}"#

  static let faults: [FaultyLine] = partFaults + eventFaults + lineFaults

  private static let partFaults: [FaultyLine] = [
    FaultyLine(.missingScrollSpeed, in: scroll, #""distance":120,"direction":"up""#),
    FaultyLine(.repairedTrailingComma, in: click, #""section":"news","#),
    FaultyLine(
      .tooManyPreviousEvents, in: click, #""previous_events":[@G11.],"sources_info":[{"n":0}]"#),
    FaultyLine(.badEnumScrollDirection, in: scroll, #""distance":120,"direction":"sideways""#),
    FaultyLine(
      .itemsCountMismatch, in: impression, #""items_count":3,"params":[{"position":0}]"#),
    FaultyLine(
      .missingScrollDistance, in: scroll,
      #""speed":1.5,"scroll_depth":0.4,"start_position":0,"end_position":9,"duration":80"#),
    FaultyLine(.missingElement, in: data, #""metadata":{"title":"home"}"#),
    FaultyLine(.missingElementType, in: data, #""metadata":{"title":"home"},"element":{"id":"b"}"#),
    FaultyLine(.missingMetadata, in: data, #""element":{"type":"button"}"#),
    FaultyLine(
      .missingScrollInfo,
      #"""
      {"event_type":"scroll","timestamp":@N000,"user_id":"@U",\#
      "data":{"metadata":{"title":"home"},"element":{"type":"list"}}}
      """#),
    FaultyLine(.missingGestureType, in: gesture, #""section":"news""#),
    FaultyLine(.badEnumGestureType, in: gesture, #""gesture_params":{"type":"shake"}"#),
    FaultyLine(.missingParams, in: impression, #""items_count":3"#),
    FaultyLine(.missingItemsCount, in: impression, #""params":[{"position":0}]"#),
    FaultyLine(.tooManySourcesInfo, in: click, #""sources_info":[@G4.]"#),
    FaultyLine(.badFieldMetadata, in: data, #""metadata":"home","element":"button""#),
    FaultyLine(
      .badFieldElementType, in: data, #""metadata":{"title":"home"},"element":{"type":7}"#),
    FaultyLine(
      .badFieldScrollDistance, in: scroll,
      #"""
      "distance":"far","speed":"fast","direction":7,"scroll_depth":"deep",\#
      "start_position":"top","end_position":"bottom","duration":"long"
      """#),
    FaultyLine(.badFieldGestureParams, in: gesture, #""gesture_params":"tap""#),
    FaultyLine(.badFieldGestureType, in: gesture, #""gesture_params":{"type":7}"#),
    FaultyLine(.badFieldParams, in: impression, #""items_count":"3","params":{"position":0}"#),
    FaultyLine(
      .badFieldPreviousEvents, in: click,
      #""previous_events":"none","sources_info":"none","additional_ids":"none""#),
    FaultyLine(
      .badFieldScrollInfo,
      #"""
      {"event_type":"scroll","timestamp":@N000,"user_id":"@U",\#
      "data":{"metadata":{"title":"home"},"element":{"type":"list"},"scroll_info":[1]}}
      """#),
  ]

  private static let eventFaults: [FaultyLine] = [
    FaultyLine(.missingData, #"{"event_type":"purchase","timestamp":@N000,"user_id":"@U"}"#),
    FaultyLine(
      .badAttributes, #"{"event_type":"click","timestamp":@N000,"user_id":"@U","data":[1]}"#),
    FaultyLine(.missingTime, in: line, #""user_id":"@U","#),
    FaultyLine(.missingName, #"{"event_type":"","timestamp":@N000,"user_id":"@U","data":{}}"#),
    FaultyLine(
      .badName, #"{"event_type":"///","timestamp":@N000,"user_id":"@U","data":{"metadata":{}}}"#),
    FaultyLine(.invalidTime, in: line, #""timestamp":"yesterday","user_id":"@U","#),
    FaultyLine(.timeOutOfRange, in: line, #""timestamp":@N,"user_id":"@U","#),
    FaultyLine(.outsideWindow, in: line, #""timestamp":1052092800000,"user_id":"@U","#),
    FaultyLine(.timeNoZone, in: line, #""timestamp":"2024-06-01T10:00:00","user_id":"@U","#),
    FaultyLine(.badIDIgnored, in: line, #""event_id":true,"timestamp":@N000,"user_id":"@U","#),
    FaultyLine(.badIDIgnored, in: line, #""timestamp":@N000,"user_id":"null","#),
    FaultyLine(.badFieldSubSIDs, in: line, #""timestamp":@N000,"user_id":"@U","sub_sids":"s","#),
    FaultyLine(
      .badFieldIsBackground, in: line, #""timestamp":@N000,"user_id":"@U","is_background":"no","#),
    FaultyLine(.stringTruncated, in: click, #""section":"@S301.""#),
    FaultyLine(.arrayTruncated, in: click, #""group":[@G26.]"#),
    FaultyLine(.attributesTruncated, in: click, "@M21."),
    FaultyLine(.keyCollision, in: click, #""Section":"news","section":"news""#),
    FaultyLine(.badKey, in: click, #""--":1"#),
    FaultyLine(.numberOutOfRange, in: click, #""price":1e999"#),
  ]

  /// One is too long only for a `--max-line` below 40,000 bytes, one is of another dialect, which
  /// only `--dialect` minds.
  private static let lineFaults: [FaultyLine] = [
    FaultyLine(
      .ambiguousDialect, in: line,
      #""userInfo":{"event_name":"a"},"timestamp":@N000,"user_id":"@U","#),
    FaultyLine(.invalidJSON, #"{"event_type":"click","timestamp":@N000,"data":{"meta"#),
    FaultyLine(.invalidUTF8, in: click, #""section":"caf@X""#),
    FaultyLine(.notObject, #"["click","@U","@T"]"#),
    FaultyLine(.tooDeep, in: click, #""deep":@D70."#),
    FaultyLine(.lineTooLong, in: click, #""section":"@S40000.""#),
    FaultyLine(.unknownDialect, #"{"type":"click","user":"@U","at":"@T"}"#),
    FaultyLine(
      .wrongDialect,
      #"{"identifiers":{"custom_id":"@U"},"time":"@T","attributes":{"old_key":null}}"#),
  ]
}
