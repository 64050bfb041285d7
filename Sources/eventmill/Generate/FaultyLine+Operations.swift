import Stages

/// Lines with an operation that is refused.
extension FaultyLine {
  /// Of both dialects; some change another attribute as well, which is applied.
  static let operations: [FaultyLine] = [
    FaultyLine(
      .needsCustomID, .v2,
      #"""
      {"identifiers":{"installation_id":"@I"},"time":"@T",\#
      "attributes":{"$email_address":"a@Aexample.com"}}
      """#),
    FaultyLine(
      .emailInvalid, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"time":"@T",\#
      "attributes":{"$email_address":"nobody.example.com"}}
      """#),
    FaultyLine(
      .phoneInvalid, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"time":"@T",\#
      "attributes":{"$phone_number":"0033 1 23 45"}}
      """#),
    FaultyLine(
      .subscriptionInvalid, .v2,
      #"{"identifiers":{"custom_id":"@U"},"time":"@T","attributes":{"$email_marketing":"maybe"}}"#),
    FaultyLine(
      .languageInvalid, .v2,
      #"{"identifiers":{"custom_id":"@U"},"time":"@T","attributes":{"$language":"f"}}"#),
    FaultyLine(
      .languageInvalid, .v1,
      #"{"id":"@U","time":"@T","update":{"values":{"language":"f"}}}"#),
    FaultyLine(
      .regionInvalid, .v2,
      #"{"identifiers":{"custom_id":"@U"},"time":"@T","attributes":{"$region":"x"}}"#),
    FaultyLine(.regionInvalid, .v1, #"{"id":"@U","time":"@T","update":{"values":{"region":""}}}"#),
    FaultyLine(
      .unknownReservedKey, .v2,
      #"{"identifiers":{"custom_id":"@U"},"time":"@T","attributes":{"$birthday":"1990-01-01"}}"#),
    FaultyLine(
      .emptyOperation, .v2,
      #"{"identifiers":{"custom_id":"@U"},"time":"@T","attributes":{"programs":{"$add":[]}}}"#),
    FaultyLine(
      .emptyOperation, .v1,
      #"{"id":"@U","time":"@T","update":{"values":{"ut.roles":[]}}}"#),
    FaultyLine(
      .topicInvalid, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"time":"@T",\#
      "attributes":{"$topic_preferences":["No Topic"]}}
      """#),
    FaultyLine(.missingTime, .v2, #"{"identifiers":{"custom_id":"@U"},"attributes":{"age":26}}"#),
    FaultyLine(
      .badAttributes, .v2,
      #"{"identifiers":{"custom_id":"@U"},"time":"@T","attributes":"none"}"#),
    FaultyLine(.badAttributes, .v1, #"{"id":"@U","time":"@T","update":{"values":[]}}"#),
    FaultyLine(
      .badKey, .v2,
      #"{"identifiers":{"custom_id":"@U"},"time":"@T","attributes":{"bad-key":1,"age":26}}"#),
    FaultyLine(
      .badKey, .v1,
      #"{"id":"@U","time":"@T","update":{"values":{"u.bad key":1,"u.age":26}}}"#),
    FaultyLine(
      .wrongType, .v2,
      #"{"identifiers":{"custom_id":"@U"},"time":"@T","attributes":{"city":{"name":"Paris"}}}"#),
    FaultyLine(
      .stringTooLong, .v2,
      #"{"identifiers":{"custom_id":"@U"},"time":"@T","attributes":{"city":"@S301."}}"#),
    FaultyLine(
      .stringTooLong, .v1,
      #"{"id":"@U","time":"@T","update":{"values":{"u.city":"@S65."}}}"#),
    FaultyLine(
      .stringBlank, .v2,
      #"{"identifiers":{"custom_id":"@U"},"time":"@T","attributes":{"city":" "}}"#),
    FaultyLine(
      .integerOutOfRange, .v2,
      #"{"identifiers":{"custom_id":"@U"},"time":"@T","attributes":{"age":18446744073709551616}}"#),
    FaultyLine(
      .numberOutOfRange, .v2,
      #"{"identifiers":{"custom_id":"@U"},"time":"@T","attributes":{"age":1e999}}"#),
    FaultyLine(
      .dateInvalid, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"time":"@T",\#
      "attributes":{"date(birthdate)":"1990-02-31T00:00:00Z"}}
      """#),
    FaultyLine(
      .urlInvalid, .v2,
      #"{"identifiers":{"custom_id":"@U"},"time":"@T","attributes":{"url(avatar)":"https://"}}"#),
    FaultyLine(
      .arrayTooLong, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"time":"@T",\#
      "attributes":{"programs":{"$add":[@L26.]}}}
      """#),
    FaultyLine(
      .locationInvalid, .v2,
      #"""
      {"identifiers":{"installation_id":"@I"},"time":"@T",\#
      "location":{"latitude":148.8566,"longitude":2.3522}}
      """#),
    FaultyLine(
      .needsInstallationID, .v2,
      #"{"identifiers":{"custom_id":"@U"},"time":"@T","opted_out":true}"#),
  ]
}
