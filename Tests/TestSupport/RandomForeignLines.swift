import Pipeline

/// Lines of the dialects `pulse`, `bolts` and `realm`, good and odd parts mixed, that follow from a
/// seed.
package struct RandomForeignLines: RandomLines {
  package var random: RepeatableRandom

  /// Of a hundred keys and values of the line, how many are odd.
  private var oddity = 0

  package init(seed: UInt64) { random = RepeatableRandom(seed: seed) }

  package mutating func line() -> String {
    oddity = pick([2, 20, 60, 90])
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return pulse()
    case 1: return bolts()
    default: return realm()
    }
  }

  // MARK: - Dialects

  private mutating func pulse() -> String {
    var fields: [(String, String)] = [
      (
        "event_type",
        pick([
          "\"page_load\"", "\"page_view\"", "\"click\"", "\"Items-Impression\"", "\"scroll\"",
          "\"items_impression\"", "\"gesture\"", "\"购入\"", "\"App Open\"",
          "\"app/permission/photo_library/granted\"",
        ])
      ), ("timestamp", time()),
    ]
    if chance(70) { fields.append(("event_id", id())) }
    if chance(50) { fields.append(("is_background", pick(["true", "false", "null", "1"]))) }
    if chance(50) { fields.append(("sub_sids", chance(80) ? object(6, most: 30) : value(0))) }
    if chance(95) { fields.append(("data", chance(97) ? data() : value(0))) }
    return object(fields + ids())
  }

  private static let scrolls = [
    "distance", "speed", "direction", "scroll_depth", "start_position", "end_position", "duration",
  ]

  private mutating func data() -> String {
    var fields: [(String, String)] = []
    for name in ["metadata", "element", "gesture_params", "additional_ids"] where chance(60) {
      fields.append((name, chance(85) ? object(1, most: 24) : value(1)))
    }
    if chance(40) {
      let names = Self.scrolls.filter { _ in chance(80) }
      fields.append(("scroll_info", object(names.map { ($0, value(2)) })))
    }
    if chance(40) { fields.append(("items_count", value(9))) }
    for name in ["params", "previous_events", "sources_info", "list"] where chance(50) {
      fields.append((name, chance(90) ? list(2, most: pick([3, 12, 40])) : value(1)))
    }
    for _ in 0..<Int.random(in: 0...pick([2, 6, 30]), using: &random) {
      fields.append((key(), value(1)))
    }
    return object(fields)
  }

  private mutating func bolts() -> String {
    var fields = [
      (pick(["timestamp", "time", "date"]), time()), ("event_args", object(0, most: 30)),
      ("event_id", id()), ("extra", value(1)),
    ].filter { _ in chance(70) }
    let isNotified = chance(50)
    if !isNotified || chance(80) {
      fields.append(("event_name", pick(["\"e\"", "\"a/b\"", "\"al_nav_in\"", "\"購入\""])))
    }
    let line = object(fields + ids())
    let name = "com.parse.bolts.measurement_event"
    return isNotified ? #"{"name":"\#(name)","userInfo":\#(line)}"# : line
  }

  private mutating func realm() -> String {
    let event = pick(["read", "write", "write", "tap", "", "Ä/b"])
    var fields = [
      ("_id", chance(50) ? #"{"$oid":"66335B9C0F1E2D3C4B5A6978"}"# : id()),
      ("timestamp", chance(90) ? time() : "\"soon\""), ("activity", text()),
      ("event", "\"\(event)\""), ("data", payload(event)),
    ].filter { _ in chance(90) }
    for _ in 0..<Int.random(in: 0...4, using: &random) { fields.append((key(), value(2))) }
    return object(fields + ids())
  }

  /// The content of an event, mostly as a text.
  private mutating func payload(_ event: String) -> String {
    let payload =
      switch chance(80) ? event : "" {
      case "read": object([("type", text()), ("value", list(2, most: 30))])
      case "write":
        object(
          (0..<Int.random(in: 0...4, using: &random)).map { _ in
            let pair = object([("oldValue", object(1, most: 4)), ("newValue", object(1, most: 4))])
            let lists = [
              ("insertions", list(2, most: 20)), ("deletions", list(2, most: 20)),
              ("modifications", "[\(pair)]"),
            ]
            return (key(), object(lists.filter { _ in chance(50) }))
          })
      default: value(0)
      }
    if chance(15) { return payload }
    var quoted = ByteBuffer()
    quoted.appendJSONString(payload)
    return quoted.view.text
  }

  // MARK: - Parts

  private mutating func ids() -> [(String, String)] {
    ["custom_id", "userId", "user_id", "login", "Device ID", "device_id", "installation_id"]
      .filter { _ in chance(25) }.map { ($0, id()) }
  }

  private mutating func id() -> String {
    pick(["\"u-1\"", "\"E-1\"", "\"i\"", "7", "\"é\"", "\"null\"", "\"a b\"", "\"\"", "[]", "null"])
  }

  private mutating func time() -> String {
    pick([
      "1714641300000", "\"1714641300123\"", "\"2024-05-02T09:15:00\"", "{\"$date\":1e12}",
      "\"2024-05-02T09:15:00.000Z\"", "{\"$date\":1714641300000}",
    ])
  }

  /// The fields in a random order.
  private mutating func object(_ fields: [(String, String)]) -> String {
    let fields = fields.map { "\"\($0.0)\":\($0.1)" }.shuffled(using: &random)
    let end = chance(oddity / 30) ? ",}" : "}"
    return "{\(fields.joined(separator: chance(3) ? " , " : ","))" + end
  }

  private mutating func object(_ depth: Int, most: Int) -> String {
    let count = Int.random(in: 0...most, using: &random)
    return object((0..<count).map { _ in (key(), value(depth + 1)) })
  }

  private mutating func list(_ depth: Int, most: Int) -> String {
    let isOfObjects = chance(60)
    let items = (0..<Int.random(in: 0...most, using: &random)).map { _ in
      isOfObjects && !chance(2) ? object(depth, most: 4) : value(depth + 1)
    }
    return "[\(items.joined(separator: ","))]"
  }

  private static let oddKeys = [
    "A", "a ", "a b", "a_b", "A-B", "aB", "é", "è", "購入", "/", "///", "x/y", "--", "!", "", "_x_",
    "$label", "$tags", "tags", "date(x)", "date(a)", "url", "type", "timestamp", "Timestamp",
    "is_background", "is-background", "sub_sids", "userId", "User ID", "deviceId", "metadata",
    "element", "scroll_info", "params", "items_count", "additional_ids", "previous_events", "speed",
    "direction", "inputURL", "targeturl", "the_quite_long_name_of_an_attribute",
    "the_quite_long_name_of_an_attribut√", String(repeating: "k", count: 40),
  ]

  private mutating func key() -> String {
    if chance(oddity) { return pick(Self.oddKeys) }
    return pick(["a", "b", "c_d", "e1", "k\(UInt8(random.next() % 40))"])
  }

  private mutating func text() -> String {
    if !chance(oddity) { return pick(Self.texts) }
    if chance(90) { return pick(Self.oddTexts) }
    let piece = pick(["y", "é", " ", "\\n", "e\u{301}", "👩‍👩‍👧", "\\ud83d\\ude00"])
    return "\"\(String(repeating: piece, count: pick([1, 300, 301, 305])) + pick(["", "x"]))\""
  }

  private static let texts = [
    "\"x\"", "\"some text\"", "\"é\"", #""a\"b""#, "\"2024-05-02T09:15:00.123Z\"",
  ]
  private static let oddTexts = [
    "", " ", "\\t\\n", "a\\nb", "\\u00e9", "\\/", "\\u0000", "\u{7F}", "é\\u0000\\u2028",
    "\\u000d\\n",
    "up", "tap", "swipe", "user-1", "undefined", "2024-05-02T09:15:00.000Z",
    "2024-02-30T09:15:00.123Z", "https://a.test/x",
  ].map { "\"\($0)\"" }
  private static let numbers = ["1", "-20", "3.5", "1714641300000"]
  private static let oddNumbers = [
    "0", "-0", "1.50", "2.0", "-2.50", "1e5", "1e400", "-1e-400", "99999999999999999999",
    "123456789012345678901e5", "1714641300", "1\(String(repeating: "0", count: 400))",
  ]

  private mutating func number() -> String { pick(chance(oddity) ? Self.oddNumbers : Self.numbers) }

  /// Any value; containers only above depth 7.
  private mutating func value(_ depth: Int) -> String {
    switch Int.random(in: 0..<(depth < 7 ? 14 : 8), using: &random) {
    case 0...3: return text()
    case 4, 5: return number()
    case 6: return pick(["true", "false"])
    case 7: return chance(oddity) ? pick(["null", "[]", "{}"]) : "\"y\""
    case 8, 9: return list(depth, most: chance(5) ? 30 : 3)
    default: return object(depth, most: chance(5) ? 26 : 3)
    }
  }
}
