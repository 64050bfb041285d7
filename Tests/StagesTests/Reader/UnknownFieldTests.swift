@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Fields that no rule reads (docs/reference/data-model.md, "Unknown fields"): where and in which
/// order they are reported.
@Suite struct UnknownFieldTests {
  private static let time = #""time":"2024-05-02T09:15:00Z""#

  private static func rules(_ policy: UnknownFieldPolicy) -> Rules {
    var rules = Rules()
    rules.unknownFields = policy
    return rules
  }

  private func losses(_ line: String, _ policy: UnknownFieldPolicy = .drop) throws -> [String] {
    try StageHarness().explain(line, Self.rules(policy)).losses
  }

  /// An array of events is read before or after the fields around it. The owner of a field must not
  /// depend on that order.
  @Test func manyFieldsStayLinearAndBounded() throws {
    let fields = (0..<3000).map { "\"f\($0)\":\($0)" }.joined(separator: ",")
    let line = #"{\#(fields),"name":"n",\#(Self.time)}"#
    #expect(try losses(line).count == 3000)
    let rejected = try StageHarness().explain(line, Self.rules(.reject))
    #expect(rejected.reasons.count == ReasonList.mostPerPart)
    let kept = try StageHarness().explain(line, Self.rules(.keep))
    #expect(kept.codes == ["too_many_attributes"])
  }

  @Test func lossesOfEventsThatAreKeptBackDoNotCount() throws {
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
  ])
  func aFieldThatIsNoLossIsFound(line: String) throws {
    #expect(try missing(line, forgets: true) == ["1 amount"])
    #expect(try missing(line, forgets: false).isEmpty)
    var rules = Rules()
    rules.unknownFields = .keep
    #expect(try missing(line, rules, forgets: false).isEmpty)
  }

  @Test func anotherNameThatIsNoLossIsFound() throws {
    let line = #"{"custom_id":"a","user_id":"b","name":"n","time":"2024-05-02T09:15:00Z"}"#
    #expect(try missing(line, forgets: true) == ["1 user_id"])
    #expect(try missing(line, forgets: false).isEmpty)
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
