import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Measurement events: cases that the vectors do not cover.
@Suite struct BoltsDialectTests {
  @Test func whatNobodyKnowsIsCounted() throws {
    let harness = StageHarness()
    _ = try harness.explain(
      #"{"userInfo":{"event_name":"n"},"object":1,"custom_id":"u","timestamp":1714641300000,"session":"s"}"#
    )
    #expect(harness.unit.batch.unknownNames.map(\.name) == ["session"])
  }

  @Test func theNameOfTheSourceIsNoted() throws {
    for (name, isOther) in [("al_nav_in", false), ("Al_Nav_In", true), ("a/b", true)] {
      let harness = StageHarness()
      _ = try harness.explain(#"{"event_name":"\#(name)","timestamp":1714641300000}"#)
      let batch = harness.unit.batch
      let source = batch.events[0].sourceName
      #expect(source.exists == isOther)
      if isOther { #expect(batch.tape.bytes(at: source).text == name) }
    }
  }

  /// Random lines of the dialect: none traps, and an accepted line is read back as v2 to the same
  /// line, without a loss.
  @Test(arguments: [ForeignPolicy.tolerant, .strict])
  func randomLines(_ policy: ForeignPolicy) throws {
    var random = RepeatableRandom(seed: 17)
    var rules = Rules()
    rules.foreign.policy = policy
    rules.foreign.repairs = true
    let harness = StageHarness()
    let rounds = Effort.rounds(600, of: 3000)
    var accepted = 0
    for round in 0..<rounds {
      let line = RandomForeignLine(&random).text
      let found = try harness.explain(line, rules)
      guard let canonical = found.canonical else { continue }
      accepted += 1
      let again = try #require(try harness.explain(canonical).first)
      #expect(again.canonical == canonical, "seed 17, round \(round): \(line)")
      #expect(again.outcome == "accepted" && again.lossCodes.isEmpty, "seed 17, round \(round)")
    }
    #expect(accepted > rounds / (policy == .strict ? 15 : 3))
  }
}

/// A line of a foreign dialect with fields of all kinds.
private struct RandomForeignLine {
  private(set) var text = ""

  init(_ random: inout RepeatableRandom) {
    let members = [
      "event_name", "event_args", "timestamp", "time", "date", "event_id", "custom_id", "userId",
      "device_id", "installation_id",
    ].filter { _ in Int.random(in: 0..<3, using: &random) > 0 }
    let parts = members.map { name in
      let value =
        switch name {
        case "event_args": Self.object(3, &random)
        case "timestamp", "time", "date":
          Self.one(
            ["1714641300000", "\"2024-05-02T09:15:00\"", "{\"$date\":1714641300000}"], &random)
        default: Self.scalar(&random)
        }
      return
        "\"\(name)\":\(Int.random(in: 0..<9, using: &random) == 0 ? Self.value(2, &random) : value)"
    }
    let isNotified = Bool.random(using: &random)
    text = "{" + parts.joined(separator: ",") + "}"
    if isNotified {
      text = "{\"name\":\"com.parse.bolts.measurement_event\",\"userInfo\":\(text)}"
    } else if !members.contains("event_name") {
      text = "{\"event_name\":\"a/b\"," + text.dropFirst()
    }
  }

  private static func one(_ choices: [String], _ random: inout RepeatableRandom) -> String {
    choices[Int.random(in: 0..<choices.count, using: &random)]
  }

  private static func scalar(_ random: inout RepeatableRandom) -> String {
    one(
      [
        "null", "true", "false", "0", "-1.5", "1e400", "12345678901234567890", "\"\"", "\" \"",
        "\"x\"", "\"a\\nb\"", "\"\\u0000\"", "\"購入\"", "\"https://a.test/\"",
        "\"" + String(repeating: "é", count: 301) + "\"",
        "\"" + String(repeating: " ", count: 305) + "x\"",
      ], &random)
  }

  private static func object(_ depth: Int, _ random: inout RepeatableRandom) -> String {
    let keys = ["a", "A", "a ", "b", "inputURL", "targeturl", "é", "/", "", "$label", "date(x)"]
    let count = Int.random(in: 0..<(depth == 3 ? 30 : 4), using: &random)
    let members = (0..<count).map { position in
      let key = Bool.random(using: &random) ? one(keys, &random) : "k\(position)"
      return "\"\(key)\":\(value(depth, &random))"
    }
    return "{" + members.joined(separator: ",") + one(["", "", "", ","], &random) + "}"
  }

  private static func value(_ depth: Int, _ random: inout RepeatableRandom) -> String {
    guard depth > 0, Int.random(in: 0..<3, using: &random) == 0 else { return scalar(&random) }
    if Bool.random(using: &random) { return object(depth - 1, &random) }
    let count = Int.random(in: 0..<6, using: &random)
    let items = (0..<count).map { _ in value(depth - 1, &random) }
    return "[" + items.joined(separator: ",") + "]"
  }
}
