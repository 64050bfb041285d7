import TestSupport

/// Records of all dialects, good and bad parts mixed, that follow from a seed.
struct RandomRecords: RandomChoices {
  var random: RepeatableRandom

  init(seed: UInt64) { random = RepeatableRandom(seed: seed) }

  /// One line.
  mutating func line() -> String {
    switch Int.random(in: 0..<10, using: &random) {
    case 0...3: v1Event(withOwner: true)
    case 4: "{\"id\":\"u\",\"events\":[\(v1Event(withOwner: false)),\(v1Event(withOwner: false))]}"
    case 5:
      "{\"id\":\"u\",\"time\":\(time()),\"update\":{\"overwrite\":\(pick(["true", "false", "null"])),"
        + "\"values\":\(object(["u.A", "ut.Roles", "date(u.d)", "language", "b"], depth: 3))}}"
    default: v2Record()
    }
  }

  private mutating func v2Record() -> String {
    var members = [
      "\"identifiers\":{"
        + pick(["", "\"custom_id\":\"u\"", "\"custom_id\":\"u\",\"installation_id\":\"i\""]) + "}"
    ]
    if chance(70) { members.append("\"time\":\(time())") }
    if chance(10) { members.append("\"overwrite\":true") }
    if chance(50) {
      let keys = ["a", "A", "date(a)", "url(u)", "$language", "$email_address", "items", "x-y"]
      members.append("\"attributes\":\(object(keys, depth: 2))")
    }
    let events = (0..<Int.random(in: 0...2, using: &random)).map { _ in v2Event() }
    members.append("\"events\":[\(events.joined(separator: ","))]")
    members.shuffle(using: &random)
    return "{\(members.joined(separator: ","))}"
  }

  private mutating func v2Event() -> String {
    var members = ["\"name\":\"\(pick(["Seen", "ad_seen", "bad name"]))\"", "\"time\":\(time())"]
    if chance(30) { members.append("\"id\":\(pick(["7", "\"\\u00e9\"", "\"x\""]))") }
    if chance(20) { members.append("\"label\":\"l\"") }
    if chance(80) {
      let keys = ["a", "B", "b", "date(d)", "url(u)", "$label", "$tags", "deep"]
      members.append("\"attributes\":\(object(keys, depth: 0))")
    }
    return "{\(members.joined(separator: ","))}"
  }

  private mutating func v1Event(withOwner: Bool) -> String {
    var members = ["\"name\":\"\(pick(["E.Seen", "ue.x", "seen"]))\"", "\"time\":\(time())"]
    if withOwner { members.append("\"user_id\":\"u\"") }
    if chance(50) { members.append("\"label\":\(value(depth: 9))") }
    if chance(50) { members.append("\"tags\":[\(value(depth: 9)),\(value(depth: 9)),\"T\",\"t\"]") }
    if chance(70) {
      members.append("\"attributes\":\(object(["a", "A", "date(d)", "$label", "c"], depth: 9))")
    }
    return "{\(members.joined(separator: ","))}"
  }

  private mutating func time() -> String {
    pick([
      "\"2024-05-01T10:20:30.1239+01:30\"", "1714521600123", "1714521600123.9",
      "\"2024-02-29 23:59:59\"", "\"2024-05-01T00:00:00Z\"", "5",
    ])
  }

  private mutating func object(_ keys: [String], depth: Int) -> String {
    let members = (0..<Int.random(in: 0...4, using: &random)).map { _ in
      "\"\(pick(keys))\":\(value(depth: depth + 1))"
    }
    return "{\(members.joined(separator: ","))}"
  }

  /// Some value; from depth 3 on without containers.
  private mutating func value(depth: Int) -> String {
    let scalars = [
      "1", "-0", "1.50", "2e3", "9223372036854775808", "1e999", "true", "false", "null", "\"\"",
      "\" \"", "\"x\"", "\"\\u00e9\\n\"", "\"quote \\\" \\u0001 \\ud83d\\ude00\"", "\"ÀÉ\"",
      "\"2024-05-01T10:20:30.5\"", "\"https://user@host:1/p?q#f\"", "\"fr\"", "\"a@b.c\"",
      "\"\(String(repeating: "é", count: 65))\"", "1091837578.110",
    ]
    guard depth < 4, chance(35) else { return pick(scalars) }
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return object(["a", "b", "date(c)", "url(d)"], depth: depth)
    case 1: return "[\(value(depth: depth + 1)),\"x\"]"
    default: return "{\"$add\":[\"x\",\"\\u0041\"],\"$remove\":[\(pick(scalars))]}"
    }
  }
}
