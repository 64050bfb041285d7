import TestSupport

/// Lines of every sort that a log can have: people and installations that are linked and linked
/// again, events delivered twice, operations, losses, rejects, unknown fields.
struct RandomLog: RandomChoices {
  var random: RepeatableRandom
  /// Lines that may be delivered again.
  private var delivered: [String] = []
  /// Whether installations report locations, opt out, and request erasure.
  private let tellsPrivacy: Bool
  /// Whether some events have no time.
  private let hasUntimed: Bool

  init(seed: UInt64, tellsPrivacy: Bool = false, hasUntimed: Bool = true) {
    random = RepeatableRandom(seed: seed)
    (self.tellsPrivacy, self.hasUntimed) = (tellsPrivacy, hasUntimed)
  }

  mutating func lines(_ count: Int) -> [String] {
    (0..<count).map { _ in
      let line = any(20) < 3 ? delivered.randomElement(using: &random) : nil
      let next = line ?? self.line()
      delivered.append(next)
      return next
    }
  }

  private mutating func line() -> String {
    switch any(tellsPrivacy ? 17 : 14) {
    case 14: location()
    case 15, 16: consent()
    case 0: fault()
    case 1: anonymous()
    case 2, 3: link()
    case 4, 5: operation()
    case 6, 7: v1Event()
    case 8: v1Data()
    default: event()
    }
  }

  private mutating func time() -> String { "2024-05-0\(1 + any(9))T0\(any(10)):00:0\(any(3))Z" }

  private mutating func who() -> String {
    switch any(4) {
    case 0: "\"installation_id\":\"phone-\(any(12))\""
    case 1: "\"custom_id\":\"user-\(any(9))\",\"installation_id\":\"phone-\(any(12))\""
    default: "\"custom_id\":\"user-\(any(9))\""
    }
  }

  private mutating func id() -> String {
    if any(3) == 0 { return "" }
    return any(4) == 0
      ? "\"id\":\"r\(any(9))\",\"duplicate\":\"id\"," : "\"id\":\"e\(any(60))\","
  }

  private mutating func eventObject() -> String {
    var attributes = ""
    switch any(4) {
    case 0: attributes = ",\"attributes\":{\"price\":\(any(5)),\"$label\":\"l\(any(3))\"}"
    case 1: attributes = ",\"attributes\":{\"bad key\":1}"
    default: break
    }
    let time = any(8) == 0 && hasUntimed ? "\"untimed\":true" : "\"time\":\"\(time())\""
    return "{\(id())\"name\":\"event_\(any(7))\",\(time)\(attributes)}"
  }

  private mutating func event() -> String {
    let extra = any(5) == 0 ? ",\"extra\(any(4))é\":1" : ""
    return "{\"identifiers\":{\(who())},\"events\":[\(eventObject()),\(eventObject())]\(extra)}"
  }

  private mutating func anonymous() -> String {
    "{\"identifiers\":{},\"events\":[\(eventObject())]}"
  }

  private mutating func link() -> String {
    "{\"identifiers\":{\"custom_id\":\"user-\(any(9))\",\"installation_id\":\"phone-\(any(12))\"},"
      + "\"time\":\"\(time())\"}"
  }

  private mutating func operation() -> String {
    let values = [
      "\"age\":\(any(90))", "\"age\":null", "\"tags\":{\"$add\":[\"t\(any(40))\",\"t\(any(40))\"]}",
      "\"tags\":{\"$remove\":[\"t\(any(40))\"]}", "\"date(born)\":\(any(1000))",
      "\"$language\":\"fr\"", "\"url(home)\":\"https://a.example/\(any(4))\"", "\"broken\":{}",
    ]
    let all = "{\(values[any(8)]),\"key\(any(6))\":\"v\(any(5))\"}"
    let overwrite = any(9) == 0 ? "\"overwrite\":true," : ""
    return "{\"identifiers\":{\(who())},\"time\":\"\(time())\",\(overwrite)\"attributes\":\(all)}"
  }

  private mutating func location() -> String {
    "{\"identifiers\":{\(who())},\"time\":\"\(time())\",\"location\":"
      + "{\"latitude\":\(any(90)).5,\"longitude\":\(any(90))}}"
  }

  private mutating func consent() -> String {
    let person = any(3) == 0 ? "\"custom_id\":\"user-\(any(9))\"," : ""
    var words = [
      "\"opted_out\":true", "\"opted_out\":false", "\"opted_out\":true,\"erase\":true",
      "\"erase\":true",
    ]
    if !person.isEmpty {
      words += ["\"erase\":\"person\"", "\"opted_out\":false,\"erase\":\"person\""]
    }
    return "{\"identifiers\":{\(person)\"installation_id\":\"phone-\(any(12))\"},"
      + "\"time\":\"\(time())\",\(words[any(words.count)])}"
  }

  /// Erasure requests for some of them. Some are repeated, and some match no person.
  mutating func requests(_ count: Int) -> [String] {
    (0..<count).map { _ in
      let who =
        any(2) == 0
        ? "\"custom_id\":\"user-\(any(11))\"" : "\"installation_id\":\"phone-\(any(14))\""
      switch any(3) {
      case 0: return "{\(who),\"time\":\"\(time())\"}"
      case 1: return "{\(who),\"forever\":true}"
      default: return "{\(who)}"
      }
    }
  }

  private mutating func v1Event() -> String {
    let label = any(3) == 0 ? ",\"label\":\"\(any(2) == 0 ? " " : "L\(any(3))")\"" : ""
    let tags = any(3) == 0 ? ",\"tags\":[\"A\",\"\",\"b\",\"a\"]" : ""
    return "{\(id())\(who()),\"name\":\"E.Event_\(any(9))\",\"time\":\"\(time())\"\(label)\(tags)"
      + ",\"attributes\":{\"n\":\(any(9)),\"s\":\"\(any(4) == 0 ? "" : "x")\"}}"
  }

  private mutating func v1Data() -> String {
    "{\"id\":\"user-\(any(9))\",\"time\":\"\(time())\",\"update\":{\"values\":"
      + "{\"u.city\":\"c\(any(4))\",\"ut.roles\":[\"r\(any(5))\"]}}}"
  }

  private mutating func fault() -> String {
    ["", "no JSON", "{}", "{\"identifiers\":{\"custom_id\":\"null\"},\"events\":[]}", "1"][any(5)]
  }
}
