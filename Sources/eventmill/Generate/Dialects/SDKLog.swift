/// Logs as the SDKs send them: three lines of four are events of users, the others data of the
/// user and the device. Clocks of devices differ from that of the server, devices that are offline
/// send later, and old servers do not record when they received an event.
extension DialectLog {
  static let sdk = DialectLog(
    "sdk",
    lines: #"""
      line:
        72% <start>E.<NAME><ids>,"params":{<event_params>}}
        2.5% <start>T<ids>,"params":{"amount":<price>}}
        9% <session>
        3% <user? <identify>|<session>>
        1% <user? <logout>|<session>>
        4% <start>_PROFILE_DATA_CHANGED<ids>,"params":{<profile>}}
        4% <start>_INSTALL_DATA_CHANGED<ids>,"params":{<installation>}}
        3.5% <start>_LOCATION_CHANGED<ids>,"params":{<location>}}
        0.4% <start><50% _OPTOUT|_OPT_OUT><ids>}
        0.5% <start><50% _OPTIN|_OPT_IN><ids>}
        0.1% <start>_OPTOUT_WIPE_DATA<ids>}

      start: {"id":"<UUID>",<times>"name":"
      times: <old=10%><5% <late=?3600000>|<late=?240-120>>\
        "date":"<old? <time>|<time: ms-late>>",<old? |"sDate":"<time>",>
      device_id: ","ts":<ms>,"session":"<HEX 16>","ids":{"di":"<device>"
      ids: <device_id><user? ,"cus":"<user>">}

      session: <start><session_name><ids>}
      session_name: _START|_STOP|_OPEN_PUSH|_DISMISS
      identify: <start>_PROFILE_IDENTIFY<ids>,\
        "params":{"identifiers":{"custom_id":"<user>","install_id":"<device>"}}}
      logout: <start>_PROFILE_IDENTIFY<device_id>},\
        "params":{"identifiers":{"custom_id":null,"install_id":"<device>"}}}

      event_params: <50% "label":"<label>",><40% "tags":[<tag,3>],>"attributes":{<attribute,5>}
      attribute:
        "premium.b":<40% true|false>
        "quantity.i":<1+?9>
        "price.f":<price>
        "product.s":"<product>"
        "published.t":<ms-1000*?2000000>
        "page.u":<url>
        "colours.a":[<colour,3>]
        "delivery.o":{"city.s":"<city>","express.b":false}
        "cart.a":[{"name.s":"<product>","count.i":<1+?3>}]

      profile: <user? <40% <email>>>"language":"<language>","region":"<region>",\
        "custom_attributes":{"age.i":<18+?60>,<custom_attribute>}
      email: "email":"<user>@example.com","email_marketing":"subscribed",
      custom_attribute: "old_key":null|"programs.a":{"$add":[<program,3>]}|"city.s":"<city>"
      installation: "version":<1+?40>,"added":{"zone.s":"<zone>","visits.i":<1+?500>,\
        "t.interests":[<topic,3>]},"removed":{<50% "visits.i":1,"trial.b":true>}
      location: "lat":<41+?15>.<1000+?9000>,"lng":<?20-3>.<1000+?9000>,"acc":<5+?95>,"date":<ms>
      """#,
    // One is too long only for a `--max-line` below 40,000 bytes, one is of another dialect, which
    // only `--dialect` rejects.
    faults: #"""
      line: <fault>
      attributes: {"id":"<event>","sDate":"<time>","name":"E.AD_SEEN","ids":{"di":"<device>",\
        "cus":"<user>"},"params":{"attributes":{<fault>}}}
      parameters: {"id":"<event>","sDate":"<time>","name":"E.AD_SEEN","ids":{"di":"<device>",\
        "cus":"<user>"},"params":{<fault>}}
      envelope: {"id":"<event>",<fault>"ids":{"di":"<device>","cus":"<user>"},\
        "params":{"attributes":{"size.i":42}}}
      profile: {"id":"<event>","sDate":"<time>","name":"_PROFILE_DATA_CHANGED",\
        "ids":{"di":"<device>","cus":"<user>"},"params":{<fault>}}
      custom: {"id":"<event>","sDate":"<time>","name":"_PROFILE_DATA_CHANGED",\
        "ids":{"di":"<device>","cus":"<user>"},"params":{"custom_attributes":{<fault>}}}
      nobody: {"id":"<event>","sDate":"<time>",<fault>}

      bad_key               attributes "size":42
      bad_key               attributes "size.x":42
      wrong_type            attributes "size.i":"42"
      reserved_key          attributes "$price.f":59.9
      string_empty          attributes "brand.s":""
      string_blank          attributes "brand.s":"  "
      string_too_long       attributes "brand.s":"<x 301>"
      string_newline        attributes "brand.s":"acme\ninc"
      integer_out_of_range  attributes "size.i":9223372036854775808
      number_out_of_range   attributes "price.f":1e999
      date_invalid          attributes "until.t":<s>000000000
      url_invalid           attributes "page.u":"shop.example.com"
      url_too_long          attributes "page.u":"https://shop.example.com/<x 2048>"
      array_too_long        attributes "sizes.a":[<string*26>]
      array_mixed           attributes "cart.a":["tee",{"name.s":"socks"}]
      array_nested          attributes "sizes.a":[["m"]]
      too_nested            attributes "a.o":{"b.o":{"c.o":{"d.o":{}}}}
      too_many_attributes   attributes <typed_field*21>
      label_too_long        parameters "label":"<x 201>"
      label_blank           parameters "label":" "
      label_newline         parameters "label":"a\nb"
      too_many_tags         parameters "tags":[<string*11>]
      tag_too_long          parameters "tags":["<x 65>"]
      tag_blank             parameters "tags":[""]
      tag_newline           parameters "tags":["a\nb"]
      wrong_type            parameters "tags":"sale"
      bad_attributes        parameters "attributes":"none"
      bad_name              envelope   "sDate":"<time>","name":"E.AD SEEN!",
      missing_time          envelope   "name":"E.AD_SEEN",
      invalid_time          envelope   "sDate":"yesterday","name":"E.AD_SEEN",
      time_out_of_range     envelope   "sDate":"1970-01-01T00:00:12Z","name":"E.AD_SEEN",
      outside_window        envelope   "sDate":"2003-05-05T00:00:00Z","name":"E.AD_SEEN",
      bad_event_id          line       {"id":true,"sDate":"<time>","name":"E.AD_SEEN",\
        "ids":{"cus":"<user>"},"params":{}}
      wrong_type            line       {"id":"<event>","sDate":"<time>","name":"T",\
        "ids":{"cus":"<user>"},"params":{"amount":"9"}}
      email_invalid         profile    "email":"nobody.example.com"
      phone_invalid         profile    "phone_number":"0033 1 23 45"
      subscription_invalid  profile    "sms_marketing":"maybe"
      language_invalid      profile    "language":"f"
      region_invalid        profile    "region":"x"
      bad_attributes        profile    "custom_attributes":[]
      bad_key               custom     "age":26
      empty_operation       custom     "roles.a":{"$add":[]}
      reserved_key          custom     "$birthday.s":"1990-01-01"
      bad_attributes        nobody     "name":"_INSTALL_DATA_CHANGED","ids":{"di":"<device>"},\
        "params":{"version":2,"added":[]}
      location_invalid      nobody     "name":"_LOCATION_CHANGED","ids":{"di":"<device>"},\
        "params":{"lat":148.8566,"lng":2.3522}
      needs_custom_id       nobody     "name":"_PROFILE_DATA_CHANGED","ids":{"di":"<device>"},\
        "params":{"email":"a@example.com"}
      needs_installation_id nobody     "name":"_OPT_OUT","ids":{"cus":"<user>"},"ts":0
      invalid_time          line       {"sDate":"yesterday","name":"_PROFILE_IDENTIFY",\
        "ids":{"di":"<device>"},"params":{"identifiers":{"custom_id":"<user>"}}}
      no_identity           nobody     "name":"_PROFILE_DATA_CHANGED","params":{"language":"fr"}
      bad_custom_id         nobody     "name":"E.AD_SEEN","ids":{"cus":"null"},"params":{}
      bad_installation_id   nobody     "name":"E.AD_SEEN","ids":{"di":"no id"},"params":{}
      invalid_json          line       {"id":"<event>","sDate":"<time>","name":"E.AD_SEEN",\
        "ids":{"di":"<device>
      invalid_utf8          parameters "label":"caf<not_utf8>"
      not_object            line       ["E.AD_SEEN","<device>","<time>"]
      too_deep              parameters "attributes":<nested 70>
      line_too_long         parameters "label":"<x 40000>"
      unknown_dialect       line       {"event":"E.AD_SEEN","di":"<device>","sDate":"<time>"}
      wrong_dialect         line       {"identifiers":{"custom_id":"<user>"},"time":"<time>",\
        "attributes":{"old_key":null}}
      """#)
}
