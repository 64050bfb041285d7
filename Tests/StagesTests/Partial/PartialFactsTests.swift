@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct PartialFactsTests {
  @Test func whatIsReadIsWhatWasWritten() throws {
    let fixture = try FactsFixture()
    let logs = fixture.runs.fixture
    try logs.log(FactsFixture.log("a"), "a \"quoted\" é.ndjson")
    try logs.compressedLog(
      Array(Sample.event("u", "x").utf8) + Array(repeating: 0, count: 9), "b.ndjson.zst")
    try logs.scratch.write(logs.scratch.bytes("b.ndjson.zst").dropLast(3), to: "cut.ndjson.zst")
    let facts = try fixture.facts(["a \"quoted\" é.ndjson", "b.ndjson.zst", "cut.ndjson.zst"]) {
      $0.read.keepGoing = true
    }
    #expect(try PartialFacts(text: Array(facts.text.utf8)).text == facts.text)
    let (tally, dialects) = (facts.tally, facts.tally.dialects)
    #expect(facts.outcomes.map { $0.lost != nil } == [false, false, true])
    #expect(tally.losses.map(\.code.text) == ["label_blank", "unknown_field"])
    #expect(tally.reasons.map(\.code.text) == ["invalid_json", "bad_name", "bad_key"])
    #expect(tally.unknownFields.names.count == 12 && facts.duplicates.values.reduce(0, +) == 1)
    #expect(facts.attributes == ["$region", "a"] && dialects.logouts == 1)
    #expect(dialects.internalEvents.map(\.name) == ["_PROFILE_IDENTIFY", "_START_a"])
    #expect(dialects.ignoredActions.map(\.name) == ["batch.deeplink"])
    #expect(facts.counts.totals.accepted == tally.total.accepted && facts.counts.hours.events == 26)

    try logs.log([], "empty.ndjson")
    let empty = try fixture.facts(["empty.ndjson"], "of-nothing")
    #expect(try PartialFacts(text: Array(empty.text.utf8)).text == empty.text)
    #expect(PartialFacts(merging: []).text == PartialFacts().text)
  }

  /// The first losses of all inputs are shown, also where each part has as many.
  ///
  /// ``PartialPropertyConcurrencyTests`` compares reports.
  @Test func factsOfPartsAddUpToThoseOfAllInAnyOrderAndGrouping() throws {
    let fixture = try FactsFixture()
    let names = ["a", "b", "c"].map { "\($0).ndjson" }
    for (part, name) in zip(["x", "y", "z"], names) {
      try fixture.runs.fixture.log(FactsFixture.log(part, lines: 6), name)
    }
    // Nothing is dropped for an event of another input: which delivery counts is known in the end
    // only.
    let whole = try fixture.facts(names, "whole")
    let parts = try names.map { try fixture.facts([$0], "of-\($0)") }
    let all = PartialFacts(merging: parts.reversed())
    for grouping in [parts, [PartialFacts(merging: [parts[2], parts[0]]), parts[1]]] {
      #expect(all.text == PartialFacts(merging: grouping).text)
    }
    let (tally, expected) = (all.tally, whole.tally)
    #expect(tally.dialects == expected.dialects && tally.dialects.logouts == 3)
    #expect(all.events == whole.events && all.attributes == whole.attributes)
    let lossy = try #require(tally.losses.first)
    #expect(lossy.count == 18 && lossy.samples.count == RunTally.samples)
    #expect(lossy.samples.map(\.input) == [0, 0, 0, 0, 0, 0, 1, 1, 1, 1])
    #expect(lossy.samples.map(\.line) == expected.losses.first?.samples.map(\.line))
    #expect(tally.reasons.map(\.count) == expected.reasons.map(\.count))
    #expect(tally.reasons.allSatisfy { $0.samples.map(\.input) == [0] })
    #expect(tally.unknownFields == expected.unknownFields)
    #expect(tally.implausibleDates.names.map(\.name) == ["x", "y", "z"])
    #expect(tally.remarks[0].count == 3 && expected.remarks[0].count == 3)
    #expect(tally.implausibleSamples.map(\.input) == [0, 1, 2])
    // "shared" is one event in the whole, and one of each part.
    #expect(all.counts.totals.accepted == whole.counts.totals.accepted + 2)
  }
}
