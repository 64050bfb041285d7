import Pipeline
import TestSupport
import Testing

@testable import Stages

/// The dialect of the Pulse SDKs as a whole (dialects 7); `Vectors/pulse.jsonl` has its rules one
/// by one.
@Suite struct PulseDialectTests {
  private func explain(_ data: String, event: String = "custom", _ rules: Rules = Rules()) throws
    -> StageHarness.Explained
  {
    try StageHarness().explain(
      #"{"event_type":"\#(event)","timestamp":1714641300000,"data":\#(data)}"#, rules)
  }

  private static let seeds = Effort.first(1, of: [3, 30, 300, 3000]) as [UInt64]

  /// The canonical text of every accepted line is a v2 record that loses nothing when it is read
  /// again.
  @Test(arguments: seeds)
  func canonicalTextIsItsOwnCanonicalText(seed: UInt64) throws {
    var lines = PulseLines(seed: seed)
    let harness = StageHarness()
    var accepted = 0
    for _ in 0..<80 {
      let source = lines.line()
      let found = try harness.explain(source)
      #expect(found.value["dialect"]?.text == "pulse", "seed \(seed): \(source)")
      guard let canonical = found.canonical else {
        #expect(found.codes == ["bad_attributes"], "seed \(seed): \(source)")
        continue
      }
      accepted += 1
      let again = try #require(try harness.explain(canonical).first)
      #expect(again.outcome == "accepted", "seed \(seed): \(source)")
      #expect(again.canonical == canonical, "seed \(seed): \(source)")
      #expect(again.losses.isEmpty, "seed \(seed): \(source)")
    }
    #expect(accepted > 65, "seed \(seed)")
  }

  /// Strict rejects exactly what tolerant drops, for the same reason.
  @Test(arguments: seeds)
  func strictRejectsWhatWouldBeCut(seed: UInt64) throws {
    var lines = PulseLines(seed: seed)
    let harness = StageHarness()
    var strict = Rules()
    strict.foreign.policy = .strict
    let cuts = Set(ReasonCode.allCases.filter(\.isCut).map(\.text))
    var counts = (accepted: 0, rejected: 0)
    // Of the random ones hardly any is without something to cut.
    let clean = #"{"event_type":"click","timestamp":1714641300000,"data":{"metadata":{"a":1}}}"#
    for source in [clean] + (0..<80).map({ _ in lines.line() }) {
      let tolerant = try harness.explain(source)
      guard let canonical = tolerant.canonical else { continue }
      let found = try harness.explain(source, strict)
      let cut = cuts.intersection(tolerant.lossCodes).sorted()
      if cut.isEmpty {
        counts.accepted += 1
        #expect(found.canonical == canonical, "seed \(seed): \(source)")
        #expect(found.losses == tolerant.losses, "seed \(seed): \(source)")
      } else {
        counts.rejected += 1
        #expect(found.outcome == "rejected", "seed \(seed): \(source)")
        #expect(found.codes == cut, "seed \(seed): \(source)")
      }
    }
    #expect(counts.accepted > 0 && counts.rejected > 50, "seed \(seed): \(counts)")
  }

  /// Bad input is refused or read, and never more than that.
  @Test(arguments: seeds)
  func mutatedLinesAreReadOrRefused(seed: UInt64) throws {
    var lines = PulseLines(seed: seed)
    var random = RepeatableRandom(seed: seed)
    let harness = StageHarness()
    var rules = Rules()
    rules.dialect = Dialect(named: "pulse")
    for _ in 0..<80 {
      let source = Mutations.mutate(Array(lines.line().utf8), &random)
      for line in try harness.explain(source, rules) {
        #expect(["accepted", "rejected", "blank"].contains(line.outcome), "seed \(seed)")
      }
    }
  }

  @Test func membersNobodyKnowsAreCounted() throws {
    let harness = StageHarness()
    _ = try harness.explain(
      #"{"event_type":"e","timestamp":1714641300000,"data":{},"userId":"u","device_id":"d","os":1}"#
    )
    #expect(harness.unit.batch.unknownNames.map(\.name) == ["os"])
  }

  @Test func theNameOfTheSourceIsKept() throws {
    let harness = StageHarness()
    for (name, kept) in [("click", nil), ("Click!", "Click!"), ("购入", "购入")] as [(String, String?)]
    {
      _ = try harness.explain(#"{"event_type":"\#(name)","timestamp":1714641300000,"data":{}}"#)
      let batch = harness.unit.batch
      let node = batch.events[0].sourceName
      #expect((node.exists ? batch.tape.bytes(at: node).text : nil) == kept)
    }
  }

  /// A list of a million items, or an object of a million fields, takes linear time.
  @Test func longListsAreCutAtOnce() throws {
    let items = Array(repeating: #"{"timestamp":1714641300000}"#, count: 20_000)
      .joined(separator: ",")
    let keys = (0..<20_000).map { "\"k\($0)\":\"s\"" }.joined(separator: ",")
    let found = try StageHarness().explain(
      #"{"event_type":"e","timestamp":1714641300000,"sub_sids":{\#(keys)},"data":{"metadata":{\#(keys)},"#
        + #""previous_events":[\#(items)],"params":[\#(items)]}}"#)
    #expect(
      found.lossCodes == ["array_truncated", "attributes_truncated", "too_many:previous_events"])
  }
}
