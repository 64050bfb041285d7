@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// What a run saw, apart from what the state held before it.
@Suite struct RunActivityTests {
  @Test func namesAreThoseOfThisRunOnly() throws {
    let fixture = try RunFixture()
    try fixture.log(
      [Sample.event("u", "old", id: "1"), Sample.event("u", "both"), Sample.event("u", "both")],
      "a.ndjson")
    try fixture.log(
      [
        Sample.event("v", "both", hour: 3), Sample.event("v", "new", id: "2"),
        Sample.event("v", "new", id: "2"),
      ], "b.ndjson")
    try fixture.run(["a.ndjson"], to: "one")
    try fixture.run(["b.ndjson"], to: "two", after: "one")
    let report = try fixture.json("two/report.json")
    func texts(_ list: String, _ name: String) -> [String] {
      report.each(list).map { "\($0[name]?.text ?? "?") \($0["events"]?.integer ?? -1)" }
    }
    #expect(texts("top_events", "name") == ["new 2", "both 1"], "the duplicate counts")
    #expect(
      texts("events_per_hour", "hour")
        == ["2024-05-01T00:00:00.000Z 2", "2024-05-01T03:00:00.000Z 1"])
  }

  @Test func onlyTheMostFrequentNamesAreKeptAndTheRestIsCounted() throws {
    let names = NameTable()
    let counters = EventCounters()
    let slice = RoutedSlice()
    let kinds = RunActivity.mostNames + 3
    for number in 0..<kinds {
      let text = ByteBuffer(text: "name_\(10_000 + number)")
      let id = try #require(names.intern(text.view)).id
      // Two names that are more frequent than the others, which are all alike.
      for _ in 0..<(number == 30 ? 3 : number == 20 ? 2 : 1) {
        slice.operations.append(
          RoutedOperation(
            keyHash: 0, time: 1_717_200_000_000, id: .none, keyStart: 0, keyLength: 0,
            valueStart: 0, valueLength: 0, name: id, kind: .event, form: .plain, dialect: .v2))
      }
    }
    var stage = AggregationStage(counters)
    stage.process(slice)
    let activity = RunActivity(HourCounts([counters]), EventTotals([counters]), names: names.list())
    #expect(
      activity.names.prefix(4).map { "\($0.name) \($0.count)" }
        == ["name_10030 3", "name_10020 2", "name_10000 1", "name_10001 1"])
    #expect(activity.names.count == RunActivity.mostNames && activity.hours.events == kinds + 3)
    #expect(activity.otherNames == 3 && activity.otherEvents == 3)
  }
}
