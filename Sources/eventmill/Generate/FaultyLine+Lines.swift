import Stages

/// Lines that are rejected as a whole, and lines that lose something on the way.
extension FaultyLine {
  /// Rejected lines. One is too long only for a `--max-line` below 40,000 bytes; else its label is.
  static let lines: [FaultyLine] = [
    FaultyLine(.invalidJSON, .any, #"{"custom_id":"@U","name":"ad_seen","time":"@T",}"#),
    FaultyLine(.invalidJSON, .any, #"{"identifiers":{"custom_id":"@U"},"events":[{"name":"ad_se"#),
    FaultyLine(
      .invalidUTF8, .any,
      #"{"id":"@E","custom_id":"@U","name":"ad_seen","time":"@T","label":"caf@X"}"#),
    FaultyLine(.notObject, .any, #"["ad_seen","@U","@T"]"#),
    FaultyLine(
      .tooDeep, .any,
      #"{"id":"@E","custom_id":"@U","name":"ad_seen","time":"@T","attributes":@D70.}"#),
    FaultyLine(
      .lineTooLong, .any,
      #"{"id":"@E","custom_id":"@U","name":"ad_seen","time":"@T","label":"@S40000."}"#),
    FaultyLine(.unknownDialect, .any, #"{"user":"@U","action":"ad_seen","at":"@T"}"#),
    FaultyLine(
      .badCustomID, .v1,
      #"{"id":"@E","custom_id":"undefined","name":"ad_seen","time":"@T"}"#),
    FaultyLine(
      .badCustomID, .v2,
      #"{"identifiers":{"custom_id":"  "},"time":"@T","attributes":{"age":26}}"#),
    FaultyLine(
      .badInstallationID, .any,
      #"{"id":"@E","installation_id":"no id","name":"ad_seen","time":"@T"}"#),
    FaultyLine(.noIdentity, .v2, #"{"identifiers":{},"time":"@T","attributes":{"age":26}}"#),
    FaultyLine(.noIdentity, .v1, #"{"time":"@T","update":{"values":{"u.age":26}}}"#),
    FaultyLine(.emptyRecord, .v2, #"{"identifiers":{"custom_id":"@U"},"events":[]}"#),
    FaultyLine(.emptyRecord, .v1, #"{"id":"@U","events":[]}"#),
    FaultyLine(.badEvents, .v2, #"{"identifiers":{"custom_id":"@U"},"events":{"name":"ad_seen"}}"#),
    FaultyLine(.badEvents, .v1, #"{"id":"@U","events":"ad_seen"}"#),
  ]

  /// Accepted lines of which something is dropped; a reserved key only with `--v1 lenient`.
  static let losses: [FaultyLine] = [
    FaultyLine(
      .labelBlank, .v1,
      #"{"id":"@E","custom_id":"@U","name":"ad_seen","time":"@T","label":"  "}"#),
    FaultyLine(
      .labelNewline, .v1,
      #"{"id":"@E","custom_id":"@U","name":"ad_seen","time":"@T","label":"a\nb"}"#),
    FaultyLine(
      .tagBlank, .v1,
      #"{"id":"@E","custom_id":"@U","name":"ad_seen","time":"@T","tags":[" ","in_promo"]}"#),
    FaultyLine(
      .tagNewline, .v1,
      #"{"id":"@E","custom_id":"@U","name":"ad_seen","time":"@T","tags":["a\nb","in_promo"]}"#),
    FaultyLine(
      .stringBlank, .v1,
      #"""
      {"id":"@E","custom_id":"@U","name":"ad_seen","time":"@T",\#
      "attributes":{"city":" ","premium":true}}
      """#),
    FaultyLine(
      .stringNewline, .v1,
      #"""
      {"id":"@E","custom_id":"@U","name":"ad_seen","time":"@T",\#
      "attributes":{"city":"Paris\nLyon","premium":true}}
      """#),
    FaultyLine(
      .reservedKeyInV1, .v1,
      #"""
      {"id":"@E","custom_id":"@U","name":"ad_seen","time":"@T",\#
      "attributes":{"$label":"sports","premium":true}}
      """#),
    FaultyLine(
      .rootLabelIgnored, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"@T","label":"sports"}]}
      """#),
    FaultyLine(
      .rootTagsIgnored, .v2,
      #"""
      {"identifiers":{"custom_id":"@U"},"events":[{"id":"@E","name":"ad_seen",\#
      "time":"@T","tags":["in_promo"]}]}
      """#),
  ]
}
