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

  @Test func lossesTellThePathFromTheRootOfTheLine() throws {
    let line = """
      {"x":1,"identifiers":{"email":"e","custom_id":"u"},"events":[{"name":"n",\(Self.time)},\
      {"amount":1,"name":"n",\(Self.time),"label":"l"}],"y":[]}
      """
    #expect(
      try losses(line) == [
        "events[1].amount unknown_field", "events[1].label root_label_ignored", "x unknown_field",
        "identifiers.email unknown_field", "y unknown_field",
      ])
    #expect(
      try losses(#"{"id":"u",\#(Self.time),"update":{"merge":1,"values":{"a":1}}}"#) == [
        "update.merge unknown_field"
      ])
  }

  @Test func reasonsComeInTheOrderOfTheSource() throws {
    let line = """
      {"y":1,"events":[{"name":"n",\(Self.time)}],"identifiers":{"b":1,"custom_id":"u","a":1},"x":2}
      """
    let explained = try StageHarness().explain(line, Self.rules(.reject))
    #expect(
      explained.reasons == [
        "line:0 y unknown_field", "line:0 identifiers.b unknown_field",
        "line:0 identifiers.a unknown_field", "line:0 x unknown_field",
      ])
    #expect(explained.losses.isEmpty)
    let event = try StageHarness().explain(
      #"{"z":1,"name":"a b","a":1,\#(Self.time),"update":null,"events":[]}"#, Self.rules(.reject))
    #expect(
      event.reasons == [
        "event:0 name bad_name", "event:0 z unknown_field", "event:0 a unknown_field",
        "event:0 events unknown_field",
      ])
  }

  @Test func keptFieldsFollowTheAttributesInTheOrderOfTheSource() throws {
    let line = """
      {"z":1,"name":"n",\(Self.time),"attributes":{"b":true},"Date(k)":1,"date(d)":0,"esc\\u0061pe":"x"}
      """
    var rules = Self.rules(.keep)
    rules.v1 = .lenient
    let explained = try StageHarness().explain(line, rules)
    let canonical = """
      {"identifiers":{},"events":[{"name":"n","time":"2024-05-02T09:15:00.000Z","attributes":\
      {"b":true,"z":1,"date(d)":"1970-01-01T00:00:00.000Z","escape":"x"}}]}
      """
    #expect(explained.canonical == Array(canonical.utf8))
    #expect(explained.losses == ["attributes.Date(k) bad_key"])
  }

  @Test func aFieldThatFallsTogetherWithAnAttributeIsLostHoweverOftenItComes() throws {
    let line = """
      {"name":"n",\(Self.time),"attributes":{"amount":1},"Amount":2,"AMOUNT":3,"b":1,"B":2}
      """
    let explained = try StageHarness().explain(line, Self.rules(.keep))
    #expect(
      explained.losses == [
        "attributes.b value_overwritten", "Amount unknown_field", "AMOUNT unknown_field",
      ])
    #expect(
      explained.value["canonical"]?["events"]?.items.first?["attributes"]
        == (try NaiveJSON(parsing: Array(#"{"amount":1,"b":2}"#.utf8))))
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
