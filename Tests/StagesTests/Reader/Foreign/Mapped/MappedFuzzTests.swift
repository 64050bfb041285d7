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
      guard let rules = Self.rules(String(decoding: text, as: UTF8.self)) else { continue }
      taken += 1
      _ = try harness.explain(Array(lines.line().utf8).filter { $0 != 0x0A }, rules)
    }
    #expect(taken > 10, "seed \(seed)")
  }

  /// The rules with the mapping, or nil if it is refused for a reason that `check` finds right.
  private static func rules(_ text: String, _ check: (MappingFault) -> Void = { _ in }) -> Rules? {
    let bytes = ByteBuffer(text: text)
    var rules = Rules()
    do throws(MappingFault) {
      try rules.mappings.add(bytes.view)
    } catch {
      #expect(!error.why.isEmpty && !error.advice.isEmpty, "\(text)")
      check(error)
      return nil
    }
    return rules
  }

  /// What mappings are refused for that the JSON Schema cannot say: how paths are to each other.
  private static let beyondSchema = [
    "what is around it becomes an attribute", "an attribute is read from it",
    "the attributes of this object are those", "fields names this attribute", "it lies in the list",
    "it occurs twice",
  ]

  private static func schema() throws -> NaiveSchema {
    let file = SourceFiles.root.appending(path: "docs/reference/mapping.schema.json")
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
      let isOfSchema = try schema.accepts(NaiveJSON(parsing: text))
      let rules = Self.rules(text) { fault in
        let isBeyond = Self.beyondSchema.contains { fault.why.hasPrefix($0) }
        #expect(fault.line != nil && (!isOfSchema || isBeyond), "\(fault.why): \(text)")
      }
      guard let rules else { continue }
      #expect(isOfSchema, "\(text)")
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
