import Foundation
import Pipeline
import TestSupport
import Testing

@testable import Jobs
@testable import Stages

/// Mappings that are random, or damaged, are refused with a reason or read every line.
@Suite struct MappedFuzzTests {
  /// Mutated mappings are accepted or refused with a reason; they never trap.
  @Test(arguments: Effort.first(2, of: Array(0..<8)) as [UInt64])
  func mutatedMappings(seed: UInt64) throws {
    var random = RepeatableRandom(seed: seed)
    var lines = GameLines(seed: seed)
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
    var (mappings, lines) = (RandomMappings(seed: seed), GameLines(seed: seed))
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
