import Pipeline
import TestSupport
import Testing

@testable import Stages

/// The example dialect of `docs/reference/dialects.md` compiles and reads its lines.
@Suite struct ExampleDialectTests {
  private func explain(_ line: String) throws -> StageHarness.Explained {
    let harness = StageHarness()
    harness.load(Array(line.utf8))
    let batch = harness.unit.batch
    batch.begin(harness.unit.block.bytes)
    guard case .value(let root) = Scanner.scan(line: 0..<line.utf8.count, into: batch.tape) else {
      throw Sample.failure(0)
    }
    let length = UInt32(line.utf8.count)
    batch.lines.append(LineEntry(start: 0, length: length, number: 0, outcome: .record))
    batch.lines[0].record = Node(0)
    batch.keys.learn(from: batch.tape.names)
    let reader = DialectReader()
    reader.root.read(root, of: batch)
    reader.read(0, of: try #require(Dialect(named: "pulse")), as: KioskDialect.self, into: batch)
    var validator = ValidatorStage(rules: Rules())
    var migration = MigrationStage()
    validator.process(harness.unit)
    migration.process(harness.unit)
    #expect(batch.unknownNames.map(\.name) == ["waiter"])
    return try #require(try harness.explain().first)
  }

  @Test func itReadsItsLines() throws {
    let found = try explain(
      #"{"till":"front","ticket":"t-1","sold":"espresso","at":1714641300000,"card":"user-1","#
        + #""price":2.50,"waiter":"Ann"}"#)
    #expect(
      found.canonicalText
        == #"{"identifiers":{"custom_id":"user-1"},"events":[{"id":"t-1","name":"drink_sold","#
        + #""time":"2024-05-02T09:15:00.000Z","attributes":{"drink":"espresso","price":2.50}}]}"#)
  }

  @Test func theRulesOfV2Hold() throws {
    let found = try explain(#"{"till":"front","sold":"","at":1714641300000,"waiter":1}"#)
    #expect(found.reasons == ["event:0 attributes.drink string_empty"])
  }
}
