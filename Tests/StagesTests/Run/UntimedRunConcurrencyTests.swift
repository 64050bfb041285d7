@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Events without time through whole jobs.
@Suite struct UntimedRunConcurrencyTests {
  private let fixture: RunFixture

  init() throws { fixture = try RunFixture() }

  /// A v2 line with one event, without time if there is no day.
  private static func line(
    _ who: String, _ name: String, day: Int? = nil, id: String? = nil, value: Int? = nil
  ) -> String {
    let id = id.map { "\"id\":\"\($0)\"," } ?? ""
    let time = day.map { "\"time\":\"2024-05-0\($0)T00:00:00.000Z\"" } ?? "\"untimed\":true"
    let attributes = value.map { ",\"attributes\":{\"n\":\($0)}" } ?? ""
    return
      "{\"identifiers\":{\(who)},\"events\":[{\(id)\"name\":\"\(name)\",\(time)\(attributes)}]}"
  }

  private static let person = "\"custom_id\":\"u\""
  private static let phone = "\"installation_id\":\"i\""

  private static let log = [
    line(person, "a"), line(person, "a", day: 2, value: 1), line(person, "a", value: 9),
    line(phone, "a", id: "1"), line(phone, "a", id: "1"), line("", "b", id: "2"),
    line(person + "," + phone, "b"), line(person, "c", id: "3"), line("", "c"),
  ]

  @Test func theReportTellsHowManyThereAre() throws {
    try fixture.log(Self.log, "a.ndjson")
    let summary = try fixture.run(["a.ndjson"], to: "out")
    #expect(summary.ledger.accepted == 8 && summary.ledger.duplicates == 1)
    let report = try fixture.json("out/report.json")
    #expect(report["untimed_events"]?.integer == 8 && report["events_per_hour"]?.items.count == 1)
    #expect(report["losses"]?["missing_time"] == nil, "the log says that there is none")
    let page = try fixture.scratch.text("out/report.html")
    #expect(page.contains("Not shown: 8 events without a time."))
    try fixture.log([Self.line(Self.person, "a", day: 1)], "b.ndjson")
    try fixture.run(["b.ndjson"], to: "timed")
    #expect(try fixture.json("timed/report.json")["untimed_events"] == nil)
  }

  /// Without any event that has a time there is no newest time.
  @Test func aLogWithoutAnyTime() throws {
    let log = Self.log.filter { !$0.contains("\"time\"") }
    try fixture.log(log, "a.ndjson")
    try fixture.run(["a.ndjson"], to: "out") { $0.snapshot.dedupeDays = 7 }
    #expect(try fixture.json("out/report.json")["lateness"]?["newest"] == nil)
    let counts = try fixture.lines("out/event_counts.ndjson")
    #expect(counts.map { $0["first_seen"] } == [nil, nil, nil])
    #expect(counts.map { $0["count"]?.integer } == [3, 2, 2])
    // The ids of all of them are known to the next night.
    try fixture.log(log.filter { $0.contains("\"id\"") } + [""], "b.ndjson")
    let next = try fixture.run(["b.ndjson"], to: "next", after: "out") {
      $0.snapshot.dedupeDays = 7
    }
    #expect(next.ledger.accepted == 0 && next.ledger.duplicates == 4)
  }

  @Test(arguments: [false, true])
  func nightsAndPartialsGiveWhatOneRunGives(isCopied: Bool) throws {
    let runs = try PartialRuns()
    let fixture = runs.fixture
    let cut = 5
    try fixture.log(Array(Self.log[..<cut]), "a.ndjson")
    try fixture.log(Array(Self.log[cut...]), "b.ndjson")
    let change: (inout RunOptions) -> Void = {
      $0.snapshot.partitions = 2
      $0.snapshot.dedupeDays = 7
    }
    try fixture.run(["a.ndjson", "b.ndjson"], to: "whole", change)
    try fixture.run(["a.ndjson"], to: "one") {
      change(&$0)
      if !isCopied { $0.publish.level = 2 }
    }
    try fixture.run(["b.ndjson"], to: "two", after: "one") { change(&$0) }
    for (path, bytes) in try runs.repeatable("whole")
    where path.hasPrefix("state/") || path.hasPrefix("profiles/") || path.contains("counts") {
      #expect(try fixture.scratch.bytes("two/\(path)") == bytes, "\(path)")
    }
    for name in ["a", "b"] { try runs.partial(["\(name).ndjson"], to: name, change) }
    try runs.mergeAll(["b", "a"], partitions: 2, to: "merged", change)
    try runs.expectSame("merged", "whole", "two partials")
  }

  /// Canonical logs mark events without a time, and reading them loses nothing.
  @Test func migratingAndRunningIsRunning() throws {
    try fixture.log(Self.log, "a.ndjson")
    try fixture.migrate(["a.ndjson"], to: "archive", verifies: true)
    try fixture.run(["a.ndjson"], to: "out")
    try fixture.run(["archive"], to: "again")
    for path in ["event_counts.ndjson", "profiles/part-00000-of-00001.ndjson.zst"] {
      #expect(try fixture.text("again/\(path)") == fixture.text("out/\(path)"), "\(path)")
    }
    let late = Rules.earliestTime
    for input in ["a.ndjson", "archive"] {
      try fixture.run([input], to: "timed-\(input)") { $0.read.rules.defaultTime = late }
    }
    #expect(
      try fixture.text("timed-archive/event_counts.ndjson")
        == fixture.text("timed-a.ndjson/event_counts.ndjson"))
    #expect(
      try fixture.lines("timed-archive/event_counts.ndjson").allSatisfy {
        $0["first_seen"]?.text == "2000-01-01T00:00:00.000Z"
      })
  }

  @Test func countingIsCountingInARun() throws {
    try fixture.log(Self.log, "a.ndjson")
    try fixture.run(["a.ndjson"], to: "out")
    var options = fixture.options(["a.ndjson"], to: "")
    options.read.jobs = 2
    let outcome = try CountJob(options.read, control: JobControl()).run()
    let counts = try fixture.lines("out/event_counts.ndjson")
    #expect(outcome.lines.rows.map(\.total.count) == counts.map { $0["count"]?.integer })
    #expect(outcome.lines.rows.map(\.total.seen.isNever) == [false, true, true])
  }

  /// An event that was rejected for its name is reprocessed without a time.
  @Test func redrivenLinesSayItToo() throws {
    let redrive = try RedriveFixture()
    try redrive.fixture.log([Self.line(Self.person, "bad name")], "a.ndjson")
    try redrive.fixture.run(["a.ndjson"], to: "out")
    try redrive.edit("out", as: "edited.ndjson") { $0.replacing("bad name", with: "good_name") }
    try redrive.redrive(["edited.ndjson"], to: "again")
    let lines = try redrive.redriven("again")
    #expect(lines.count == 1 && lines[0].contains(#"{"name":"good_name","untimed":true}"#))
    try redrive.fixture.run(["again"], to: "merged")
    let counts = try redrive.fixture.lines("merged/event_counts.ndjson")
    #expect(counts.map { $0["name"]?.text } == ["good_name"] && counts[0]["first_seen"] == nil)
  }

  // MARK: - Privacy

  /// An event without a time may be before or after an opt-out.
  @Test func whoEverOptsOutIsKeptBackWithoutATime() throws {
    func word(_ who: String, _ isOut: Bool) -> String {
      "{\"identifiers\":{\"installation_id\":\"\(who)\"},\"time\":\"2024-05-02T00:00:00Z\","
        + "\"opted_out\":\(isOut)}"
    }
    let other = "\"installation_id\":\"j\""
    try fixture.log(
      [
        Self.line(Self.phone, "a"), Self.line(Self.phone, "a", day: 1),
        Self.line(Self.person + "," + Self.phone, "a"), Self.line(Self.person, "a"),
        Self.line(other, "a"), word("i", true), word("j", false),
      ], "a.ndjson")
    let summary = try fixture.run(["a.ndjson"], to: "out") { $0.merge.honorsOptOut = true }
    #expect(summary.ledger.suppressed == 2 && summary.ledger.accepted == 3)
  }

  /// A request erases events without a time and suppresses later ones, whatever time the request
  /// has.
  @Test(arguments: ["", ",\"time\":\"2024-05-03T00:00:00Z\""])
  func aRequestTakesThem(time: String) throws {
    let runs = try PartialRuns()
    let fixture = runs.fixture
    try fixture.log(
      [
        Self.line(Self.person, "a"), Self.line(Self.person, "b", day: 1),
        Self.line(Self.person, "c", day: 4), Self.line(Self.person, "c"),
        Self.line("\"custom_id\":\"v\"", "a"),
      ], "a.ndjson")
    try fixture.log([Self.line(Self.person, "a"), Self.line(Self.person, "c", day: 8)], "b.ndjson")
    try fixture.log(["{\"custom_id\":\"u\"\(time)}"], "requests.ndjson")
    try fixture.run(["a.ndjson"], to: "out")
    try fixture.erase(from: "out", to: "new")
    func events(_ output: String) throws -> [String: NaiveJSON] {
      var events: [String: NaiveJSON] = [:]
      for line in try fixture.lines(of: "profiles", in: output) {
        events[line["identifiers"]?["custom_id"]?.text ?? "?"] = line["events"]
      }
      return events
    }
    let left = try events("new")
    #expect(left["u"]?.names == (time.isEmpty ? nil : ["c"]))
    if !time.isEmpty { #expect(left["u"]?["c"]?["count"]?.integer == 1) }
    #expect(left["v"]?.names == ["a"])
    #expect(try fixture.lines("new/event_counts.ndjson").map { $0["count"]?.integer } == [2, 1, 2])
    let next = try fixture.run(["b.ndjson"], to: "next", after: "new")
    #expect(next.ledger.suppressed == 1)
    #expect(try events("next")["u"]?["c"]?["count"]?.integer == (time.isEmpty ? 1 : 2))
    // A partial knows nothing of it, a merge does.
    try runs.partial(["b.ndjson"], to: "partial")
    try runs.mergeAll(["partial"], partitions: 1, to: "merged") {
      $0.merge.previous = fixture.scratch("new")
    }
    #expect(
      try fixture.lines(of: "profiles", in: "merged")
        == fixture.lines(of: "profiles", in: "next"))
  }
}
