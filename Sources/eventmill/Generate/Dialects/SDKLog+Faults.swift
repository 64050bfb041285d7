import Stages

/// What goes wrong in logs of the SDKs.
extension SDKLog {
  private static let attributes: StaticString = #"""
    {"id":"@E","sDate":"@T","name":"E.AD_SEEN","ids":{"di":"@I","cus":"@U"},\#
    "params":{"attributes":{@_}}}
    """#
  private static let parameters: StaticString =
    #"{"id":"@E","sDate":"@T","name":"E.AD_SEEN","ids":{"di":"@I","cus":"@U"},"params":{@_}}"#
  private static let event: StaticString =
    #"{"id":"@E",@_"ids":{"di":"@I","cus":"@U"},"params":{"attributes":{"size.i":42}}}"#
  private static let profile: StaticString = #"""
    {"id":"@E","sDate":"@T","name":"_PROFILE_DATA_CHANGED","ids":{"di":"@I","cus":"@U"},\#
    "params":{@_}}
    """#
  private static let custom: StaticString = #"""
    {"id":"@E","sDate":"@T","name":"_PROFILE_DATA_CHANGED","ids":{"di":"@I","cus":"@U"},\#
    "params":{"custom_attributes":{@_}}}
    """#
  private static let nobody: StaticString = #"{"id":"@E","sDate":"@T",@_}"#

  static let faults: [FaultyLine] = attributeFaults + eventFaults + operationFaults + lineFaults

  private static let attributeFaults: [FaultyLine] = [
    FaultyLine(.badKey, in: attributes, #""size":42"#),
    FaultyLine(.badKey, in: attributes, #""size.x":42"#),
    FaultyLine(.wrongType, in: attributes, #""size.i":"42""#),
    FaultyLine(.reservedKey, in: attributes, #""$price.f":59.9"#),
    FaultyLine(.stringEmpty, in: attributes, #""brand.s":"""#),
    FaultyLine(.stringBlank, in: attributes, #""brand.s":"  ""#),
    FaultyLine(.stringTooLong, in: attributes, #""brand.s":"@S301.""#),
    FaultyLine(.stringNewline, in: attributes, #""brand.s":"acme\ninc""#),
    FaultyLine(.integerOutOfRange, in: attributes, #""size.i":9223372036854775808"#),
    FaultyLine(.numberOutOfRange, in: attributes, #""price.f":1e999"#),
    FaultyLine(.dateInvalid, in: attributes, #""until.t":@N000000000"#),
    FaultyLine(.urlInvalid, in: attributes, #""page.u":"shop.example.com""#),
    FaultyLine(.urlTooLong, in: attributes, #""page.u":"https://shop.example.com/@S2048.""#),
    FaultyLine(.arrayTooLong, in: attributes, #""sizes.a":[@L26.]"#),
    FaultyLine(.arrayMixed, in: attributes, #""cart.a":["tee",{"name.s":"socks"}]"#),
    FaultyLine(.arrayNested, in: attributes, #""sizes.a":[["m"]]"#),
    FaultyLine(.tooNested, in: attributes, #""a.o":{"b.o":{"c.o":{"d.o":{}}}}"#),
    FaultyLine(.tooManyAttributes, in: attributes, "@Y21."),
  ]

  private static let eventFaults: [FaultyLine] = [
    FaultyLine(.labelTooLong, in: parameters, #""label":"@S201.""#),
    FaultyLine(.labelBlank, in: parameters, #""label":" ""#),
    FaultyLine(.labelNewline, in: parameters, #""label":"a\nb""#),
    FaultyLine(.tooManyTags, in: parameters, #""tags":[@L11.]"#),
    FaultyLine(.tagTooLong, in: parameters, #""tags":["@S65."]"#),
    FaultyLine(.tagBlank, in: parameters, #""tags":[""]"#),
    FaultyLine(.tagNewline, in: parameters, #""tags":["a\nb"]"#),
    FaultyLine(.wrongType, in: parameters, #""tags":"sale""#),
    FaultyLine(.badAttributes, in: parameters, #""attributes":"none""#),
    FaultyLine(.badName, in: event, #""sDate":"@T","name":"E.AD SEEN!","#),
    FaultyLine(.missingTime, in: event, #""name":"E.AD_SEEN","#),
    FaultyLine(.invalidTime, in: event, #""sDate":"yesterday","name":"E.AD_SEEN","#),
    FaultyLine(.timeOutOfRange, in: event, #""sDate":"1970-01-01T00:00:12Z","name":"E.AD_SEEN","#),
    FaultyLine(.outsideWindow, in: event, #""sDate":"2003-05-05T00:00:00Z","name":"E.AD_SEEN","#),
    FaultyLine(
      .badEventID, #"{"id":true,"sDate":"@T","name":"E.AD_SEEN","ids":{"cus":"@U"},"params":{}}"#),
    FaultyLine(
      .wrongType, #"{"id":"@E","sDate":"@T","name":"T","ids":{"cus":"@U"},"params":{"amount":"9"}}"#
    ),
  ]

  private static let operationFaults: [FaultyLine] = [
    FaultyLine(.emailInvalid, in: profile, #""email":"nobody.example.com""#),
    FaultyLine(.phoneInvalid, in: profile, #""phone_number":"0033 1 23 45""#),
    FaultyLine(.subscriptionInvalid, in: profile, #""sms_marketing":"maybe""#),
    FaultyLine(.languageInvalid, in: profile, #""language":"f""#),
    FaultyLine(.regionInvalid, in: profile, #""region":"x""#),
    FaultyLine(.badAttributes, in: profile, #""custom_attributes":[]"#),
    FaultyLine(.badKey, in: custom, #""age":26"#),
    FaultyLine(.emptyOperation, in: custom, #""roles.a":{"$add":[]}"#),
    FaultyLine(.reservedKey, in: custom, #""$birthday.s":"1990-01-01""#),
    FaultyLine(
      .badAttributes, in: nobody,
      #""name":"_INSTALL_DATA_CHANGED","ids":{"di":"@I"},"params":{"version":2,"added":[]}"#),
    FaultyLine(
      .locationInvalid, in: nobody,
      #""name":"_LOCATION_CHANGED","ids":{"di":"@I"},"params":{"lat":148.8566,"lng":2.3522}"#),
    FaultyLine(
      .needsCustomID, in: nobody,
      #""name":"_PROFILE_DATA_CHANGED","ids":{"di":"@I"},"params":{"email":"a@Aexample.com"}"#),
    FaultyLine(.needsInstallationID, in: nobody, #""name":"_OPT_OUT","ids":{"cus":"@U"},"ts":0"#),
    FaultyLine(
      .invalidTime,
      #"""
      {"sDate":"yesterday","name":"_PROFILE_IDENTIFY","ids":{"di":"@I"},\#
      "params":{"identifiers":{"custom_id":"@U"}}}
      """#),
    FaultyLine(
      .noIdentity, in: nobody, #""name":"_PROFILE_DATA_CHANGED","params":{"language":"fr"}"#),
  ]

  /// One is too long only for a `--max-line` below 40,000 bytes, one is of another dialect, which
  /// only `--dialect` minds.
  private static let lineFaults: [FaultyLine] = [
    FaultyLine(.badCustomID, in: nobody, #""name":"E.AD_SEEN","ids":{"cus":"null"},"params":{}"#),
    FaultyLine(
      .badInstallationID, in: nobody, #""name":"E.AD_SEEN","ids":{"di":"no id"},"params":{}"#),
    FaultyLine(.invalidJSON, #"{"id":"@E","sDate":"@T","name":"E.AD_SEEN","ids":{"di":"@I"#),
    FaultyLine(.invalidUTF8, in: parameters, #""label":"caf@X""#),
    FaultyLine(.notObject, #"["E.AD_SEEN","@I","@T"]"#),
    FaultyLine(.tooDeep, in: parameters, #""attributes":@D70."#),
    FaultyLine(.lineTooLong, in: parameters, #""label":"@S40000.""#),
    FaultyLine(.unknownDialect, #"{"event":"E.AD_SEEN","di":"@I","sDate":"@T"}"#),
    FaultyLine(
      .wrongDialect,
      #"{"identifiers":{"custom_id":"@U"},"time":"@T","attributes":{"old_key":null}}"#),
  ]
}
