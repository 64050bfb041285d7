@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// What each policy would take and lose is told exactly, whichever of them the job runs under.
@Suite struct PolicyStageTests {
  private static let time = #""time":"2024-05-02T09:15:00Z""#

  private func compare(_ lines: [String], _ rules: Rules) -> PolicyComparison {
    let harness = StageHarness()
    harness.load(Array(lines.joined(separator: "\n").utf8))
    harness.work(rules)
    var stage = PolicyStage(rules: rules)
    stage.process(harness.unit)
    return harness.unit.notes.policies
  }

  private func rows(_ comparison: PolicyComparison) -> [String] {
    comparison.reasons.map {
      "\($0.code.text) \($0.row.rejected) \($0.row.saved) \($0.row.dropped)"
    }
  }

  @Test(arguments: [Rules(), Rules.lenient])
  func countsByReason(_ rules: Rules) {
    let time = Self.time
    let comparison = compare(
      [
        "", "{", #"{"name":"fine",\#(time),"label":" "}"#,
        // Saved, at the price of three parts.
        #"{"name":"n",\#(time),"label":17,"tags":[1,2]}"#,
        // Rejected by both, so that nothing is dropped of it.
        #"{"name":"-",\#(time),"label":17}"#,
        // Saved, and the migration drops a part of it, too.
        #"{"id":"u","events":[{"name":"n",\#(time),"attributes":{"$label":"x","blank":" "}},"#
          + #"{"name":"n",\#(time)},{"name":"n"}]}"#,
        // v2: the policy makes no difference.
        #"{"identifiers":{},"events":[{"name":"n",\#(time),"attributes":{"bad key":1}}]}"#,
        #"{"custom_id":"u",\#(time),"update":{"values":{"bad key":1}}}"#,
      ], rules)
    #expect(comparison.lostByStrict == 4)
    #expect(comparison.lostByLenient == 2)
    #expect(comparison.droppedParts == 5)
    #expect(
      rows(comparison) == [
        "bad_name 1 0 0", "missing_time 1 0 0", "reserved_key 1 1 1", "wrong_type 2 1 3",
        "string_blank 0 0 1",
      ])
  }

  /// Both directions agree on anything a log may hold, and with what runs of both policies count.
  @Test(arguments: 1...6)
  func bothDirectionsAgree(seed: Int) throws {
    var usual = RandomLog(seed: UInt64(seed))
    var mendable = MendableLog(seed: UInt64(seed))
    let lines = usual.lines(40) + mendable.lines(80)
    let strict = compare(lines, Rules())
    #expect(strict == compare(lines, .lenient), "seed \(seed)")
    #expect(strict.lostByStrict > strict.lostByLenient, "seed \(seed)")
    #expect(rejected(lines, Rules()) == strict.lostByStrict, "seed \(seed)")
    #expect(rejected(lines, .lenient) == strict.lostByLenient, "seed \(seed)")
  }

  /// v1 events that are rejected.
  private func rejected(_ lines: [String], _ rules: Rules) -> Int {
    let harness = StageHarness()
    harness.load(Array(lines.joined(separator: "\n").utf8))
    harness.work(rules)
    let batch = harness.unit.batch
    return batch.events.indices.count { index in
      batch.records[Int(batch.events[index].record)].dialect == .v1
        && !batch.records[Int(batch.events[index].record)].isRejected
        && !batch.events[index].isAccepted
    }
  }

  @Test func whereNothingIsRejectedThereIsNothingToTell() {
    let comparison = compare([#"{"name":"n",\#(Self.time),"label":"x"}"#], Rules())
    #expect(comparison == PolicyComparison() && comparison.reasons.isEmpty)
  }

  @Test func theBlockBeforeIsForgotten() {
    let harness = StageHarness()
    var stage = PolicyStage(rules: Rules())
    for (line, lost) in [(#"{"name":"n"}"#, 1), (#"{"name":"n",\#(Self.time)}"#, 0)] {
      harness.load(Array(line.utf8))
      harness.work()
      stage.process(harness.unit)
      #expect(harness.unit.notes.policies.lostByStrict == lost)
    }
  }

  @Test func isReadBackAsItWasWritten() throws {
    var log = MendableLog(seed: 3)
    let comparison = compare(log.lines(60), Rules())
    var json = JSONWriter()
    json.object { json in comparison.write("policies", to: &json) }
    json.endLine()
    let text = json.finish()
    let root = try JSONDocument(text.view).root
    let value = try #require(root["policies"])
    #expect(PolicyComparison(orNil: value) == comparison)
    var doubled = comparison
    doubled.add(comparison)
    #expect(doubled.lostByStrict == 2 * comparison.lostByStrict)
    #expect(doubled.droppedParts == 2 * comparison.droppedParts)
    #expect(PolicyComparison(orNil: root) == nil)
  }
}
