import TestSupport
import Testing

@testable import Stages

/// Lines that a mapping describes, where `Vectors/examples.jsonl` cannot show what becomes of them
/// (docs/guides/mapping.md).
@Suite struct MappedReadingTests {
  private let harness = StageHarness()

  @Test func anIgnoredLineIsCounted() throws {
    let found = try harness.explain(
      #"{"session":{"guest":"g"},"kind":"move","what":"ping"}"#,
      Rules(mappings: MappingFixture.game))
    #expect(found.outcome == "accepted" && found.canonical == nil)
    let count = harness.unit.batch.notes.ignoredActions.count
    #expect(count == 1)
  }

  /// A line with long attributes and many items does not cost the product of both.
  @Test func attributesThatEventsShareAreBounded() throws {
    let text = (0..<25).map { _ in "\"\(String(repeating: "x", count: 300))\"" }
      .joined(separator: ",")
    let shared = (0..<15).map { "\"k\($0)\":[\(text)]" }.joined(separator: ",")
    let items = (0..<60).map { "{\"n\":\"e\($0)\"}" }.joined(separator: ",")
    let found = try harness.explain(
      #"{"u":"u","t":1714641300000,"f":"x","a":{\#(shared)},"l":[\#(items)]}"#,
      Rules(
        mappings: #"""
          {"eventmill_mapping":1,"dialect":"shop","match":"/u","custom_id":"/u","time":"/t","lines":{
           "unroll":"/l","name":"/l/*/n","attributes":["/a","/l/*/a"],"fields":{"f":"/f"}}}
          """#))
    let with = found.value["canonical"]?["events"]?.items.count { $0["attributes"] != nil } ?? 0
    #expect(found.outcome == "accepted" && 10..<60 ~= with)
    #expect(found.losses == (with..<60).map { "events[\($0)].attributes attributes_truncated" })
  }
}
