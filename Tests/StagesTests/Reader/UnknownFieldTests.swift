@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Fields that no rule reads (docs/reference/data-model.md, "Unknown fields"): where and in which
/// order they are reported.
@Suite struct UnknownFieldTests {
  private static let time = #""time":"2024-05-02T09:15:00Z""#

  @Test func manyFieldsStayLinearAndBounded() throws {
    let fields = (0..<3000).map { "\"f\($0)\":\($0)" }.joined(separator: ",")
    func explain(_ policy: String) throws -> StageHarness.Explained {
      try StageHarness().explain(
        #"{\#(fields),"name":"n",\#(Self.time)}"#, Rules(options: ["--unknown-fields", policy]))
    }
    #expect(try explain("drop").losses.count == 3000)
    #expect(try explain("reject").reasons.count == ReasonList.mostPerPart)
    #expect(try explain("keep").codes == ["too_many_attributes"])
  }

  @Test func lossesOfSuppressedEventsDoNotCount() throws {
    let harness = StageHarness()
    _ = try harness.explain(#"{"custom_id":"u","name":"n",\#(Self.time),"amount":1}"#)
    let batch = harness.unit.batch
    #expect(batch.counts(loss: 0))
    batch.events[0].outcome = .suppressed
    #expect(!batch.counts(loss: 0))
    var tally = RunTally(inputs: 1)
    tally.add(harness.unit)
    #expect(tally.facts.losses.isEmpty && tally.facts.unknownFields.names.isEmpty)
  }
}

/// `migrate --verify` finds a field that is lost without a record of the loss.
@Suite struct FieldProofTests {
  private func missing(_ line: String, _ rules: Rules = Rules(), forgets: Bool) throws -> [String] {
    let harness = StageHarness()
    _ = try harness.explain(line, rules)
    let batch = harness.unit.batch
    if forgets {
      batch.losses.truncate(to: 0)
      batch.lossSites.removeAll()
    }
    let findings = FieldProofStage.Findings()
    FieldProofStage(findings, rules: rules).process(harness.unit)
    return findings.examples.map { "\($0.line) \($0.field)" }
  }

  @Test(arguments: [
    #"{"name":"n","time":"2024-05-02T09:15:00Z","amount":1}"#,
    #"{"identifiers":{"custom_id":"u","amount":1},"time":"2024-05-02T09:15:00Z","attributes":{"a":1}}"#,
    #"{"id":"u","events":[{"name":"n","time":"2024-05-02T09:15:00Z","amount":"x"}]}"#,
    #"{"identifiers":{},"events":[3,{"name":"n","time":"2024-05-02T09:15:00Z","amount":"x"}]}"#,
    #"{"id":"u","update":{"values":{"a":1},"amount":[]},"time":"2024-05-02T09:15:00Z"}"#,
    #"{"custom_id":"a","user_id":"b","name":"n","time":"2024-05-02T09:15:00Z"}"#,
  ])
  func aFieldThatIsNoLossIsFound(line: String) throws {
    let field = line.contains("user_id") ? "user_id" : "amount"
    #expect(try missing(line, forgets: true) == ["1 \(field)"])
    #expect(try missing(line, forgets: false).isEmpty)
    let keep = try Rules(options: ["--unknown-fields", "keep"])
    #expect(try missing(line, keep, forgets: false).isEmpty)
  }

  /// Every field of the vectors is a loss or is carried over.
  @Test func everyFieldOfTheVectorsIsAccountedFor() throws {
    let lines = try VectorFiles.lines("core.jsonl") + VectorFiles.lines("unknown.jsonl")
    for vector in try lines.map(LineVector.init) where !vector.needsFile {
      let harness = StageHarness()
      harness.load(vector.input)
      harness.work(vector.rules)
      let findings = FieldProofStage.Findings()
      FieldProofStage(findings, rules: vector.rules).process(harness.unit)
      #expect(findings.examples.isEmpty, "\(vector.id)")
    }
  }
}
