/// Logs of built-in actions: mostly events and tags, sometimes a group, and actions that have no
/// effect. Some are split into two fields, as older versions write them.
extension DialectLog {
  static let action = DialectLog(
    "action",
    lines: #"""
      line: {<ids>,"id":"<event>","time":"<time>","action":<what>}
      ids: <user? "custom_id":"<user>"><both? ,><device? "installation_id":"<device>">
      what:
        15% "batch.user.event","args":<event_args>
        53% ["batch.user.event",<event_args>]
        18% ["batch.user.tag",<tag_args>]
        7% ["batch.group",{"actions":[<grouped*2+?3>]}]
        <ignored>
      grouped: 40% ["batch.user.event",<event_args>]|40% ["batch.user.tag",<tag_args>]|<ignored>
      ignored:
        ["batch.deeplink",{"l":"shop://cart"}]
        ["batch.dismiss"]
        ["batch.clipboard",{"t":"WELCOME10"}]
        ["batch.rating",{}]

      event_args: {"e":"<name>"<50% ,"l":"<label>"><40% ,"t":[<tag,3>]>,"a":{<attribute,4>}}
      attribute:
        "premium":<40% true|false>
        "quantity":<1+?9>
        "price":<price>
        "product":"<product>"
        "published":"<time: ms-1000*?2000000>"
        "source":"<source>"
      tag_args: {"c":<60% "interests","t":<topic>|"programs","t":<program>>,"a":"<75% add|remove>"}
      """#,
    // One is too long only for a `--max-line` below 40,000 bytes, one is of another dialect, which
    // only `--dialect` rejects.
    faults: #"""
      line: <fault>
      event_args: {"custom_id":"<user>","id":"<event>","time":"<time>",\
        "action":["batch.user.event",{<fault>}]}
      attributes: {"custom_id":"<user>","id":"<event>","time":"<time>",\
        "action":["batch.user.event",{"e":"ad_seen","a":{<fault>}}]}
      tag: {"custom_id":"<user>","id":"<event>","time":"<time>",\
        "action":["batch.user.tag",{<fault>}]}
      action: {"custom_id":"<user>","id":"<event>","time":"<time>","action":<fault>}
      seen: {<fault>"action":["batch.user.event",{"e":"ad_seen","l":"sports"}]}

      action_attribute_skipped attributes "price":9.99,"sizes":["m","l"]
      action_tag_skipped       event_args "e":"ad_seen","t":["sports",7]
      missing_name             event_args "e":"","l":"sports"
      bad_name                 event_args "e":"ad seen!"
      bad_key                  attributes "bad-key":1
      reserved_key             attributes "$label":"sports"
      wrong_type               event_args "e":"ad_seen","l":4711
      bad_attributes           event_args "e":"ad_seen","a":"none"
      string_empty             attributes "city":""
      string_blank             attributes "city":"  "
      string_too_long          attributes "city":"<x 301>"
      string_newline           attributes "city":"Paris\nLyon"
      integer_out_of_range     attributes "price":9223372036854775808
      number_out_of_range      attributes "price":1e999
      too_many_attributes      attributes <field*21>
      label_too_long           event_args "e":"ad_seen","l":"<x 201>"
      label_newline            event_args "e":"ad_seen","l":"a\nb"
      too_many_tags            event_args "e":"ad_seen","t":[<string*11>]
      tag_too_long             event_args "e":"ad_seen","t":["<x 65>"]
      tag_blank                event_args "e":"ad_seen","t":["  "]
      tag_newline              event_args "e":"ad_seen","t":["a\nb"]
      bad_action               action     ["batch.user.event",7]
      bad_action               action     ["batch.group",{"actions":[["batch.group",{\
        "actions":[]}]]}]
      bad_action               tag        "c":"interests","t":"sports","a":"toggle"
      bad_key                  tag        "c":"bad-key","t":"sports","a":"add"
      string_too_long          tag        "c":"interests","t":"<x 301>","a":"add"
      string_blank             tag        "c":"interests","t":" ","a":"add"
      unknown_reserved_key     tag        "c":"$interests","t":"sports","a":"add"
      topic_invalid            tag        "c":"$topic_preferences","t":"No Topic","a":"add"
      wrong_type               tag        "c":"$language","t":"fr","a":"add"
      no_identity              line       {"time":"<time>","action":["batch.user.tag",{\
        "c":"interests","t":"sports","a":"add"}]}
      empty_record             action     ["batch.group",{"actions":[]}]
      missing_time             seen       "custom_id":"<user>","id":"<event>",
      invalid_time             seen       "custom_id":"<user>","id":"<event>","time":"<time>+1",
      time_out_of_range        seen       "custom_id":"<user>","id":"<event>","time":1717200000,
      outside_window           seen       "custom_id":"<user>","id":"<event>",\
        "time":"2003-05-05T00:00:00",
      bad_event_id             seen       "custom_id":"<user>","id":"","time":"<time>",
      bad_custom_id            seen       "custom_id":"undefined","id":"<event>","time":"<time>",
      bad_installation_id      seen       "installation_id":"no id","id":"<event>","time":"<time>",
      invalid_json             line       {"custom_id":"<user>","id":"<event>","time":"<time>",\
        "action":["batch.user.event",{"e":"ad_
      invalid_utf8             event_args "e":"ad_seen","l":"caf<not_utf8>"
      not_object               line       ["batch.user.event",{"e":"ad_seen"}]
      too_deep                 attributes "deep":<nested 70>
      line_too_long            event_args "e":"ad_seen","l":"<x 40000>"
      unknown_dialect          action     "ad_seen"
      wrong_dialect            line       {"identifiers":{"custom_id":"<user>"},"time":"<time>",\
        "attributes":{"old_key":null}}
      """#)
}
