import Stages

/// Logs of v1, of v2, and of both.
extension DialectLog {
  /// Faults that only `v2` has: another one in the cycle of `mixed` would change all later ones,
  /// and sample-data is older than these.
  private static let newer: Set<ReasonCode> = [.locationInvalid, .needsInstallationID]

  /// About 55 % v1 events, 35 % v2 events, 10 % changes of attributes, 250 bytes a line.
  static let mixed = DialectLog(
    "mixed", lines: nativeLines, line: "mixed",
    faults: nativeFaults.filter { !newer.contains($0.code) })
  /// Nine events for one change of attributes.
  static let v1 = DialectLog(
    "v1", lines: nativeLines, line: "v1",
    faults: nativeFaults.filter { !$0.frame.hasPrefix("v2") })
  /// Nine lines with events for one change of attributes.
  static let v2 = DialectLog(
    "v2", lines: nativeLines, line: "v2",
    faults: nativeFaults.filter { !$0.frame.hasPrefix("v1") })

  /// Lines of an import from a program with its own units and forms: each looks right, and is
  /// rejected with a message that names the likely mistake.
  static let unitTraps = FaultyLine.all(
    in: #"""
      v1: <fault>
      v1_event: {"custom_id":"<user>","name":"order_imported","time":<fault>}
      v1_update: {"id":"<user>","time":"<time>","update":{"values":<fault>}}

      time_out_of_range v1_event  <s>
      time_out_of_range v1_event  <s>000000
      time_out_of_range v1_event  <s>000000000
      time_out_of_range v1        {"id":"<user>","events":[{"name":"order_imported",\
        "time":<s>000},{"name":"order_shipped","time":<s>}]}
      invalid_time      v1_event  "<s>000"
      invalid_time      v1_event  "2022-05-02T09:15:00 PST"
      invalid_time      v1_event  "2022-05-02 09:15:00 CET"
      invalid_time      v1_event  "2022-05-02T09:15:00 Europe/Paris"
      invalid_time      v1_event  "02/05/2022 09:15"
      invalid_time      v1_event  "2022-05-02 9:15 AM"
      date_invalid      v1_event  "<time>","attributes":{"date(shipped)":<s>000}
      wrong_type        v1_event  "<time>","label":4711
      wrong_type        v1_event  "<time>","tags":"sale,online"
      bad_attributes    v1_event  "<time>","attributes":"{\"price\":9.99}"
      date_invalid      v1_update {"u.city":"Lyon","date(u.since)":<s>000}
      bad_attributes    v1_update "{\"u.city\":\"Lyon\"}"
      """#)

  /// Events of the Trigger Events API and the Profiles API, changes of attributes of the Custom
  /// Data API and the Profiles API. A few events belong to no user.
  private static let nativeLines = LineGrammar(
    #"""
    mixed:
      55% <event_v1>
      35% <events_v2>
      3% <update_v1>
      0.5% <both? <link>|<update_v2>>
      6.5% <update_v2>
    v1: 90% <event_v1>|<update_v1>
    v2: 90% <events_v2>|<update_v2>

    ids: <user? "custom_id":"<user>"><both? ,><device? "installation_id":"<device>">

    event_v1: {"id":"<event>",<1% |<ids>,>"name":"<25% E.><name>","time":<time_v1>\
      <60% ,"label":"<label>"><50% ,"tags":[<tag,3>]><80% ,"attributes":{<attribute_v1,4>}>}
    time_v1: 12.5% <ms>|12.5% "<local: ms+7200000>+02:00"|"<local: ms>"
    attribute_v1:
      "premium":<40% true|false>
      "amount":<price>
      "quantity":<1+?9>
      "source":"<source>"
      "screen":"<screen>"
      "date(published)":<s-?2000000>
      "duration":<?1800>
      "Product":"<product>"
      "item_id":<100000+?900000>

    update_v1: {<ids>,"time":<time_v1>,"update":{"overwrite":false,"values":{<value_v1,3>}}}
    value_v1:
      "u.city":"<city>"
      "u.age":<18+?60>
      "u.old_key":null
      "ut.interests":[<topic,3>]
      "language":"<language>"
      "date(u.last_visit)":<s>

    events_v2: {"identifiers":{<1% |<ids>>},"events":[<15% <event_v2*2+?2>|<event_v2>>]}
    event_v2: {"id":"<event>","name":"<name>","time":"<time: ms+n+n*?900>","attributes":{\
      <30% "$label":"<label>",><25% "$tags":[<tag,3>],><attribute_v2,5>}}<next>
    attribute_v2:
      "premium":<40% true|false>
      "amount":<price>
      "quantity":<1+?9>
      "source":"<source>"
      "screen":"<screen>"
      "date(published)":"<time: ms-1000*?2000000>"
      "url(page)":<url>
      "product":"<product>"
      "colours":[<colour,3>]
      <50% "items":[<item*1+?3>]|"delivery":{"city":"<city>","express":false}>
      "item_id":<100000+?900000>
    item: {"name":"<product>","price":<price>}

    link: {"identifiers":{<ids>},"time":"<time>"}
    update_v2: {"identifiers":{<ids>},"time":"<time>","attributes":{<change,4>}}
    change:
      "$language":"<language>"
      "$region":"<region>"
      "$timezone":"<zone>"
      "city":"<city>"
      "age":<18+?60>
      "date(birthdate)":"<time: 86400000*?13000>"
      "programs":<programs>
      "old_key":null
      "url(avatar)":"https://img.example.com/a/<?1000000>"
      "$topic_preferences":<topics>
      "score":<price>
      <user? "$email_address":"<user>@example.com",>"$email_marketing":"<80% |un>subscribed"
    programs:
      [<program,3>]
      {"$remove":[<program,3>]}
      {"$add":[<program,3>]}
      {"$add":[<program,3>],"$remove":[<program,3>]}
    topics:
      [<topic,3>]
      {"$remove":[<topic,3>]}
      {"$add":[<topic,3>]}
      {"$add":[<topic,3>],"$remove":[<topic,3>]}
    """#)

  /// Rejected lines, events and operations, then losses. A frame begins with the dialect of the
  /// line, if it has one. One line is too long only for a `--max-line` below 40,000 bytes,
  /// otherwise its label is; `reserved_key_in_v1` is a loss only with `--v1 lenient`.
  private static let nativeFaults = FaultyLine.all(
    in: #"""
      any: <fault>
      v1: <fault>
      v2: <fault>
      v1_named: {"id":"<event>","custom_id":"<user>","name":"ad_seen",<fault>}
      v1_event: {"id":"<event>","custom_id":"<user>","name":"ad_seen","time":"<time>",<fault>}
      v1_attributes: {"id":"<event>","custom_id":"<user>","name":"ad_seen","time":"<time>",\
        "attributes":{<fault>}}
      v1_update: {"id":"<user>","time":"<time>","update":{"values":<fault>}}
      v2_event: {"identifiers":{"custom_id":"<user>"},"events":[{"id":"<event>",<fault>}]}
      v2_attributes: {"identifiers":{"custom_id":"<user>"},"events":[{"id":"<event>",\
        "name":"ad_seen","time":"<time>","attributes":{<fault>}}]}
      v2_line: {"identifiers":{"custom_id":"<user>"},<fault>}
      v2_update: {"identifiers":{"custom_id":"<user>"},"time":"<time>","attributes":{<fault>}}

      invalid_json          any           {"custom_id":"<user>","name":"ad_seen","time":"<time>",}
      invalid_json          any           {"identifiers":{"custom_id":"<user>"},\
        "events":[{"name":"ad_se
      invalid_utf8          any           {"id":"<event>","custom_id":"<user>","name":"ad_seen",\
        "time":"<time>","label":"caf<not_utf8>"}
      not_object            any           ["ad_seen","<user>","<time>"]
      too_deep              any           {"id":"<event>","custom_id":"<user>","name":"ad_seen",\
        "time":"<time>","attributes":<nested 70>}
      line_too_long         any           {"id":"<event>","custom_id":"<user>","name":"ad_seen",\
        "time":"<time>","label":"<x 40000>"}
      unknown_dialect       any           {"user":"<user>","action":"ad_seen","at":"<time>"}
      bad_custom_id         v1            {"id":"<event>","custom_id":"undefined",\
        "name":"ad_seen","time":"<time>"}
      bad_custom_id         v2            {"identifiers":{"custom_id":"  "},"time":"<time>",\
        "attributes":{"age":26}}
      bad_installation_id   any           {"id":"<event>","installation_id":"no id",\
        "name":"ad_seen","time":"<time>"}
      no_identity           v2            {"identifiers":{},"time":"<time>","attributes":{"age":26}}
      no_identity           v1            {"time":"<time>","update":{"values":{"u.age":26}}}
      empty_record          v2_line       "events":[]
      empty_record          v1            {"id":"<user>","events":[]}
      bad_events            v2_line       "events":{"name":"ad_seen"}
      bad_events            v1            {"id":"<user>","events":"ad_seen"}
      bad_name              v1            {"id":"<event>","custom_id":"<user>","name":"ad seen!",\
        "time":"<time>"}
      missing_time          v1            {"id":"<event>","custom_id":"<user>","name":"ad_seen"}
      invalid_time          v1_named      "time":"2024-02-30T10:00:00"
      time_out_of_range     v1_named      "time":1717200000
      outside_window        v1_named      "time":"2003-05-05T00:00:00"
      bad_event_id          v1            {"id":"","custom_id":"<user>","name":"ad_seen",\
        "time":"<time>"}
      bad_attributes        v1_event      "attributes":"none"
      bad_key               v1_attributes "bad-key":1
      reserved_key          v1_attributes "$price":9.99
      wrong_type            v1_attributes "price":null
      wrong_type            v1_event      "tags":"in_promo"
      type_not_in_v1        v1_attributes "colours":["red","blue"]
      string_empty          v1_attributes "city":""
      string_too_long       v1_attributes "city":"<x 65>"
      integer_out_of_range  v1_attributes "price":9223372036854775808
      number_out_of_range   v1_attributes "price":1e999
      date_invalid          v1_attributes "date(published)":"yesterday"
      too_many_attributes   v1_attributes <field*16>
      label_too_long        v1_event      "label":"<x 240>"
      too_many_tags         v1_event      "tags":[<string*11>]
      tag_too_long          v1_event      "tags":["<x 65>"]
      missing_name          v2_event      "time":"<time>"
      bad_name              v2_event      "name":"<x 31>","time":"<time>"
      missing_time          v2_event      "name":"ad_seen"
      invalid_time          v2_event      "name":"ad_seen","time":"<time>+1"
      time_out_of_range     v2_event      "name":"ad_seen","time":"1999-12-31T23:59:59Z"
      outside_window        v2_event      "name":"ad_seen","time":"2003-05-05T00:00:00Z"
      bad_event_id          v2_line       "events":[{"id":true,"name":"ad_seen","time":"<time>"}]
      bad_attributes        v2_event      "name":"ad_seen","time":"<time>","attributes":[1]
      bad_key               v2_attributes "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk":1
      reserved_key          v2_attributes "$Label":"sports"
      wrong_type            v2_attributes "price":null
      string_empty          v2_attributes "city":""
      string_blank          v2_attributes "city":"  "
      string_too_long       v2_attributes "city":"<x 301>"
      string_newline        v2_attributes "city":"Paris\nLyon"
      integer_out_of_range  v2_attributes "price":-9223372036854775809
      number_out_of_range   v2_attributes "price":-1e400
      date_invalid          v2_attributes "date(published)":"2024-13-01T00:00:00Z"
      url_invalid           v2_attributes "url(page)":"shop.example.com"
      url_too_long          v2_attributes "url(page)":"https://shop.example.com/<x 2048>"
      array_too_long        v2_attributes "colours":[<string*26>]
      array_mixed           v2_attributes "colours":["red",{"name":"blue"}]
      array_nested          v2_attributes "colours":[["red"]]
      too_nested            v2_attributes "a":{"b":{"c":{"d":{}}}}
      too_many_attributes   v2_attributes <field*21>
      label_too_long        v2_attributes "$label":"<x 201>"
      label_blank           v2_attributes "$label":" "
      label_newline         v2_attributes "$label":"a\nb"
      too_many_tags         v2_attributes "$tags":[<string*11>]
      tag_too_long          v2_attributes "$tags":["<x 65>"]
      tag_blank             v2_attributes "$tags":[""]
      tag_newline           v2_attributes "$tags":["a\nb"]
      needs_custom_id       v2            {"identifiers":{"installation_id":"<device>"},\
        "time":"<time>","attributes":{"$email_address":"a@example.com"}}
      email_invalid         v2_update     "$email_address":"nobody.example.com"
      phone_invalid         v2_update     "$phone_number":"0033 1 23 45"
      subscription_invalid  v2_update     "$email_marketing":"maybe"
      language_invalid      v2_update     "$language":"f"
      language_invalid      v1_update     {"language":"f"}
      region_invalid        v2_update     "$region":"x"
      region_invalid        v1_update     {"region":""}
      unknown_reserved_key  v2_update     "$birthday":"1990-01-01"
      empty_operation       v2_update     "programs":{"$add":[]}
      empty_operation       v1_update     {"ut.roles":[]}
      topic_invalid         v2_update     "$topic_preferences":["No Topic"]
      missing_time          v2_line       "attributes":{"age":26}
      bad_attributes        v2_line       "time":"<time>","attributes":"none"
      bad_attributes        v1_update     []
      bad_key               v2_update     "bad-key":1,"age":26
      bad_key               v1_update     {"u.bad key":1,"u.age":26}
      wrong_type            v2_update     "city":{"name":"Paris"}
      string_too_long       v2_update     "city":"<x 301>"
      string_too_long       v1_update     {"u.city":"<x 65>"}
      string_blank          v2_update     "city":" "
      integer_out_of_range  v2_update     "age":18446744073709551616
      number_out_of_range   v2_update     "age":1e999
      date_invalid          v2_update     "date(birthdate)":"1990-02-31T00:00:00Z"
      url_invalid           v2_update     "url(avatar)":"https://"
      array_too_long        v2_update     "programs":{"$add":[<string*26>]}
      location_invalid      v2            {"identifiers":{"installation_id":"<device>"},\
        "time":"<time>","location":{"latitude":148.8566,"longitude":2.3522}}
      needs_installation_id v2_line       "time":"<time>","opted_out":true
      label_blank           v1_event      "label":"  "
      label_newline         v1_event      "label":"a\nb"
      tag_blank             v1_event      "tags":[" ","in_promo"]
      tag_newline           v1_event      "tags":["a\nb","in_promo"]
      string_blank          v1_attributes "city":" ","premium":true
      string_newline        v1_attributes "city":"Paris\nLyon","premium":true
      reserved_key_in_v1    v1_attributes "$label":"sports","premium":true
      root_label_ignored    v2_event      "name":"ad_seen","time":"<time>","label":"sports"
      root_tags_ignored     v2_event      "name":"ad_seen","time":"<time>","tags":["in_promo"]
      """#)
}
