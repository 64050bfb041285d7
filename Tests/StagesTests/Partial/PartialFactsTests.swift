@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct PartialFactsTests {
  @Test func whatIsReadIsWhatWasWritten() throws {
    let fixture = try FactsFixture()
    try fixture.runs.fixture.log(FactsFixture.log("a"), "a \"quoted\" é.ndjson")
    try fixture.runs.fixture.compressedLog(
      Array(Sample.event("u", "x").utf8) + Array(repeating: 0, count: 9), "b.ndjson.zst")
    try fixture.runs.fixture.scratch.write(
      try fixture.runs.fixture.scratch.bytes("b.ndjson.zst").dropLast(3), to: "cut.ndjson.zst")
    let facts = try fixture.facts(["a \"quoted\" é.ndjson", "b.ndjson.zst", "cut.ndjson.zst"]) {
      $0.read.keepGoing = true
    }
    let text = facts.text
    #expect(try PartialFacts(text: Array(text.utf8)).text == text)
    #expect(facts.outcomes.map { $0.lost != nil } == [false, false, true])
    #expect(facts.tally.losses.map(\.code.text) == ["label_blank", "unknown_field"])
    #expect(facts.tally.reasons.map(\.code.text) == ["invalid_json", "bad_name", "bad_key"])
    #expect(
      facts.tally.unknownFields.names.count == 12 && facts.duplicates.values.reduce(0, +) == 1)
    #expect(facts.attributes == ["$region", "a"])
    let dialects = try PartialFacts(text: Array(text.utf8)).tally.dialects
    #expect(dialects == facts.tally.dialects && dialects.logouts == 1)
    #expect(dialects.internalEvents.map(\.name) == ["_PROFILE_IDENTIFY", "_START_a"])
    #expect(dialects.ignoredActions.map(\.name) == ["batch.deeplink"])
    #expect(facts.totals.accepted == facts.tally.total.accepted && facts.hours.events == 26)
  }

  @Test func nothingIsSomething() throws {
    let fixture = try FactsFixture()
    try fixture.runs.fixture.log([], "empty.ndjson")
    let facts = try fixture.facts(["empty.ndjson"])
    #expect(try PartialFacts(text: Array(facts.text.utf8)).text == facts.text)
    #expect(PartialFacts(merging: []).text == PartialFacts().text)
  }

  /// Counts without times, and what sources call an event.
  @Test func whatHasNoTimeIsCountedAndSourceNamesAreMerged() throws {
    func facts(_ name: String, _ sourceNames: [String], time: Int) throws -> PartialFacts {
      var facts = PartialFacts()
      facts.events = [name]
      for sourceName in sourceNames {
        facts.totals.add(eventsOf: [
          RoutedOperation(
            keyHash: 0, time: time, id: .none, keyStart: 0, keyLength: 0, valueStart: 0,
            valueLength: 0, name: 0, kind: .event, form: .plain, dialect: .v2)
        ])
        withByteView(of: sourceName) { facts.totals.add(sourceName: $0, of: 0) }
        if time != EventTime.absent { facts.hours.add(time: time) }
      }
      let text = facts.text
      let read = try PartialFacts(text: Array(text.utf8))
      #expect(read.text == text)
      return read
    }
    let start = 1_714_521_600_000
    let parts = [
      try facts("a", ["A", "é", "A\n"], time: EventTime.absent),
      try facts("b", ["B!"], time: EventTime.absent),
      try facts("a", ["a!", "0", "1", "2"], time: start),
    ]
    let all = PartialFacts(merging: parts)
    #expect(all.text == PartialFacts(merging: parts.reversed()).text)
    #expect(
      all.text
        == PartialFacts(merging: [PartialFacts(merging: [parts[2], parts[1]]), parts[0]]).text)
    #expect(all.totals[0].count == 7 && all.totals[0].seen == Seen(first: start, last: start))
    #expect(all.totals.sourceNames(of: 0).names == ["0", "1", "2", "A", "A\n"])
    #expect(all.totals[1].count == 1 && all.totals[1].seen.isNever && all.totals.contains(1))
    #expect(all.totals.sourceNames(of: 1).names == ["B!"])
  }

  /// The first losses of all inputs are shown, also where each part has as many.
  @Test func factsOfPartsAddUpToThoseOfAllInAnyOrderAndGrouping() throws {
    let fixture = try FactsFixture()
    let names = ["a", "b", "c"].map { "\($0).ndjson" }
    for (number, name) in names.enumerated() {
      try fixture.runs.fixture.log(FactsFixture.log(["x", "y", "z"][number], lines: 6), name)
    }
    // Nothing is dropped for an event of another input: which delivery counts is known in the end
    // only.
    let whole = try fixture.facts(names, "whole")
    let parts = try names.map { try fixture.facts([$0], "of-\($0)") }
    let all = PartialFacts(merging: parts.reversed())
    #expect(all.text == PartialFacts(merging: parts).text)
    #expect(
      all.text
        == PartialFacts(merging: [PartialFacts(merging: [parts[2], parts[0]]), parts[1]]).text)
    #expect(all.outcomes.map(\.file.path) == whole.outcomes.map(\.file.path))
    #expect(all.tally.dialects == whole.tally.dialects && all.tally.dialects.logouts == 3)
    #expect(all.events == whole.events && all.attributes == whole.attributes)
    #expect(all.hours == whole.hours)
    let lossy = try #require(all.tally.losses.first)
    #expect(lossy.count == 18 && lossy.samples.count == RunTally.samples)
    #expect(lossy.samples.map(\.input) == [0, 0, 0, 0, 0, 0, 1, 1, 1, 1])
    let expected = try #require(whole.tally.losses.first)
    #expect(lossy.samples.map(\.line) == expected.samples.map(\.line))
    #expect(all.tally.reasons.map(\.count) == whole.tally.reasons.map(\.count))
    #expect(all.tally.reasons.allSatisfy { $0.samples.count == 1 && $0.samples[0].input == 0 })
    #expect(all.tally.unknownFields == whole.tally.unknownFields)
    #expect(all.tally.implausibleDates.names.map(\.name) == ["x", "y", "z"])
    #expect(all.tally.remarks[0].count == 3 && whole.tally.remarks[0].count == 3)
    #expect(all.tally.implausibleSamples.map(\.input) == [0, 1, 2])
    // "shared" is one event in the whole, and one of each part.
    #expect(all.totals.accepted == whole.totals.accepted + 2)
  }
}
