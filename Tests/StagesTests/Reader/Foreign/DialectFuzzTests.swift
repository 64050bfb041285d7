@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// What holds for every line of the further dialects, whatever it contains.
@Suite struct DialectFuzzTests {
  /// Every line becomes a record that has the same meaning when it is read as v2: the same text,
  /// and the same changes of the same keys.
  @Test(arguments: Effort.first(4, of: Array(0..<12)) as [UInt64])
  func canonicalRecordsSayTheSame(seed: UInt64) throws {
    var lines = RandomDialectLines(seed: seed)
    let harness = StageHarness()
    let names = RunNames()
    var survived = 0
    for _ in 0..<400 {
      let line = lines.line()
      let first = try harness.explain(line)
      guard let canonical = first.canonical else {
        #expect(Self.routed(harness, names).isEmpty, "seed \(seed): \(line)")
        continue
      }
      survived += 1
      let changes = Self.routed(harness, names)
      let again = try #require(try harness.explain(canonical).first)
      #expect(again.outcome == "accepted", "seed \(seed): \(line)")
      #expect(again.canonical == canonical, "seed \(seed): \(line)")
      #expect(again.losses.isEmpty && !changes.isEmpty, "seed \(seed): \(line)")
      #expect(Self.routed(harness, names) == changes, "seed \(seed): \(line)")
      #expect(harness.unit.batch.unknownNames.isEmpty, "seed \(seed): \(line)")
    }
    #expect(survived > 80, "seed \(seed)")
  }

  /// A canonical record does not repeat a field.
  @Test(arguments: Effort.first(2, of: Array(100..<104)) as [UInt64])
  func canonicalKeysAreOneEach(seed: UInt64) throws {
    var lines = RandomDialectLines(seed: seed)
    let harness = StageHarness()
    for _ in 0..<400 {
      let line = lines.line()
      guard let canonical = try harness.explain(line).canonical else { continue }
      try Self.expectEachOnce(NaiveJSON(parsing: canonical, maxDepth: 100), "seed \(seed): \(line)")
    }
  }

  /// Damaged lines have an outcome, too, and their parts add up to what the ledger says.
  @Test(arguments: Effort.first(2, of: Array(0..<6)) as [UInt64])
  func damagedLinesHaveAnOutcome(seed: UInt64) throws {
    var lines = RandomDialectLines(seed: seed)
    let harness = StageHarness()
    let block = (0..<500).map { _ in lines.damagedLine() }
    let explained = try harness.explain(Array(block.joined(separator: [0x0A])))
    #expect(explained.count == block.count, "seed \(seed)")
    var tally = RunTally(inputs: 1)
    tally.setLines(block.count, of: 0)
    tally.add(harness.unit)
    let ledger = try #require(tally.facts.ledgers.first)
    #expect(ledger.mismatch == nil, "seed \(seed)")
    #expect(ledger.rejectedLines > 0 && ledger.records > 0, "seed \(seed)")
  }

  /// What the batch of `harness` changes, in an order of their own.
  private static func routed(_ harness: StageHarness, _ names: RunNames) -> [String] {
    let router = RouterStage(names: names, sources: [InputSourceID(path: "a")])
    router.process(harness.unit)
    let slice = harness.unit.slices[0]
    return slice.operations.map { operation in
      "\(operation.kind) \(slice.key(operation).text) \(operation.name) \(operation.form) "
        + "\(operation.time) \(operation.id) \(slice.value(operation).text)"
    }.sorted()
  }

  private static func expectEachOnce(_ json: NaiveJSON, _ comment: Comment) throws {
    switch json {
    case .object(let members):
      #expect(Set(members.map { $0.name.lowercased() }).count == members.count, comment)
      for member in members { try expectEachOnce(member.value, comment) }
    case .array(let items): for item in items { try expectEachOnce(item, comment) }
    default: break
    }
  }
}
