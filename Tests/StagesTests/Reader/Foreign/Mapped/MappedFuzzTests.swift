import Foundation
import Pipeline
import TestSupport
import Testing

@testable import Jobs
@testable import Stages

/// What holds for every line under a mapping, whatever it contains.
@Suite struct MappedFuzzTests {
  /// Lines of the game of ``MappingFixture``, good and odd parts mixed.
  private struct Lines: RandomChoices {
    var random: RepeatableRandom

    init(seed: UInt64) { random = RepeatableRandom(seed: seed) }

    private static let names = [
      "session", "player", "id", "guest", "device", "bag", "name", "weight", "kind", "n", "what",
      "at",
      "local", "with", "Points", "pairs", "k", "v", "text", "number", "moves", "trace", "other",
      "a/b", "sack", "world",
    ]

    private mutating func value(_ depth: Int) -> String {
      let scalars = [
        "1", "1.5", "true", "null", "\"\"", "\"x\"", "\"rope\"", "1714641300",
        "\"2024-05-02 11:15:00\"",
        "\"\\u00e9\\n\"", "\"\(String(repeating: "é", count: 301))\"", "1e999",
        "9223372036854775808",
      ]
      guard depth < 4, chance(45) else { return pick(scalars) }
      if chance(35) {
        return "["
          + (0..<Int.random(in: 0...4, using: &random)).map { _ in value(depth + 1) }
          .joined(separator: ",") + "]"
      }
      return object(
        depth + 1, (0..<Int.random(in: 0...5, using: &random)).map { _ in pick(Self.names) })
    }

    private mutating func object(_ depth: Int, _ names: [String]) -> String {
      "{" + names.map { "\"\($0)\":\(value(depth))" }.joined(separator: ",") + "}"
    }

    mutating func line() -> String {
      let bag = chance(90) ? #","bag":[{"name":"rope","weight":\#(value(3))}]"# : ""
      let player = chance(30) ? #""player":\#(value(2)),"# : ""
      let what = pick(["\"hit\"", "\"debug:x\"", "\"join\"", "\"forget\"", "\"level\"", value(2)])
      var parts = [
        #""session":{\#(player)"guest":"g","device":\#(pick(["\"d\"", value(2)]))\#(bag)}"#,
        #""kind":"move""#, #""what":\#(what)"#, #""at":\#(pick(["1714641300", value(2)]))"#,
      ]
      if chance(60) { parts.append(#""with":\#(value(0))"#) }
      if chance(30) {
        parts.append(
          #""moves":[{"what":"run","at":1714641300000,"with":\#(value(1))},\#(value(1))]"#)
      }
      if chance(30) {
        parts.append(#""pairs":[{"k":\#(pick(["\"A\"", value(3)])),"v":{"text":\#(value(2))}}]"#)
      }
      if chance(30) {
        parts.append(
          #""\#(pick(Self.names.filter { !["session", "kind"].contains($0) }))":\#(value(1))"#)
      }
      parts.shuffle(using: &random)
      return "{" + parts.joined(separator: ",") + "}"
    }
  }

  /// Every line becomes a record that has the same meaning when it is read as v2.
  @Test(arguments: Effort.first(3, of: Array(0..<12)) as [UInt64], UnknownFieldPolicy.allCases)
  func canonicalRecordsSayTheSame(seed: UInt64, policy: UnknownFieldPolicy) throws {
    var lines = Lines(seed: seed)
    var rules = try Rules(mappings: MappingFixture.game)
    rules.unknownFields = policy
    let (mapped, plain) = (StageHarness(), StageHarness())
    var survived = 0
    for _ in 0..<300 {
      let line = lines.line()
      let found = try mapped.explain(line, rules)
      #expect(found.value["dialect"]?.text == "game", "seed \(seed): \(line)")
      guard let canonical = found.canonical else { continue }
      survived += 1
      let again = try plain.explain(String(decoding: canonical, as: UTF8.self))
      #expect(again.outcome == "accepted", "seed \(seed): \(line)")
      #expect(again.canonical == canonical, "seed \(seed): \(line)")
      #expect(again.losses == [], "seed \(seed): \(line)")
    }
    #expect(survived > (policy == .reject ? 3 : 30), "seed \(seed): \(survived)")
  }

  /// Damaged lines have an outcome, too, and their parts add up to what the ledger says.
  @Test(arguments: Effort.first(2, of: Array(0..<8)) as [UInt64])
  func damagedLinesHaveAnOutcome(seed: UInt64) throws {
    var lines = Lines(seed: seed)
    var random = RepeatableRandom(seed: seed &+ 77)
    let block = (0..<500).map { _ in Mutations.mutate(Array(lines.line().utf8), &random) }
      .filter { !$0.contains(0x0A) }
    let harness = StageHarness()
    let explained = try harness.explain(
      Array(block.joined(separator: [0x0A])), Rules(mappings: MappingFixture.game))
    #expect(explained.count == block.count, "seed \(seed)")
    var tally = RunTally(inputs: 1)
    tally.setLines(block.count, of: 0)
    tally.add(harness.unit)
    let ledger = try #require(tally.facts.ledgers.first)
    #expect(ledger.mismatch == nil, "seed \(seed)")
  }

  /// Mutated mappings are accepted or refused with a reason; they never trap.
  @Test(arguments: Effort.first(2, of: Array(0..<8)) as [UInt64])
  func mutatedMappings(seed: UInt64) throws {
    var random = RepeatableRandom(seed: seed)
    var lines = Lines(seed: seed)
    let harness = StageHarness()
    var taken = 0
    for _ in 0..<400 {
      let text = Mutations.mutate(Array(MappingFixture.game.utf8), &random)
      let bytes = ByteBuffer(text: String(decoding: text, as: UTF8.self))
      var rules = Rules()
      do throws(MappingFault) {
        try rules.mappings.add(bytes.view)
      } catch {
        #expect(!error.why.isEmpty && !error.advice.isEmpty)
        continue
      }
      rules.mappings.seal()
      taken += 1
      let line = lines.line()
      _ = try harness.explain(Array(line.utf8).filter { $0 != 0x0A }, rules)
    }
    #expect(taken > 10, "seed \(seed)")
  }

  /// Mappings put together at random from everything that a mapping may have, right or wrong.
  private struct RandomMappings: RandomChoices {
    var random: RepeatableRandom

    init(seed: UInt64) { random = RepeatableRandom(seed: seed) }

    private static let good = [
      #""/session""#, #""/what""#, #""/moves/*/what""#, #""/moves/*/with""#, #""/with""#,
      #""/session/player/id""#, #""/at""#, #""/*/*""#, #""/""#, #""//""#, #""/a~1b""#, #""/n""#,
      #""/moves/0/what""#, #""/pairs/1""#, #""/session/bag/*/name""#, #""/trace/text""#,
    ]
    private static let bad = [
      #""/~""#, #""what""#, "null", "7", "{}", "[]", "true", #"{"path":"/a","unit":"sec"}"#,
      #"{"join":"/a"}"#, #"{"a":{"b":["/c"]}}"#, #"{"constant":"!"}"#, #"{"B b":"/c"}"#,
    ]

    private mutating func path() -> String { pick(Self.good) }

    private mutating func value(of name: String) -> String {
      if chance(4) { return pick(Self.bad) }
      let single = [
        "as", "unroll", "fields", "constants", "rename", "profile", "batch", "untimed", "opted_out",
      ]
      if chance(20), !single.contains(name) {
        return "[\(value(of: name)),\(value(of: name))]"
      }
      return switch name {
      case "match", "when":
        pick([path(), #"{"path":\#(path()),"in":["hit",7]}"#, #"{"path":\#(path()),"prefix":"h"}"#])
      case "as": pick(["\"event\"", "\"event\"", "\"identify\"", "\"alias\"", "\"delete\""])
      case "name":
        pick([
          path(), #"{"constant":"A b"}"#, #"{"join":[\#(path()),\#(path())],"strip":["h","r"]}"#,
        ])
      case "attributes":
        pick([
          path(), #""""#, #"{"path":\#(path()),"key":"/k","value":"/v"}"#,
          #"{"path":\#(path()),"type":"json"}"#, #"{"keys":\#(path()),"values":\#(path())}"#,
          #"{"path":\#(path()),"value":["/text",{"path":"/number","type":"number"}]}"#,
          #"{"path":\#(path()),"key":"/0","value":{"path":"/1","type":"text"}}"#,
        ])
      case "fields":
        pick([
          #"{"a":\#(path()),"b":[\#(path()),\#(path())]}"#,
          #"{"date(a)":\#(path()),"url(b)":\#(path())}"#,
          #"{"c":{"path":\#(path()),"type":"\#(pick(["text", "number", "bool", "date"]))"}}"#,
        ])
      case "profile":
        #"{"attributes":\#(value(of: "attributes")),"fields":\#(value(of: "fields"))}"#
      case "opted_out", "untimed": pick(["true", "false"])
      case "batch": pick([#""/moves""#, #""/pairs""#])
      case "constants": #"{"a":1,"c":"x"}"#
      case "rename": #"{"Points":"a","k":"b"}"#
      case "unroll": pick([#""/moves""#, #""/session/bag""#, #""/moves/*/with""#, path()])
      case "id": pick([path(), #"{"join":[\#(path()),\#(path())]}"#])
      case "time":
        pick([
          path(), #"{"path":\#(path()),"unit":["s","ms"]}"#, #"{"join":[\#(path()),\#(path())]}"#,
        ])
      default: path()
      }
    }

    private mutating func object(_ always: [String], _ maybe: [String]) -> String {
      let names = always + maybe.filter { _ in chance(30) }
      return "{" + names.map { "\"\($0)\":\(value(of: $0))" }.joined(separator: ",") + "}"
    }

    mutating func mapping() -> String {
      let kinds = (0..<2).map { _ in
        object(
          ["name"],
          [
            "when", "as", "attributes", "fields", "constants", "rename", "unroll", "time", "id",
            "profile", "lost", "custom_id",
          ])
      }
      let shared = object(
        ["match", "custom_id"], ["installation_id", "id", "time", "drop", "batch", "untimed"]
      ).dropFirst()
      return
        #"{"eventmill_mapping":1,"dialect":"game","lines":[\#(kinds[0]),\#(kinds[1])],\#(shared)"#
    }
  }

  /// What mappings are refused for that the JSON Schema cannot say: how paths are to each other.
  private static let beyondSchema = [
    "what is around it becomes an attribute", "an attribute is read from it",
    "the attributes of this object are those", "fields names this attribute", "it lies in the list",
    "it occurs twice",
  ]

  private static func schema() throws -> NaiveSchema {
    var folder = URL(filePath: #filePath)
    for _ in 0..<6 { folder.deleteLastPathComponent() }
    let file = folder.appending(path: "docs/reference/mapping.schema.json")
    return NaiveSchema(try NaiveJSON(parsing: Array(Data(contentsOf: file))))
  }

  /// The JSON Schema accepts them if the program does. Then lines are read.
  @Test(arguments: Effort.first(2, of: Array(0..<8)) as [UInt64])
  func randomMappings(seed: UInt64) throws {
    var (mappings, lines) = (RandomMappings(seed: seed), Lines(seed: seed))
    let (harness, schema) = (StageHarness(), try Self.schema())
    var taken = 0
    for _ in 0..<600 {
      let text = mappings.mapping()
      let bytes = ByteBuffer(text: text)
      let isOfSchema = try schema.accepts(NaiveJSON(parsing: text))
      var rules = Rules()
      do throws(MappingFault) {
        try rules.mappings.add(bytes.view)
      } catch {
        #expect(error.line != nil && !error.why.isEmpty && !error.advice.isEmpty, "\(text)")
        let isBeyond = Self.beyondSchema.contains { error.why.hasPrefix($0) }
        #expect(!isOfSchema || isBeyond, "\(error.why): \(text)")
        continue
      }
      #expect(isOfSchema, "\(text)")
      rules.mappings.seal()
      taken += 1
      for _ in 0..<3 {
        let found = try harness.explain(lines.line(), rules)
        #expect(["accepted", "partial", "rejected"].contains(found.outcome), "\(text)")
        var tally = RunTally(inputs: 1)
        tally.setLines(1, of: 0)
        tally.add(harness.unit)
        #expect(tally.facts.ledgers.first?.mismatch == nil, "\(text)")
      }
    }
    #expect(taken > 30, "seed \(seed): \(taken)")
  }
}
