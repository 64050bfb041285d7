import Stages

/// Lines with an event that is rejected.
extension FaultyLine {
  /// Of v1.
  static let eventsV1: [FaultyLine] = [
    FaultyLine(.badName, .v1, #"{"id":"@E","custom_id":"@U","name":"ad seen!","time":"@T"}"#),
    FaultyLine(.missingTime, .v1, #"{"id":"@E","custom_id":"@U","name":"ad_seen"}"#),
    FaultyLine(
      .invalidTime, .v1,
      #"{"id":"@E","custom_id":"@U","name":"ad_seen","time":"2024-02-30T10:00:00"}"#),
    FaultyLine(
      .timeOutOfRange, .v1,
      #"{"id":"@E","custom_id":"@U","name":"ad_seen","time":1717200000}"#),
    FaultyLine(
      .outsideWindow, .v1,
      #"{"id":"@E","custom_id":"@U","name":"ad_seen","time":"2003-05-05T00:00:00"}"#),
    FaultyLine(.badEventID, .v1, #"{"id":"","custom_id":"@U","name":"ad_seen","time":"@T"}"#),
    FaultyLine(
      .badAttributes, .v1,
      #"{"id":"@E","custom_id":"@U","name":"ad_seen","time":"@T","attributes":"none"}"#),
    FaultyLine(
      .badKey, .v1,
      #"{"id":"@E","custom_id":"@U","name":"ad_seen","time":"@T","attributes":{"bad-key":1}}"#),
    FaultyLine(
      .reservedKey, .v1,
      #"{"id":"@E","custom_id":"@U","name":"ad_seen","time":"@T","attributes":{"$price":9.99}}"#),
    FaultyLine(
      .wrongType, .v1,
      #"{"id":"@E","custom_id":"@U","name":"ad_seen","time":"@T","attributes":{"price":null}}"#),
    FaultyLine(
      .wrongType, .v1,
      #"{"id":"@E","custom_id":"@U","name":"ad_seen","time":"@T","tags":"in_promo"}"#),
    FaultyLine(
      .typeNotInV1, .v1,
      #"""
      {"id":"@E","custom_id":"@U","name":"ad_seen","time":"@T",\#
      "attributes":{"colours":["red","blue"]}}
      """#),
    FaultyLine(
      .stringEmpty, .v1,
      #"{"id":"@E","custom_id":"@U","name":"ad_seen","time":"@T","attributes":{"city":""}}"#),
    FaultyLine(
      .stringTooLong, .v1,
      #"{"id":"@E","custom_id":"@U","name":"ad_seen","time":"@T","attributes":{"city":"@S65."}}"#),
    FaultyLine(
      .integerOutOfRange, .v1,
      #"""
      {"id":"@E","custom_id":"@U","name":"ad_seen","time":"@T",\#
      "attributes":{"price":9223372036854775808}}
      """#),
    FaultyLine(
      .numberOutOfRange, .v1,
      #"{"id":"@E","custom_id":"@U","name":"ad_seen","time":"@T","attributes":{"price":1e999}}"#),
    FaultyLine(
      .dateInvalid, .v1,
      #"""
      {"id":"@E","custom_id":"@U","name":"ad_seen","time":"@T",\#
      "attributes":{"date(published)":"yesterday"}}
      """#),
    FaultyLine(
      .tooManyAttributes, .v1,
      #"{"id":"@E","custom_id":"@U","name":"ad_seen","time":"@T","attributes":{@M16.}}"#),
    FaultyLine(
      .labelTooLong, .v1,
      #"{"id":"@E","custom_id":"@U","name":"ad_seen","time":"@T","label":"@S240."}"#),
    FaultyLine(
      .tooManyTags, .v1,
      #"{"id":"@E","custom_id":"@U","name":"ad_seen","time":"@T","tags":[@L11.]}"#),
    FaultyLine(
      .tagTooLong, .v1,
      #"{"id":"@E","custom_id":"@U","name":"ad_seen","time":"@T","tags":["@S65."]}"#),
  ]

  /// Of v2.
  static let eventsV2: [FaultyLine] = [
    FaultyLine(
      .missingName, .v2,
      #"{"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","time":"@T"}]}"#),
    FaultyLine(
      .badName, .v2,
      #"{"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"@S31.","time":"@T"}]}"#),
    FaultyLine(
      .missingTime, .v2,
      #"{"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen"}]}"#),
    FaultyLine(
      .invalidTime, .v2,
      #"{"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen","time":"@T+1"}]}"#),
    FaultyLine(
      .timeOutOfRange, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"1999-12-31T23:59:59Z"}]}
      """#),
    FaultyLine(
      .outsideWindow, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"2003-05-05T00:00:00Z"}]}
      """#),
    FaultyLine(
      .badEventID, .v2,
      #"{"identifiers":{"custom_id":"@U"},"events":[{"id":true,"name":"ad_seen","time":"@T"}]}"#),
    FaultyLine(
      .badAttributes, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"@T","attributes":[1]}]}
      """#),
    FaultyLine(
      .badKey, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"@T","attributes":{"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk":1}}]}
      """#),
    FaultyLine(
      .reservedKey, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"@T","attributes":{"$Label":"sports"}}]}
      """#),
    FaultyLine(
      .wrongType, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"@T","attributes":{"price":null}}]}
      """#),
    FaultyLine(
      .stringEmpty, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"@T","attributes":{"city":""}}]}
      """#),
    FaultyLine(
      .stringBlank, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"@T","attributes":{"city":"  "}}]}
      """#),
    FaultyLine(
      .stringTooLong, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"@T","attributes":{"city":"@S301."}}]}
      """#),
    FaultyLine(
      .stringNewline, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"@T","attributes":{"city":"Paris\nLyon"}}]}
      """#),
    FaultyLine(
      .integerOutOfRange, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"@T","attributes":{"price":-9223372036854775809}}]}
      """#),
    FaultyLine(
      .numberOutOfRange, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"@T","attributes":{"price":-1e400}}]}
      """#),
    FaultyLine(
      .dateInvalid, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"@T","attributes":{"date(published)":"2024-13-01T00:00:00Z"}}]}
      """#),
    FaultyLine(
      .urlInvalid, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"@T","attributes":{"url(page)":"shop.example.com"}}]}
      """#),
    FaultyLine(
      .urlTooLong, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"@T","attributes":{"url(page)":"https://shop.example.com/@S2048."}}]}
      """#),
    FaultyLine(
      .arrayTooLong, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"@T","attributes":{"colours":[@L26.]}}]}
      """#),
    FaultyLine(
      .arrayMixed, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"@T","attributes":{"colours":["red",{"name":"blue"}]}}]}
      """#),
    FaultyLine(
      .arrayNested, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"@T","attributes":{"colours":[["red"]]}}]}
      """#),
    FaultyLine(
      .tooNested, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"@T","attributes":{"a":{"b":{"c":{"d":{}}}}}}]}
      """#),
    FaultyLine(
      .tooManyAttributes, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"@T","attributes":{@M21.}}]}
      """#),
    FaultyLine(
      .labelTooLong, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"@T","attributes":{"$label":"@S201."}}]}
      """#),
    FaultyLine(
      .labelBlank, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"@T","attributes":{"$label":" "}}]}
      """#),
    FaultyLine(
      .labelNewline, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"@T","attributes":{"$label":"a\nb"}}]}
      """#),
    FaultyLine(
      .tooManyTags, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"@T","attributes":{"$tags":[@L11.]}}]}
      """#),
    FaultyLine(
      .tagTooLong, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"@T","attributes":{"$tags":["@S65."]}}]}
      """#),
    FaultyLine(
      .tagBlank, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"@T","attributes":{"$tags":[""]}}]}
      """#),
    FaultyLine(
      .tagNewline, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"@T","attributes":{"$tags":["a\nb"]}}]}
      """#),
  ]
}
