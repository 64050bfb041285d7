/// Lines of the dialects `sdk` and `action`, good and odd parts mixed, that follow from a seed.
package struct RandomDialectLines: RandomLines {
  package var random: RepeatableRandom

  package init(seed: UInt64) { random = RepeatableRandom(seed: seed) }

  package mutating func line() -> String { chance(55) ? sdk() : action() }

  // MARK: - Choices

  /// Mostly `usual`, occasionally another value.
  private mutating func mostly(_ usual: String) -> String { chance(96) ? usual : value(depth: 2) }

  private mutating func object(_ members: [(String, String)]) -> String {
    "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
  }

  private mutating func items(_ most: Int, _ item: (inout RandomDialectLines) -> String) -> String {
    "[\((0..<any(most + 1)).map { _ in item(&self) }.joined(separator: ","))]"
  }

  private mutating func time() -> String {
    pick([
      "\"2024-05-01T10:20:30.1239+01:30\"", "1714521600123", "\"2024-05-01T00:00:00Z\"",
      "\"2024-05-01T10:20:30.120Z\"", mostly("\"2024-05-01T10:20:30.120Z\""), "1714521600123.9",
    ])
  }

  /// Any value; from depth 4 on without containers.
  private mutating func value(depth: Int) -> String {
    let scalars = [
      "1", "-0", "1.50", "2e3", "9223372036854775808", "1e999", "true", "false", "null", "\"\"",
      "\" \"", "\"x\"", "\"\\u00e9\\n\"", "\"quote \\\" \\u0001 \\ud83d\\ude00\"",
      "\"2024-05-01T10:20:30.512Z\"", "\"2024-05-01T10:20:30.512-03:00\"", "\"https://a.test\"",
      "\"\(String(repeating: "é", count: 301))\"", "1714521600123",
    ]
    guard depth < 4, chance(30) else { return pick(scalars) }
    switch any(3) {
    case 0: return members(["a", "b.i", "date(c)", "$add"], depth: depth + 1)
    case 1: return items(3) { $0.value(depth: depth + 1) }
    default: return "{\"$add\":[\"x\",\"\\u0041\"],\"$remove\":[\(pick(scalars))]}"
    }
  }

  private mutating func members(_ keys: [String], depth: Int) -> String {
    object((0..<any(5)).map { _ in (pick(keys), value(depth: depth)) })
  }

  private mutating func ids() -> [(String, String)] {
    var members: [(String, String)] = []
    if chance(70) {
      members.append(
        (pick(["custom_id", "cus"]), mostly(pick(["\"u\"", "\"\\u00e9\"", "\"v\""]))))
    }
    if chance(70) {
      let names = ["installation_id", "install_id", "di"]
      let uuid = "\"7a0c6e1e-3b0b-4e0b-9d59-0a7e5c0f11aa\""
      members.append((pick(names), mostly(pick(["\"i\"", uuid]))))
    }
    return members
  }

  // MARK: - sdk

  private mutating func sdk() -> String {
    var members: [(String, String)] = [("id", mostly(pick(["\"e\"", "7", "null"])))]
    members.append((pick(["sDate", "sDate", "date"]), time()))
    members.append(("ts", "1"))
    if chance(50) { members += ids() } else { members.append(("ids", mostly(object(ids())))) }
    let internalNames = [
      "_PROFILE_IDENTIFY", "_PROFILE_DATA_CHANGED", "_INSTALL_DATA_CHANGED", "_LOCATION_CHANGED",
      "_OPTOUT", "_OPTIN", "_OPT_OUT", "_OPTOUT_WIPE_DATA", "_OTHER",
    ]
    let name = chance(50) ? pick(internalNames) : pick(["E.SEEN", "T", "ue.x", "E.Ad_Seen", "E.é"])
    members.append(("name", "\"\(name)\""))
    if chance(90) { members.append(("params", mostly(params(name)))) }
    if chance(10) { members.append(("opted_out", "true")) }
    members.shuffle(using: &random)
    return object(members)
  }

  private mutating func params(_ name: String) -> String {
    switch name {
    case "T": return object([("amount", value(depth: 3)), ("label", "\"x\"")])
    case "_PROFILE_IDENTIFY":
      let who = [("custom_id", mostly("\"u\"")), ("install_id", mostly("\"i\""))]
      return object([("identifiers", mostly(object(who)))])
    case "_PROFILE_DATA_CHANGED":
      let natives = [
        "email", "email_marketing", "phone_number", "sms_marketing", "language", "region", "else",
      ]
      var members = [("custom_attributes", mostly(typed(depth: 1)))]
      for _ in 0..<2 where chance(40) {
        let values = ["\"a@b.test\"", "\"subscribed\"", "\"+33\"", "\" fr \"", "null"]
        members.append((pick(natives), mostly(pick(values))))
      }
      return object(members)
    case "_INSTALL_DATA_CHANGED":
      return object([
        ("version", "1"), ("added", mostly(typed(depth: 1, prefix: "t."))),
        ("removed", mostly(typed(depth: 1, prefix: "t."))),
      ])
    case "_LOCATION_CHANGED":
      let numbers = ["1", "-89.99", "90.0", "91", "1e2", "-0.0"]
      return object([
        ("lat", mostly(pick(numbers))), ("lng", mostly(pick(numbers))),
        (pick(["acc", "x"]), mostly("12.5")), (pick(["date", "x"]), mostly("1714521600123")),
      ])
    default:
      return object([
        ("label", mostly("\"l\"")), ("tags", mostly("[\"T\",\"t\",\"u\"]")),
        ("attributes", mostly(typed(depth: 0))),
      ])
    }
  }

  /// An object with typed keys. Most values have the type of their key.
  private mutating func typed(depth: Int, prefix: String? = nil) -> String {
    var members: [(String, String)] = []
    for _ in 0..<any(6) {
      let name = pick(["a", "A", "b", "c_1", "é", "$label", "date(a)", ""])
      let type = pick(["b", "i", "f", "s", "t", "u", "a", "o", "x", ""])
      let key = type.isEmpty ? name : "\(name).\(type)"
      members.append((key, chance(85) ? fitting(type, depth: depth) : value(depth: depth)))
      if let prefix, chance(20) { members.append((prefix + name, "[\"x\",\"y\"]")) }
    }
    return object(members)
  }

  private mutating func fitting(_ type: String, depth: Int) -> String {
    switch type {
    case "b": return pick(["true", "false"])
    case "i": return pick(["1", "-7"])
    case "f": return pick(["1", "2.50", "1e3"])
    case "s": return pick(["\"x\"", "\"\\u00e9\""])
    case "t": return pick(["1714521600123", "-1", "0.9"])
    case "u": return "\"https://a.test/\\u00e9\""
    case "a" where depth < 4:
      return chance(50) ? "[\"x\",\"y\"]" : items(3) { $0.typed(depth: depth + 1) }
    case "o" where depth < 5: return typed(depth: depth + 1)
    default: return value(depth: depth)
    }
  }

  // MARK: - action

  private mutating func action() -> String {
    var members = ids().map {
      ($0.0 == "cus" ? "user_id" : $0.0 == "di" ? "install_id" : $0.0, $0.1)
    }
    let longest = "\"\(String(repeating: "x", count: 255))\""
    members.append((pick(["id", "event_id"]), mostly(pick(["\"a-1\"", "7", longest, "null"]))))
    members.append(("time", time()))
    let (name, arguments) = chance(40) ? ("batch.group", group()) : single()
    if chance(70) {
      members.append(("action", "[\"\(name)\",\(arguments)]"))
    } else {
      members += [("action", "\"\(name)\""), ("args", arguments)]
    }
    members.shuffle(using: &random)
    return object(members)
  }

  private mutating func group() -> String {
    let actions = items(chance(95) ? 6 : 12) {
      let (name, arguments) = $0.chance(97) ? $0.single() : ("batch.group", "{\"actions\":[]}")
      return $0.mostly($0.chance(95) ? "[\"\(name)\",\(arguments)]" : "[\"\(name)\"]")
    }
    return mostly(object([("actions", actions)]))
  }

  private mutating func single() -> (String, String) {
    switch any(10) {
    case 0: return ("batch.deeplink", value(depth: 3))
    case 1...4:
      let collection = pick(["c", "C", "d", "a b", "$language", "$topic_preferences", ""])
      let tag = pick(["\"x\"", "\"y\"", "\"\\u00e9\"", "\" \"", "\"\""])
      let word = pick(["add", "remove", "ADD", "set"])
      return (
        "batch.user.tag",
        mostly(
          object([
            ("c", mostly("\"\(collection)\"")), ("t", mostly(tag)), ("a", mostly("\"\(word)\"")),
          ]))
      )
    default:
      let keys = ["k", "K", "date(k)", "url(K)", "$label", "é", "j"]
      return (
        "batch.user.event",
        mostly(
          object([
            ("e", mostly(pick(["\"seen\"", "\"Ad_Seen\"", "\"\""]))), ("l", mostly("\"l\"")),
            ("t", mostly("[\"T\",\"t\",\"\",5]")), ("a", mostly(members(keys, depth: 3))),
          ]))
      )
    }
  }
}
