/// Logs of measurement events as apps with Bolts or AQSEvent post them: a notification with what it
/// carries, the event by itself, or an intent. The collector
/// has added time, id and user; a few events belong to no user.
extension DialectLog {
  static let bolts = DialectLog(
    "bolts",
    lines: #"""
      line:
        35% {"name":"com.parse.bolts.measurement_event","object":null,\
          "userInfo":{<link>},<envelope>}
        20% {"notification":"org.openaquamarine.measurement_event","user_info":{<app>},<envelope>}
        25% {<app>,<envelope>}
        20% {"action":"com.parse.bolts.measurement_event","extras":{<link>},<envelope>}

      link: "event_name":"<link_name>","event_args":{"inputURL":<url>,"inputURLScheme":"https",\
        "targetURL":<url><50% <referer>>,"sourceApplication":"com.example.<source>",\
        "success":"<95% 1|0>"<30% ,"version":"1.0","type":"app_link">}
      link_name: al_nav_in|al_nav_out|al_ref_back_out|bf_link_opened|bf_link_failed
      referer: ,"refererURL":"news://articles/<?100000>","refererAppName":"Daily News"

      app: "event_name":"<app_name>","event_args":{<argument,5>}
      app_name:
        app/launched|screen/opened|item/viewed|item/purchased|search/performed|location/changed
        user/signed_in|app/permission/photo_library/granted|Cart Opened|購入
      argument:
        "screen":"<screen>"
        "itemName":"<product>"
        "price":<price>
        "item count":<1+?9>
        "isPremium":<40% true|false>
        "colours":[<colour,3>]
        "place":{"city":"<city>"}

      envelope: <2% |<60% <short_ids>|<long_ids>>>"event_id":"<uuid>",<when>
      short_ids: <user? "user_id":"<user>",><device? "device_id":"<device>",>
      long_ids: <user? "custom_id":"<user>",><device? "installation_id":"<device>",>
      when:
        60% "timestamp":<ms>
        10% "timestamp":"<ms>"
        10% "date":{"$date":"<time>"}
        20% "time":"<time>"
      """#,
    // Most of it is cut and recorded as a loss: history cannot be sent again. One is too long only
    // for a `--max-line` below 40,000 bytes, one is of another dialect, which only `--dialect`
    // rejects, and one is repaired only with `--repair`.
    faults: #"""
      line: <fault>
      notification: {"name":"com.parse.bolts.measurement_event","userInfo":{<fault>},\
        "custom_id":"<user>","event_id":"<event>","timestamp":<s>000}
      arguments: {"event_name":"item/viewed","event_args":{<fault>},"custom_id":"<user>",\
        "event_id":"<event>","timestamp":<s>000}
      envelope: {"event_name":"item/viewed","event_args":{"price":9.99},<fault>}

      missing_time            envelope     "custom_id":"<user>"
      not_measurement_event   line         {"name":"com.example.other",\
        "userInfo":{"event_name":"item/viewed"},"custom_id":"<user>","timestamp":<s>000}
      missing_name            notification "event_args":{"price":9.99}
      bad_name                notification "event_name":"///"
      bad_attributes          notification "event_name":"item/viewed","event_args":[1]
      key_collision           arguments    "itemName":"Teapot","itemname":"Teapot"
      bad_key                 arguments    "--":1,"price":9.99
      string_truncated        arguments    "comment":"<x 301>"
      array_truncated         arguments    "items":[<object*26>]
      attributes_truncated    arguments    <field*21>
      time_no_zone            envelope     "custom_id":"<user>","time":"2024-06-01T10:00:00"
      nobody_id               envelope     "custom_id":"undefined","timestamp":<s>000
      invalid_time            envelope     "custom_id":"<user>","time":"yesterday"
      time_out_of_range       envelope     "custom_id":"<user>","timestamp":<s>
      outside_window          envelope     "custom_id":"<user>","time":"2003-05-05T00:00:00Z"
      bad_id_ignored          envelope     "custom_id":"<user>","event_id":true,"timestamp":<s>000
      number_out_of_range     arguments    "price":1e999
      ambiguous_dialect       line         {"userInfo":{"event_name":"item/viewed"},\
        "event_type":"click","timestamp":<s>000,"data":{}}
      invalid_json            line         {"event_name":"item/viewed","event_args":{"price":9.
      repaired_trailing_comma arguments    "price":9.99,
      invalid_utf8            arguments    "comment":"caf<not_utf8>"
      not_object              line         ["item/viewed","<user>","<time>"]
      too_deep                arguments    "deep":<nested 70>
      line_too_long           arguments    "comment":"<x 40000>"
      unknown_dialect         line         {"event":"item/viewed","user":"<user>","at":"<time>"}
      wrong_dialect           line         {"identifiers":{"custom_id":"<user>"},"time":"<time>",\
        "attributes":{"old_key":null}}
      """#)
}
