/// Lines of `v1` and `v2` that are plain except for a field or two: with names repeated, renamed
/// and in any order, values at every limit, odd numbers and times. They follow from a seed.
package struct RandomPlainLines: RandomLines {
  package var random: RepeatableRandom

  /// Of a hundred values of the line, how many are odd.
  private var oddity = 0

  package init(seed: UInt64) { random = RepeatableRandom(seed: seed) }

  package mutating func line() -> String {
    oddity = pick([0, 0, 3, 10])
    return chance(15) ? v1Data() : chance(8) ? v1Batch() : chance(45) ? v1() : v2()
  }

  /// Several events of one owner.
  private mutating func v1Batch() -> String {
    let events = (0..<Int.random(in: 0...3, using: &random)).map { _ in v1() }
    var members = [
      member("id", owner(), or: ["custom_id"]), "\"events\":[\(events.joined(separator: ","))]",
    ]
    return object(&members)
  }

  /// One of `usual`, or in an odd line one of `odd`.
  private mutating func pick(_ usual: [String], odd: [String]) -> String {
    pick(chance(oddity) ? odd : usual)
  }

  private mutating func v1() -> String {
    var members = [
      member("custom_id", owner(), or: ["user_id", "custom_Id", "id"]),
      member("name", name(), or: ["Name", "event"]), member("time", time(), or: ["Time"]),
    ]
    if chance(60) { members.append(member("id", eventID(), or: ["event_id"])) }
    if chance(30) {
      members.append(member("installation_id", installation(), or: ["install_id"]))
    }
    let label = pick([text(near: [200])], odd: ["7", "{}", "[]", "null", "true"])
    if chance(50) { members.append(member("label", label, or: ["Label"])) }
    if chance(50) { members.append(member("tags", tags(), or: ["$tags"])) }
    if chance(60) { members.append(member("attributes", attributes(isV1: true), or: [])) }
    return object(&members)
  }

  private mutating func v1Data() -> String {
    var update = [member("values", values(), or: ["value", "attributes"])]
    if chance(70) {
      update.append(
        member("overwrite", pick(["false"], odd: ["true", "null", "0"]), or: ["Overwrite"]))
    }
    var members = [
      member("custom_id", owner(), or: ["user_id", "id"]), member("time", time(), or: ["date"]),
      member("update", object(&update), or: ["name"]),
    ]
    if chance(30) {
      members.insert(member("installation_id", installation(), or: ["install_id"]), at: 1)
    }
    if chance(oddity) {
      members.append(pick(["\"name\":\"n\"", "\"id\":\"7\"", "\"label\":\"l\""]))
    }
    return object(&members, mayShuffle: chance(20))
  }

  /// The user data of `v1`, whose keys have prefixes.
  private mutating func values() -> String {
    var members: [String] = []
    for _ in 0..<Int.random(in: 1...5, using: &random) {
      let key = pick(["a", "B", "k\(any(9))"], odd: ["é", "", "$x"])
      let typed = pick(["date(u.\(key))", "url(u.\(key))", "date(\(key))"], odd: ["date(u.\(key)"])
      switch any(8) {
      case 0: members.append("\"\(typed)\":\(pick([time(), "1714521600", "\"https://a.test/b\""]))")
      case 1: members.append("\"ut.\(key)\":\(pick([items(), change(), "null"], odd: [number()]))")
      case 2: members.append("\"\(key)\":\(text(near: [64]))")
      case 3: members.append(native())
      case 4: members.append("\"u.\(key)\":\(pick([items(), change(), "null", "true"]))")
      case 5: members.append("\"u.\(key)\":\(number())")
      default: members.append("\"u.\(key)\":\(text(near: [64]))")
      }
    }
    return object(&members)
  }

  private mutating func v2() -> String {
    var identifiers: [String] = []
    if chance(90) { identifiers.append(member("custom_id", owner(), or: ["id"])) }
    if chance(50) {
      identifiers.append(member("installation_id", installation(), or: ["installation"]))
    }
    var members = [member("identifiers", object(&identifiers), or: [])]
    if chance(50) { members.append(member("time", time(), or: [])) }
    if chance(40) { members.append(member("attributes", operations(), or: ["overwrite"])) }
    if chance(80) {
      let events = (0..<Int.random(in: 0...3, using: &random)).map { _ in v2Event() }
      members.append(member("events", "[\(events.joined(separator: ","))]", or: []))
    }
    return object(&members, mayShuffle: chance(oddity))
  }

  private mutating func v2Event() -> String {
    var members = [member("name", name(), or: ["label"]), member("time", time(), or: ["untimed"])]
    if chance(60) { members.insert(member("id", eventID(), or: ["event_id"]), at: 0) }
    if chance(15) { members.append("\"duplicate\":\(pick(["\"id\""], odd: ["\"no\"", "7"]))") }
    if chance(60) { members.append(member("attributes", attributes(isV1: false), or: ["tags"])) }
    return object(&members)
  }

  private mutating func attributes(isV1: Bool) -> String {
    var members: [String] = []
    if !isV1 || chance(5) {
      if chance(30) { members.append("\"$label\":\(text(near: [200]))") }
      if chance(30) { members.append("\"$tags\":\(tags())") }
    }
    let most = chance(5) ? 22 : 5
    for _ in 0..<Int.random(in: 1...most, using: &random) { members.append(attribute(depth: 0)) }
    return object(&members, mayShuffle: chance(oddity))
  }

  private mutating func attribute(depth: Int) -> String {
    let serial = any(90)
    let key = pick(["k\(serial)", "k\(serial)", "K\(serial)", "price_of_something_\(serial)"])
    switch any(12) {
    case 0: return "\"date(\(key))\":\(time())"
    case 1:
      return "\"date(\(key))\":\(pick(["1714521600", "1.5"], odd: ["-62135596801", "1e3"]))"
    case 2:
      let urls = ["\"https://a.test/b\"", "\"https://a.test/é\""]
      return "\"url(\(key))\":\(pick(urls, odd: ["\"https://\"", "7"]))"
    case 3 where depth < 5:
      var members = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        attribute(depth: depth + 1)
      }
      return "\"\(key)\":\(object(&members))"
    case 4 where depth < 5:
      let items = (0..<count(most: 26)).map { _ in item(depth: depth) }
      return "\"\(key)\":[\(items.joined(separator: ","))]"
    case 5 where chance(oddity):
      return "\"\(pick(["$label", "$x", "A b", "", "é", "a\\u0062", "date(a", "ÄÖ"]))\":1"
    case 6: return "\"\(key)\":\(number())"
    case 7: return "\"\(key)\":\(pick(["true", "false"], odd: ["null", "nul", "True"]))"
    default: return "\"\(key)\":\(text(near: [64, 300]))"
    }
  }

  private mutating func item(depth: Int) -> String {
    guard chance(30) else { return chance(oddity) ? number() : text(near: [300]) }
    var members = [attribute(depth: depth + 2)]
    return object(&members)
  }

  private mutating func operations() -> String {
    var members = (0..<Int.random(in: 1...4, using: &random)).map { _ in
      switch any(10) {
      case 0..<4: native()
      case 4: "\"set\(any(3))\":\(pick([items(), change(), "null"]))"
      default: attribute(depth: 0)
      }
    }
    return object(&members)
  }

  private mutating func native() -> String {
    let topics = pick(
      ["[\"a\",\"b_2\"]", "{\"$add\":[\"a\"],\"$remove\":[\"b\"]}", "null"],
      odd: ["[\"A\"]", "[\"a b\"]", "{\"$add\":[\"É\"]}", "\"a\""])
    return pick(
      [
        "\"$language\":\(pick(["\"fr\"", "\" fr \"", "null"], odd: ["\"f\""]))",
        "\"$region\":\"FR\"",
        "\"$email_address\":\(pick(["\"a@b.test\"", "null"], odd: ["\"a\""]))", "\"region\":\"FR\"",
        "\"$phone_number\":\"+33123456789\"", "\"$topic_preferences\":\(topics)",
        "\"$email_marketing\":\(pick(["\"subscribed\""], odd: ["\"yes\""]))",
        "\"$timezone\":\"Europe/Paris\"", "\"language\":\"fr\"",
      ], odd: ["\"$other\":1"])
  }

  private mutating func items() -> String {
    let items = (0..<count(most: 26)).map { _ in
      chance(oddity) ? number() : text(near: [64, 300])
    }
    return "[\(items.joined(separator: ","))]"
  }

  /// How many items a list has: few, or seldom none or more than a limit.
  private mutating func count(most: Int, usually few: Int = 3) -> Int {
    Int.random(in: (chance(oddity) ? 0 : 1)...(chance(5) ? most : few), using: &random)
  }

  private mutating func change() -> String {
    var members: [String] = []
    if chance(70) { members.append(member("$add", items(), or: ["$set", "add"])) }
    if chance(70) || members.isEmpty { members.append(member("$remove", items(), or: ["$add"])) }
    return object(&members)
  }

  private mutating func tags() -> String {
    let items = (0..<count(most: 11, usually: 4)).map { _ in
      pick(
        ["\"a\"", "\"B\"", "\"Été\"", "\"b\"", "\"ǅ\"", text(near: [64])],
        odd: ["\" a\"", "7", "null", "true", "{\"a\":1}", "[]"])
    }
    if chance(oddity) { return pick(["null", "{}", "\"a\"", "7"]) }
    return "[\(items.joined(separator: ","))]"
  }

  // MARK: - Values

  private mutating func name() -> String {
    pick(
      ["\"opened\"", "\"Opened\"", "\"\(String(repeating: "n", count: 30))\""],
      odd: [
        "\"E.BOUGHT\"", "\"ue.seen\"", "\"a b\"", "\"\"",
        "\"ue.\(String(repeating: "n", count: 30))\"",
        "\"\(String(repeating: "n", count: 31))\"", "\"n\\u0061me\"", "7", "null",
      ])
  }

  private mutating func time() -> String {
    pick(
      [
        "\"2024-05-01T10:20:30.123Z\"", "\"2024-05-01T10:20:30.123Z\"", "\"2024-05-01T10:20:30\"",
        "1714521600123", "\"2000-01-01T00:00:00.000Z\"", "\"2099-12-31T23:59:59.999Z\"",
      ],
      odd: [
        "\"2024-02-30T10:20:30.123Z\"", "\"1999-12-31T23:59:59.999Z\"", "4102444800000", "1e12",
        "0", "\"2024-05-01 10:20:30+02:00\"", "\"2024-05-01T10:20:30.123z\"", "null", "\"soon\"",
        "-1", "01714521600123", "1714521600123.5", "\"2024-05-01T10:20:30.123Z \"",
      ])
  }

  private mutating func number() -> String {
    pick(
      ["0", "-0", "7", "-12.50", "999999999999999999"],
      odd: [
        "1e5", "01", "1.", ".5", "-", "1000000000000000000", "9223372036854775807",
        "9223372036854775808", "0.1e2", "+1", String(repeating: "9", count: 301) + ".5",
        "1\(String(repeating: "0", count: 308))",
      ])
  }

  private mutating func eventID() -> String {
    pick(["\"id-\(any(50))\"", "7", text(near: [256])], odd: ["1.5", "\"null\""])
  }

  private mutating func owner() -> String {
    pick(
      ["\"user-1\"", "\"ü\"", text(near: [1024])],
      odd: ["\"null\"", "\"Undefined\"", "12", "\"a b\""])
  }

  private mutating func installation() -> String {
    pick(
      [
        "\"5B31BC86-E5BD-4A67-801C-4F4BCAB7CCC1\"", "\"5b31bc86-e5bd-4a67-801c-4f4bcab7ccc1\"",
        "\"phone-1\"",
      ],
      odd: ["\"phone 1\"", text(near: [128]), "\"phone\\u002d1\""])
  }

  /// A text, occasionally about as long as one of `limits`.
  private mutating func text(near limits: [Int]) -> String {
    let letter = pick(["a", "Z", "é", "😀", "e\u{301}"])
    switch chance(oddity) ? any(3) : 3 {
    case 0:
      let count = pick(limits) + Int.random(in: -1...1, using: &random)
      return "\"\(String(repeating: letter, count: count))\""
    case 1: return pick(["\"\"", "\" \"", "\"\u{A0}\"", "\"\t\"", "\"\u{7F}\"", "\" a\""])
    case 2:
      return pick([
        "\"a\\n\"", "\"\\u0001\"", "\"a\\u001f\\u007f\"", "\"\\\"\"", "\"\\\\\"", "\"\\ud83d\"",
        "\"a\\", "\"\\x\"",
      ])
    default:
      let quoted = chance(5) ? pick(["\\\"", "\\\\"]) : ""
      return "\"\(letter)\(quoted)\(letter)-\(any(99))\""
    }
  }

  // MARK: - Objects

  /// A field, occasionally under another name.
  private mutating func member(_ name: String, _ value: String, or others: [String]) -> String {
    let isOther = !others.isEmpty && chance(oddity / 3)
    return "\"\(isOther ? pick(others) : name)\":\(value)"
  }

  /// An object of the fields. One may be repeated, left out or written with a space.
  private mutating func object(_ members: inout [String], mayShuffle: Bool = true) -> String {
    if mayShuffle { members.shuffle(using: &random) }
    if !members.isEmpty, chance(oddity / 3) { members.append(pick(members)) }
    if !members.isEmpty, chance(oddity / 3) { members.removeLast() }
    return "{\(members.joined(separator: chance(oddity / 3) ? ", " : ","))}"
  }
}
