@testable import Stages
import Pipeline
import TestSupport
import Testing

/// Dialect `realm` (dialects 6), for cases that vectors cannot hold: paths of losses, large and
/// random lines.
@Suite struct RealmDialectTests {
  private let harness = StageHarness()

  /// A line whose event is `event`, with `payload` as a text in `data`.
  private func line(_ event: String, _ payload: String) -> String {
    var text = ByteBuffer()
    text.append(
      text:
        #"{"_id":"e","timestamp":"2024-05-02T09:15:00.000Z","activity":"a","event":"\#(event)","#
        + #""data":"#)
    text.appendJSONString(payload)
    text.append(text: "}")
    return text.view.text
  }

  @Test func everyMemberIsKnown() throws {
    harness.load(
      Array(#"{"activity":"a","timestamp":1714641300000,"name":"n","x":"y","_partition":1}"#.utf8))
    harness.work()
    #expect(harness.unit.batch.unknownNames.isEmpty)
  }

  // MARK: - Large lines

  /// Reads `line` as one line that may be of any length.
  private func explainLarge(_ line: [UInt8]) throws -> StageHarness.Explained {
    let lines = try harness.explain(line)
    return try #require(lines.first)
  }

  @Test func aWriteOfManyObjects() throws {
    let items = (0..<20_000).map { #"{"_id":\#($0),"name":"object number \#($0)"}"# }
    let found = try explainLarge(
      Array(line("write", #"{"P":{"insertions":[\#(items.joined(separator: ","))]}}"#).utf8))
    let data = found.value["canonical"]?["events"]?.items.first?["attributes"]?["data"]
    #expect(data?["insertions"]?.integer == 20_000)
    #expect(data?["changes"]?.items.count == 25)
    #expect(found.losses == ["data.changes array_truncated"])
  }

  @Test func aRecordOfSeventeenMebibytes() throws {
    let text = String(repeating: "0123456789abcdef", count: 17 << 16)
    let found = try explainLarge(
      Array(line("read", #"{"type":"P","value":[{"b":"\#(text)","a":1}]}"#).utf8))
    #expect(found.outcome == "accepted")
    let data = found.value["canonical"]?["events"]?.items.first?["attributes"]?["data"]
    #expect(data?["count"]?.integer == 1)
    #expect(data?["value"]?.items.first?["a"]?.integer == 1)
    #expect(data?["value"]?.items.first?["b"]?.text?.utf8.count == 300)
    #expect(found.losses == ["data.value[0].b string_truncated"])
  }

  /// Payloads that would take quadratic time if names were compared as whole texts, or fields
  /// pairwise.
  @Test func awkwardPayloads() throws {
    let members = (0..<40_000).map { #""k\#(40_000 - $0)":\#($0)"# }.joined(separator: ",")
    let modified = try explainLarge(
      Array(
        line(
          "write", #"{"P":{"modifications":[{"oldValue":{},"newValue":{\#(members)}}]}}"#
        ).utf8))
    let data = modified.value["canonical"]?["events"]?.items.first?["attributes"]?["data"]
    #expect(data?["changed"]?.items.prefix(3).map(\.text) == ["P.k1", "P.k10", "P.k100"])
    let name = String(repeating: "n", count: 1 << 18)
    let classes = (0..<8).map { position in
      #""\#(name)\#(position)":{"modifications":[{"oldValue":{},"newValue":{"#
        + (0..<5_000).map { #""p\#($0)":1"# }.joined(separator: ",") + "}}]}"
    }
    let named = try explainLarge(Array(line("write", "{\(classes.joined(separator: ","))}").utf8))
    #expect(named.outcome == "accepted")
    #expect(
      Set(named.lossCodes) == ["array_truncated", "attributes_truncated", "string_truncated"])
    let deep = String(repeating: #"{\"x\":["#, count: 100_000)
    #expect(
      try explainLarge(Array(line("write", deep).utf8)).lossCodes.contains("payload_not_json"))
  }

  // MARK: - Random lines

  /// Every accepted line becomes a v2 line that is its own canonical form.
  @Test func randomLines() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("RealmDialectTests.randomLines: seed \(seed)")
    var random = RandomRealmLines(seed: seed)
    let rounds = Effort.rounds(150, of: 600)
    var accepted = 0
    for _ in 0..<rounds {
      let line = random.line()
      let found = try harness.explain(line)
      guard let canonical = found.canonical else {
        #expect(!found.codes.isEmpty, "\(line)")
        continue
      }
      accepted += 1
      let again = try #require(try harness.explain(canonical).first)
      #expect(again.outcome == "accepted" && again.canonical == canonical, "\(line)")
      #expect(again.losses.isEmpty && again.value["dialect"]?.text == "v2", "\(line)")
    }
    // About a half is usual; less than a quarter means an error, for any seed.
    #expect(accepted > rounds / 4)
  }
}

/// Lines that look like those of audit events, more or less.
private struct RandomRealmLines: RandomChoices {
  var random: RepeatableRandom

  init(seed: UInt64) { random = RepeatableRandom(seed: seed) }

  private mutating func isOnce(in count: Int) -> Bool {
    Int.random(in: 0..<count, using: &random) == 0
  }

  /// A line with most of what an event has.
  mutating func line() -> String {
    var members: [String] = []
    if !isOnce(in: 8) {
      members.append(
        #""_id":\#(pick([#""e-1""#, #"{"$oid":"66335B9C0F1E2D3C4B5A6978"}"#, "5", "{}"]))"#)
    }
    if !isOnce(in: 12) {
      members.append(
        #""timestamp":\#(pick(["1714641300000", #""2024-05-02T09:15:00Z""#, #"{"$date":1714641300000}"#, #""soon""#]))"#
      )
    }
    if !isOnce(in: 8) { members.append(#""activity":\#(text())"#) }
    let event = pick(["read", "write", "tap", "", "Ä/b"])
    if !isOnce(in: 4) { members.append(#""event":"\#(event)""#) }
    if !isOnce(in: 8) { members.append(#""data":\#(data(event))"#) }
    for _ in 0..<Int.random(in: 0...4, using: &random) { members.append(member(depth: 2)) }
    for key in ["userId", "login", "Device ID", "custom_id"] where isOnce(in: 4) {
      members.append(#""\#(key)":\#(pick([#""u-1""#, #""null""#, "5", "[]"]))"#)
    }
    return "{" + members.shuffled(using: &random).joined(separator: ",") + "}"
  }

  private mutating func data(_ event: String) -> String {
    let payload: String
    switch event {
    case "read" where !isOnce(in: 4):
      payload = #"{"type":\#(text()),"value":\#(list(most: 30))}"#
    case "write" where !isOnce(in: 4): payload = write()
    default: payload = isOnce(in: 3) ? text() : value(depth: 0)
    }
    if isOnce(in: 6) { return payload }
    var quoted = ByteBuffer()
    quoted.appendJSONString(payload)
    return quoted.view.text
  }

  private mutating func write() -> String {
    let classes = (0..<Int.random(in: 0...4, using: &random)).map { _ in
      var lists: [String] = []
      if isOnce(in: 2) { lists.append(#""insertions":\#(list(most: 20))"#) }
      if isOnce(in: 2) { lists.append(#""deletions":\#(list(most: 20))"#) }
      if isOnce(in: 2) {
        lists.append(
          #""modifications":[{"oldValue":\#(object(depth: 1)),"newValue":\#(object(depth: 1))}]"#)
      }
      return "\(key()):{\(lists.joined(separator: ","))}"
    }
    return "{\(classes.joined(separator: ","))}"
  }

  private mutating func list(most: Int) -> String {
    let items = (0..<Int.random(in: 0...most, using: &random)).map { _ in object(depth: 2) }
    return "[\(items.joined(separator: ","))]"
  }

  private mutating func object(depth: Int) -> String {
    let members = (0..<Int.random(in: 0...(isOnce(in: 10) ? 24 : 4), using: &random)).map { _ in
      member(depth: depth)
    }
    return "{\(members.joined(separator: ","))}"
  }

  private mutating func member(depth: Int) -> String { "\(key()):\(value(depth: depth + 1))" }

  private mutating func key() -> String {
    pick([
      #""a""#, #""A""#, #""a b""#, #""購入""#, #""--""#, #""$label""#, #""date(x)""#, #""""#,
      #""_x_""#,
      #""k\#(Int.random(in: 0...30, using: &random))""#,
      #""a_very_long_name_of_more_than_thirty""#, #""tags""#,
    ])
  }

  private mutating func text() -> String {
    pick([
      #""text""#, #""""#, #""  ""#, #""a\nb""#, #""2024-05-02T09:15:00.123Z""#, #""é\u0000\u2028""#,
      #""2024-02-30T09:15:00.123Z""#, #""\#(String(repeating: "é", count: 301))""#,
      #""\ud83d\ude00""#,
      #""\#(String(repeating: "e\u{301}", count: 300))""#, #""\u000d\n""#,
    ])
  }

  private mutating func value(depth: Int) -> String {
    if depth < 7, isOnce(in: 3) { return object(depth: depth) }
    if depth < 7, isOnce(in: 4) {
      let items = (0..<Int.random(in: 0...(isOnce(in: 10) ? 30 : 3), using: &random)).map { _ in
        value(depth: depth + 1)
      }
      return "[\(items.joined(separator: ","))]"
    }
    return isOnce(in: 2)
      ? text()
      : pick([
        "1", "-0", "1.50", "1e400", "123456789012345678901234567890", "true", "false", "null",
      ])
  }
}
