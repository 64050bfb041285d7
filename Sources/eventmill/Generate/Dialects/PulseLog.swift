/// Logs of the events that the Pulse SDK sends automatically: pages, clicks, scrolling, gestures,
/// and elements in view; sometimes an event that the app names. Ids are at the root or in the data.
extension DialectLog {
  static let pulse = DialectLog(
    "pulse",
    lines: #"""
      line:
        18% {"event_type":"page_load<head>,"element":{"type":"page<element><before><inner>}}
        15% {"event_type":"page_view<head>,"element":{"type":"page<element><before><inner>}}
        25% {"event_type":"click<head>,"element":{"type":"button<element><before><click><inner>}}
        17% {"event_type":"scroll<head>,"element":{"type":"list<element><before><scroll><inner>}}
        8% {"event_type":"gesture<head><before><gesture><inner>}}
        10% {"event_type":"items_impression<head>,"element":{"type":"carousel<element><before>\
          <impression><inner>}}
        7% {"event_type":"<name><head><before><custom><inner>}}

      head: ","event_id":"<uuid>","timestamp":<ms>,\
        "sub_sids":{"page":"<hex 12>","app":"<hex 12>"},\
        "is_background":<5% true|false>,<outside=50%><outside? <ids>>"data":{<page=?8>\
        "metadata":{"url":"https://shop.example.com/<screen.page>","title":"<screen.page>",\
        "language":"<language>"},"connection_type":"<connection>"
      ids: <user? "user_id":"<user>",><device? "install_id":"<device>",>
      inner: <outside? |,"additional_ids":{\
        <user? "userId":"<user>"><both? ,><device? "deviceId":"<device>">}>
      connection: wifi|cellular|ethernet|offline
      element: ","id":"<screen.page>_<?100>"},"parent_info":{"type":"section","position":<?12>}

      before: <30% ,"sources_info":[{"source":"<source>","medium":"campaign"}]>\
        <70% <ago=?4>,"previous_events":[<previous*ago+1>]>
      previous: {"event_type":"<previous_type>","event_id":"<hex 16>",\
        "timestamp":<ms-30000-30000*ago>}<ago=ago-1>
      previous_type:
        18% page_load|15% page_view|25% click|17% scroll|8% gesture|10% items_impression|click

      click: ,"target_info":{"href":"/<screen>"},"section":"<label>"
      scroll: <start=?2000><distance=50+?900>,"scroll_info":{"distance":<distance>,\
        "speed":<price>,"direction":"<direction>","scroll_depth":0.<1+?9>,\
        "start_position":<start>,"end_position":<start+distance>,"duration":<50+?3000>}
      direction: up|down|left|right
      gesture: ,"gesture_params":{"type":"<gesture_type>","duration":<?2000>}
      gesture_type: tap|long_press|scale|rotate|move
      impression: <count=1+?5><at=0>,"items_count":<count>,"params":[<item*count>]
      item: {"key":"<product>","position":<at>,"timestamp":<ms-?5000>}<at=at+1>
      custom: ,"additional_properties":{"product":"<product>","price":<price>},"group":"<label>"
      """#,
    // Missing parts, or parts with another type. Nearly all are losses: history cannot be sent
    // again. One is too long only for a `--max-line` below 40,000 bytes, one is of another dialect,
    // which only `--dialect` rejects.
    faults: #"""
      line: <fault>
      click: {"event_type":"click","timestamp":<s>000,"user_id":"<user>",\
        "data":{"metadata":{"title":"home"},"element":{"type":"button"},<fault>}}
      scroll: {"event_type":"scroll","timestamp":<s>000,"user_id":"<user>",\
        "data":{"metadata":{"title":"home"},"element":{"type":"list"},"scroll_info":{<fault>}}}
      impression: {"event_type":"items_impression","timestamp":<s>000,"user_id":"<user>",\
        "data":{"metadata":{"title":"home"},"element":{"type":"carousel"},<fault>}}
      gesture: {"event_type":"gesture","timestamp":<s>000,"user_id":"<user>",\
        "data":{"metadata":{"title":"home"},<fault>}}
      data: {"event_type":"click","timestamp":<s>000,"user_id":"<user>","data":{<fault>}}
      purchase: {"event_type":"purchase",<fault>"data":{"metadata":{"title":"home"}}}

      missing:scroll_info.speed      scroll     "distance":120,"direction":"up"
      repaired_trailing_comma        click      "section":"news",
      too_many:previous_events       click      "previous_events":[<object*11>],\
        "sources_info":[{"n":0}]
      bad_enum:scroll_info.direction scroll     "distance":120,"direction":"sideways"
      items_count_mismatch           impression "items_count":3,"params":[{"position":0}]
      missing:scroll_info.distance   scroll     "speed":1.5,"scroll_depth":0.4,\
        "start_position":0,"end_position":9,"duration":80
      missing:element                data       "metadata":{"title":"home"}
      missing:element.type           data       "metadata":{"title":"home"},"element":{"id":"b"}
      missing:metadata               data       "element":{"type":"button"}
      missing:scroll_info            line       {"event_type":"scroll","timestamp":<s>000,\
        "user_id":"<user>","data":{"metadata":{"title":"home"},"element":{"type":"list"}}}
      missing:gesture_params.type    gesture    "section":"news"
      bad_enum:gesture_params.type   gesture    "gesture_params":{"type":"shake"}
      missing:params                 impression "items_count":3
      missing:items_count            impression "params":[{"position":0}]
      too_many:sources_info          click      "sources_info":[<object*4>]
      bad_field:metadata             data       "metadata":"home","element":"button"
      bad_field:element.type         data       "metadata":{"title":"home"},"element":{"type":7}
      bad_field:scroll_info.distance scroll     "distance":"far","speed":"fast","direction":7,\
        "scroll_depth":"deep","start_position":"top","end_position":"bottom","duration":"long"
      bad_field:gesture_params       gesture    "gesture_params":"tap"
      bad_field:gesture_params.type  gesture    "gesture_params":{"type":7}
      bad_field:params               impression "items_count":"3","params":{"position":0}
      bad_field:previous_events      click      "previous_events":"none","sources_info":"none",\
        "additional_ids":"none"
      bad_field:scroll_info          line       {"event_type":"scroll","timestamp":<s>000,\
        "user_id":"<user>","data":{"metadata":{"title":"home"},"element":{"type":"list"},\
        "scroll_info":[1]}}
      missing_data                   line       {"event_type":"purchase","timestamp":<s>000,\
        "user_id":"<user>"}
      bad_attributes                 line       {"event_type":"click","timestamp":<s>000,\
        "user_id":"<user>","data":[1]}
      missing_time                   purchase   "user_id":"<user>",
      missing_name                   line       {"event_type":"","timestamp":<s>000,\
        "user_id":"<user>","data":{}}
      bad_name                       line       {"event_type":"///","timestamp":<s>000,\
        "user_id":"<user>","data":{"metadata":{}}}
      invalid_time                   purchase   "timestamp":"yesterday","user_id":"<user>",
      time_out_of_range              purchase   "timestamp":<s>,"user_id":"<user>",
      outside_window                 purchase   "timestamp":1052092800000,"user_id":"<user>",
      time_no_zone                   purchase   "timestamp":"2024-06-01T10:00:00",\
        "user_id":"<user>",
      bad_id_ignored                 purchase   "event_id":true,"timestamp":<s>000,\
        "user_id":"<user>",
      nobody_id                      purchase   "timestamp":<s>000,"user_id":"null",
      bad_field:sub_sids             purchase   "timestamp":<s>000,"user_id":"<user>",\
        "sub_sids":"s",
      bad_field:is_background        purchase   "timestamp":<s>000,"user_id":"<user>",\
        "is_background":"no",
      string_truncated               click      "section":"<x 301>"
      array_truncated                click      "group":[<object*26>]
      attributes_truncated           click      <field*21>
      key_collision                  click      "Section":"news","section":"news"
      bad_key                        click      "--":1
      number_out_of_range            click      "price":1e999
      ambiguous_dialect              purchase   "userInfo":{"event_name":"a"},"timestamp":<s>000,\
        "user_id":"<user>",
      invalid_json                   line       {"event_type":"click","timestamp":<s>000,\
        "data":{"meta
      invalid_utf8                   click      "section":"caf<not_utf8>"
      not_object                     line       ["click","<user>","<time>"]
      too_deep                       click      "deep":<nested 70>
      line_too_long                  click      "section":"<x 40000>"
      unknown_dialect                line       {"type":"click","user":"<user>","at":"<time>"}
      wrong_dialect                  line       {"identifiers":{"custom_id":"<user>"},\
        "time":"<time>","attributes":{"old_key":null}}
      """#)
}
