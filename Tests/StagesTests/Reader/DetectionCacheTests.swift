import TestSupport
import Testing

/// What is remembered of lines with the same members changes nothing of what they are told to be.
@Suite struct DetectionCacheTests {
  private static let names = [
    "_id", "timestamp", "event", "data", "activity", "event_type", "event_id", "sub_sids", "name",
    "params", "ts", "date", "action", "userInfo", "event_name", "extras", "identifiers", "events",
    "other",
  ]
  private static let values = [
    "1", "null", #""x""#, #""batch.user.tag""#, "[]", #"["a"]"#, #"{"event_name":"n"}"#,
    #"{"event_name":null}"#, "{}", #""com.parse.bolts.measurement_event""#,
  ]

  private static func line(_ random: inout RepeatableRandom) -> String {
    let members = (0..<Int.random(in: 1..<6, using: &random)).map { _ in
      let name = names[Int.random(in: 0..<names.count, using: &random)]
      return "\"\(name)\":\(values[Int.random(in: 0..<values.count, using: &random)])"
    }
    return "{" + members.joined(separator: ",") + "}"
  }

  /// The dialect of each line, and the codes of those that have none.
  private func told(_ lines: [String]) throws -> [String] {
    try StageHarness().explain(Array(lines.joined(separator: "\n").utf8)).map {
      $0.value["dialect"]?.text ?? $0.codes.joined(separator: " ")
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func linesOfOneBlockAreToldAsByThemselves(seed: UInt64)
    throws
  {
    var random = RepeatableRandom(seed: seed)
    let lines = (0..<150).map { _ in Self.line(&random) }
    // Each shape comes again, behind others and with other values.
    let block = lines + lines.reversed()
    let found = try told(block)
    let alone = try lines.map { try told([$0]).joined() }
    for (position, line) in block.enumerated() {
      let expected = alone[position < lines.count ? position : block.count - 1 - position]
      #expect(found[position] == expected, "seed \(seed): \(line)")
    }
    #expect(Set(found).count > 6, "dialects of many kinds: \(Set(found))")
  }

  @Test func whatAValueDecidesIsNotRemembered() throws {
    #expect(
      try told([
        #"{"userInfo":{"event_name":"n"}}"#, #"{"userInfo":{"other":"n"}}"#,
        #"{"userInfo":{"event_name":"n"}}"#, #"{"action":["x"]}"#, #"{"action":7}"#,
        #"{"action":"batch.x"}"#,
      ]) == ["bolts", "unknown_dialect", "bolts", "action", "unknown_dialect", "action"])
  }

  @Test func aMemberThatIsNullMakesAnotherShape() throws {
    let lines = [
      #"{"_id":1,"timestamp":1,"data":"x"}"#, #"{"_id":1,"timestamp":1,"data":null}"#,
      #"{"_id":1,"timestamp":1,"data":"x","data":null}"#,
      #"{"_id":1,"timestamp":1,"data":null,"data":"x"}"#,
      #"{"event_type":"e","event_id":"1"}"#, #"{"event_type":"e","event_id":null}"#,
    ]
    let expected = [
      "realm", "unknown_dialect", "unknown_dialect", "realm", "pulse", "pulse",
    ]
    #expect(try told(lines) == expected)
    #expect(try told(lines + lines) == expected + expected)
  }

  /// Names beyond what a shape holds, and names without a number.
  @Test func linesWithManyAndWithLongNames() throws {
    let many = (0..<20).map { ",\"m\($0)\":1" }.joined()
    let long = String(repeating: "n", count: 70)
    for rest in [many, ",\"\(long)\":1"] {
      let lines = [
        "{\"activity\":\"a\"\(rest)}", "{\"activity\":null\(rest)}",
        "{\"event_type\":\"e\",\"event_id\":\"1\"\(rest)}",
        "{\"event_type\":\"e\",\"data\":{}\(rest)}",
      ]
      #expect(
        try told(lines + lines)
          == Array(
            repeating: ["realm", "unknown_dialect", "unknown_dialect", "pulse"], count: 2
          ).flatMap(\.self))
    }
  }
}
