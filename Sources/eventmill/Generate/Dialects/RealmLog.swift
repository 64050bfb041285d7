/// Logs of the audit events of the Realm Event Library: reads and writes of a shop's database, and
/// events that the app names. Two lines of three have the form of database exports, with times and
/// ids as Extended JSON.
extension DialectLog {
  static let realm = DialectLog(
    "realm",
    lines: #"""
      line:
        65% {"_id":{"$oid":"<oid>"},<what>,"timestamp":{"$date":"<time>"},<metadata>}
        35% {"_id":"<oid>",<what>,"timestamp":"<time>",<metadata>}
      metadata: <user? "userId":"<user>",><device? "device_id":"<device>",>\
        "appVersion":"4.<?20>","locale":"<language>"
      what: "_partition":"events","activity":"<activity>",<event_data>
      activity: Browse products|Edit order|Load profile|Check out|Sync inventory|Update address
      event_data:
        45% "event":"read","data":"<escaped: {"type":"<class>","value":[<stored*1+?4>]}>"
        30% "event":"write","data":"<escaped: {<changes,2>}>"
        20% "event":"<custom_name>",<30% "data":"from the <screen>"|"data":"<escaped: <custom>>">
        5% "event":null,"data":null

      class: Product|Order|Address|Review
      stored: {"_id":<?100000>,"name":"<product>","price":<price>,\
        "since":"<time: ms-1000*?2000000>"}
      changes: "Product":<changed>|"Order":<changed>|"Address":<changed>|"Review":<changed>
      changed: {"insertions":[<50% <stored>>],"modifications":[<60% <modified>>],\
        "deletions":[<20% <stored>>]}
      modified: <stock=?50>{"oldValue":{"_id":<?100000>,"stock":<stock+1>},\
        "newValue":{"stock":<stock>,"changed":"<time>"}}
      custom_name: checkout started|login|coupon applied|export requested
      custom: {"screen":"<screen>","items":<?9>,"total":<price>}
      """#,
    // Most of it is cut and recorded as a loss: history cannot be sent again. One is too long only
    // for a `--max-line` below 40,000 bytes, one is of another dialect, which only `--dialect`
    // rejects, and one is repaired only with `--repair`.
    faults: #"""
      line: <fault>
      body: {"_id":"<event>00000000","activity":"Browse products",<fault>,\
        "timestamp":{"$date":"<time>"},"userId":"<user>"}
      payload: {"_id":"<event>00000000","activity":"Browse products","event":"login",\
        "data":{<fault>},"timestamp":{"$date":"<time>"},"userId":"<user>"}
      metadata: {"_id":"<event>00000000","activity":"Browse products","event":"login",<fault>}

      payload_not_json        body     "event":"read","data":"{\"type\":\"Product\",\"val"
      payload_shape           body     "event":"write","data":"[1,2]"
      data_not_string         body     "event":"login","data":{"screen":"home"}
      bad_metadata            metadata "timestamp":"<time>","userId":"<user>",\
        "device":{"model":"A1"}
      nobody_id               metadata "timestamp":"<time>","userId":"null"
      time_no_zone            metadata "timestamp":"2024-06-01T10:00:00","userId":"<user>"
      missing_time            metadata "userId":"<user>"
      missing_name            line     {"_id":"<event>00000000","timestamp":"<time>",\
        "event":null,"data":"none","userId":"<user>"}
      bad_name                body     "event":"///"
      string_truncated        payload  "comment":"<x 301>"
      array_truncated         payload  "items":[<object*26>]
      attributes_truncated    payload  <field*21>
      key_collision           payload  "Name":"Teapot","name":"Teapot"
      bad_key                 payload  "--":1,"price":9.99
      number_out_of_range     payload  "price":1e999,"count":1
      invalid_time            metadata "timestamp":{"$date":"yesterday"},"userId":"<user>"
      time_out_of_range       metadata "timestamp":<s>,"userId":"<user>"
      outside_window          metadata "timestamp":"2003-05-05T00:00:00.000Z","userId":"<user>"
      bad_id_ignored          line     {"_id":true,"activity":"Browse products",\
        "timestamp":"<time>","userId":"<user>"}
      invalid_json            line     {"_id":"<event>00000000","activity":"Browse products",\
        "event":"re
      repaired_trailing_comma metadata "timestamp":"<time>","userId":"<user>",
      invalid_utf8            payload  "comment":"caf<not_utf8>"
      not_object              line     ["Browse products","<user>","<time>"]
      too_deep                payload  "deep":<nested 70>
      line_too_long           payload  "comment":"<x 40000>"
      unknown_dialect         line     {"operation":"read","user":"<user>","at":"<time>"}
      wrong_dialect           line     {"identifiers":{"custom_id":"<user>"},"time":"<time>",\
        "attributes":{"old_key":null}}
      """#)
}
