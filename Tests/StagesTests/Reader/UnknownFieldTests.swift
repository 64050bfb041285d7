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
    let line = #"{\#(fields),"name":"n",\#(Self.time)}"#
    func explain(_ policy: String) throws -> StageHarness.Explained {
      try StageHarness().explain(line, Rules(options: ["--unknown-fields", policy]))
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

@Suite struct RootFieldsTests {
  @Test func everyFieldIsKnownByItsName() {
    let names = RootField.allCases.map { "\($0.text)" }
    #expect(Set(names).count == names.count && names.count <= FieldSet.bitWidth)
    for (field, name) in zip(RootField.allCases, names) {
      withByteView(of: name) { #expect(RootField($0) == field, "\(name)") }
      // A name that differs in one byte is another one.
      for position in name.utf8.indices {
        var bytes = Array(name.utf8)
        bytes[name.utf8.distance(from: name.startIndex, to: position)] ^= 0x20
        withByteView(of: bytes) { #expect(RootField($0) == nil, "\(name)") }
      }
      for other in [name + "s", String(name.dropLast()), " " + name] where !names.contains(other) {
        withByteView(of: other) { #expect(RootField($0) == nil, "\(other)") }
      }
    }
  }
}

/// `migrate --verify` finds a field that is lost without a record of the loss.
@Suite struct FieldProofTests {
  private func missing(
    _ bytes: [UInt8], _ rules: Rules = Rules(), forgets: Bool = false
  ) throws -> [String] {
    let harness = StageHarness()
    harness.load(bytes)
    harness.work(rules)
    let batch = harness.unit.batch
    if forgets { batch.losses.truncate(to: 0) }
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
    let (bytes, field) = (Array(line.utf8), line.contains("user_id") ? "user_id" : "amount")
    #expect(try missing(bytes, forgets: true) == ["1 \(field)"])
    #expect(try missing(bytes) == [])
    #expect(try missing(bytes, Rules(options: ["--unknown-fields", "keep"])) == [])
  }

  @Test func everyFieldOfTheVectorsIsAccountedFor() throws {
    for vector in try ["core.jsonl", "unknown.jsonl"].flatMap(VectorFiles.vectors)
    where !vector.needsFile {
      #expect(try missing(vector.input, vector.rules) == [], "\(vector.id)")
    }
  }
}
