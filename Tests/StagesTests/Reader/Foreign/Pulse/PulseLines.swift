import TestSupport

/// Lines of the dialect `pulse`, good and bad parts mixed, that follow from a seed.
struct PulseLines: RandomChoices {
  var random: RepeatableRandom

  init(seed: UInt64) { random = RepeatableRandom(seed: seed) }

  private static let events = [
    "page_load", "page_view", "click", "Items-Impression", "items_impression", "scroll", "gesture",
    "购入", "app/permission/photo_library/granted", "App Open",
  ]

  /// One line.
  mutating func line() -> String {
    var members = [
      "\"event_type\":\"\(pick(Self.events))\"",
      "\"timestamp\":"
        + pick([
          "1714641300000", "\"1714641300123\"", "\"2024-05-02T09:15:00\"", "{\"$date\":1e12}",
        ]),
    ]
    if chance(70) { members.append("\"event_id\":\(pick(["\"E-1\"", "7", "\"é\""]))") }
    if chance(50) { members.append("\"is_background\":\(pick(["true", "false", "null", "1"]))") }
    if chance(50) { members.append("\"sub_sids\":\(object(atMost: 30, depth: 8))") }
    if chance(40) { members.append("\"user_id\":\(pick(["\"u\"", "\"null\"", "5", "\"\""]))") }
    if chance(40) { members.append("\"device_id\":\(pick(["\"i\"", "\"a b\"", "null"]))") }
    if chance(95) { members.append("\"data\":\(chance(97) ? data() : value(depth: 0))") }
    members.shuffle(using: &random)
    return "{\(members.joined(separator: ","))}"
  }

  private mutating func data() -> String {
    var members: [String] = []
    for name in ["metadata", "element", "gesture_params", "additional_ids"] where chance(60) {
      members.append("\"\(name)\":\(chance(85) ? object(atMost: 24, depth: 1) : value(depth: 1))")
    }
    if chance(40) { members.append("\"scroll_info\":\(scrollInfo())") }
    if chance(40) { members.append("\"items_count\":\(value(depth: 9))") }
    for name in ["params", "previous_events", "sources_info", "list"] where chance(50) {
      members.append("\"\(name)\":\(chance(90) ? list() : value(depth: 1))")
    }
    for _ in 0..<Int.random(in: 0...pick([2, 6, 30]), using: &random) {
      members.append("\"\(key())\":\(value(depth: 1))")
    }
    members.shuffle(using: &random)
    return "{\(members.joined(separator: ","))}"
  }

  private mutating func scrollInfo() -> String {
    let names = [
      "distance", "speed", "direction", "scroll_depth", "start_position", "end_position",
      "duration",
    ]
    let members = names.filter { _ in chance(80) }.map { "\"\($0)\":\(value(depth: 2))" }
    return "{\(members.joined(separator: ","))}"
  }

  private mutating func list() -> String {
    let length = Int.random(in: 0...pick([3, 12, 40]), using: &random)
    let hasObjects = chance(70)
    let items = (0..<length).map { _ in
      hasObjects && !chance(2) ? object(atMost: 5, depth: 2) : value(depth: 2)
    }
    return "[\(items.joined(separator: ","))]"
  }

  private mutating func object(atMost most: Int, depth: Int) -> String {
    let members = (0..<Int.random(in: 0...most, using: &random)).map { _ in
      "\"\(key())\":\(value(depth: depth + 1))"
    }
    return "{\(members.joined(separator: ","))}"
  }

  private mutating func key() -> String {
    if chance(30) { return "k\(Int.random(in: 0..<40, using: &random))" }
    return pick([
      "a", "A", "a b", "a_b", "A-B", "é", "è", "$label", "date(x)", "--", "", "type", "timestamp",
      "Timestamp", "is_background", "is-background", "sub_sids", "userId", "User ID", "deviceId",
      "metadata", "the_quite_long_name_of_an_attribute", "the_quite_long_name_of_an_attribut√",
    ])
  }

  /// Any value; containers only above depth 6.
  private mutating func value(depth: Int) -> String {
    switch Int.random(in: 0..<(depth < 6 ? 16 : 11), using: &random) {
    case 0:
      return "\"\(String(repeating: pick(["x", "é", "\\n", "👩‍👩‍👧"]), count: pick([1, 300, 301])))\""
    case 1: return pick(["\"\"", "\" \"", "\"\\t\\n\"", "null", "[]", "{}"])
    case 2: return pick(["true", "false"])
    case 3:
      return pick([
        "0", "-7", "99999999999999999999", "1.50", "1e400", "-1e-400", "2.0",
        "123456789012345678901e5",
      ])
    case 4: return pick(["1714641300000", "\"2024-05-02T09:15:00.000Z\"", "1714641300"])
    case 5: return pick(["\"up\"", "\"tap\"", "\"swipe\"", "\"user-1\"", "\"undefined\""])
    case 6...10: return "\(Int.random(in: -9...30, using: &random))"
    case 11, 12: return object(atMost: 3, depth: depth)
    case 13: return object(atMost: 26, depth: depth + 3)
    default:
      let items = (0..<Int.random(in: 0...pick([3, 30]), using: &random)).map { _ in
        value(depth: depth + 2)
      }
      return "[\(items.joined(separator: ","))]"
    }
  }
}
