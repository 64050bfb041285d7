@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Events without a time, or sent again with another one (`"duplicate":"id"`), through whole jobs
/// (data-model 12).
@Suite struct UntimedRunConcurrencyTests {
  private let fixture: RunFixture

  init() throws { fixture = try RunFixture() }

  /// A v2 line with one event, without time if there is no day. With `restamped` its id identifies
  /// it whatever its time.
  private static func line(
    _ who: String, _ name: String = "a", day: Int? = nil, id: String? = nil,
    restamped: String? = nil
  ) -> String {
    let id = (id ?? restamped).map { "\"id\":\"\($0)\"," } ?? ""
    let duplicate = restamped == nil ? "" : "\"duplicate\":\"id\","
    let time = day.map { "\"time\":\"2024-05-0\($0)T00:00:00.000Z\"" } ?? "\"untimed\":true"
    return
      "{\"identifiers\":{\(who)},\"events\":[{\(id)\(duplicate)\"name\":\"\(name)\",\(time)}]}"
  }

  private static let person = "\"custom_id\":\"u\""
  private static let phone = "\"installation_id\":\"i\""

  /// Runs over a log of `lines` as so many nights after the first one.
  @discardableResult
  private func night(
    _ night: Int, dedupeDays: Int = 9, _ lines: [String],
    _ change: (inout RunOptions) -> Void = { _ in }
  ) throws -> RunReport {
    try fixture.log(lines, "\(night).ndjson")
    return try fixture.run(
      ["\(night).ndjson"], to: "\(night)", after: night == 0 ? nil : "\(night - 1)"
    ) {
      $0.snapshot.dedupeDays = dedupeDays
      change(&$0)
    }
  }

  @Test func theReportTellsHowManyThereAre() throws {
    try night(
      0,
      [
        Self.line(Self.person), Self.line(Self.person, day: 2), Self.line(Self.phone, id: "1"),
        Self.line(Self.phone, id: "1"), Self.line("", "b"),
      ])
    let report = try fixture.json("0/report.json")
    #expect(report["untimed_events"]?.integer == 4 && report["events_per_hour"]?.items.count == 1)
    #expect(report["losses"]?["missing_time"] == nil, "the log says that there is none")
    let page = try fixture.scratch.text("0/report.html")
    #expect(page.contains("Not shown: 4 events without a time."))
    try night(1, [Self.line(Self.person, day: 1)])
    #expect(try fixture.json("1/report.json")["untimed_events"] == nil)
  }

  /// Without any event that has a time there is no newest time; ids are known to the next night.
  @Test func aLogWithoutAnyTime() throws {
    let log = [Self.phone, ""].map { Self.line($0, id: "1") }
    try night(0, log + [Self.line(Self.person)])
    #expect(try fixture.json("0/report.json")["lateness"]?["newest"] == nil)
    let counts = try fixture.lines("0/event_counts.ndjson")
    #expect(counts.map { $0["first_seen"] } == [nil] && counts[0]["count"]?.integer == 3)
    let next = try night(1, log + [""])
    #expect(next.ledger.accepted == 0 && next.ledger.duplicates == 2)
  }

  /// An event that was rejected for its name is reprocessed as it was.
  @Test func redrivenLinesSayItToo() throws {
    let redrive = try RedriveFixture()
    try redrive.fixture.log([Self.line(Self.person, "bad name", restamped: "1")], "a.ndjson")
    try redrive.fixture.run(["a.ndjson"], to: "out")
    try redrive.edit("out", as: "edited.ndjson") { $0.replacing("bad name", with: "a") }
    try redrive.redrive(["edited.ndjson"], to: "again")
    let lines = try redrive.redriven("again")
    let event = #"{"id":"1","duplicate":"id","name":"a","untimed":true}"#
    #expect(lines.count == 1 && lines[0].contains(event))
    try redrive.fixture.log([Self.line(Self.person, day: 4, restamped: "1")], "b.ndjson")
    let summary = try redrive.fixture.run(["again", "b.ndjson"], to: "merged")
    #expect(summary.ledger.accepted == 1 && summary.ledger.duplicates == 1)
  }

  // MARK: - Sent again

  /// An event moved from a day that was not counted left less than none there.
  @Test func noDayHasFewerThanNoEventsAfterANightWithoutDays() throws {
    for (number, (day, id)) in [(5, "1"), (3, "1"), (6, "2")].enumerated() {
      try night(number, [Self.line(Self.person, day: day, restamped: id)]) {
        $0.snapshot.withDays = number > 0
      }
    }
    let counts = try fixture.lines("2/daily_counts.ndjson").filter { $0["event"] != nil }
    #expect(counts.reduce(0) { $0 + ($1["count"]?.integer ?? 0) } == 2)
  }

  /// The id is kept as long as that of its latest delivery; the earliest one counts.
  @Test func theLatestDeliveryKeepsTheID() throws {
    for (number, days) in [[1, 5], [7], [9]].enumerated() {
      let lines = days.flatMap { day in
        [Self.person, ""].map { Self.line($0, day: day, restamped: "1") }
      }
      let accepted = try night(number, dedupeDays: 2, lines).ledger.accepted
      #expect(accepted == (number == 0 ? 2 : 0), "night \(number)")
    }
    let daily = try fixture.lines("2/daily_counts.ndjson").filter { $0["event"] != nil }
    #expect(daily.map { $0["day"]?.text } == ["2024-05-01"])
  }

  /// Erasing a person takes the ids with the events: a later delivery counts again.
  @Test func anErasureTakesAllDeliveries() throws {
    func lines(_ personDay: Int, _ phoneDay: Int?) -> [String] {
      [
        Self.line(Self.person, day: personDay, restamped: "1"),
        Self.line(Self.phone, day: phoneDay, restamped: "2"),
      ]
    }
    try night(0, lines(5, nil))
    try fixture.log([#"{"custom_id":"u","time":"2024-05-06T00:00:00Z"}"#], "requests.ndjson")
    try fixture.erase(from: "0", to: "new")
    let next = try night(1, lines(9, 3)) { $0.merge.previous = fixture.scratch("new") }
    #expect(next.ledger.accepted == 1 && next.ledger.duplicates == 1)
  }

  // MARK: - Privacy

  /// An event without a time may be before or after an opt-out.
  @Test func anyOptOutSuppressesWithoutATime() throws {
    func word(_ who: String, _ isOut: Bool) -> String {
      DeviceHistory.record(nil, who, 24, "\"opted_out\":\(isOut)")
    }
    let summary = try night(
      0,
      [
        Self.line(Self.phone), Self.line(Self.phone, day: 1),
        Self.line(Self.person + "," + Self.phone), Self.line(Self.person),
        Self.line("\"installation_id\":\"j\""), word("i", true), word("j", false),
      ]
    ) { $0.merge.honorsOptOut = true }
    #expect(summary.ledger.suppressed == 2 && summary.ledger.accepted == 3)
  }

  /// A request erases events without a time and suppresses later ones, whatever time the request
  /// has.
  @Test(arguments: ["", ",\"time\":\"2024-05-03T00:00:00Z\""])
  func aRequestTakesThem(time: String) throws {
    let runs = PartialRuns(fixture)
    try fixture.log(
      [
        Self.line(Self.person), Self.line(Self.person, "b", day: 1),
        Self.line(Self.person, "c", day: 4), Self.line(Self.person, "c"),
        Self.line("\"custom_id\":\"v\""),
      ], "a.ndjson")
    try fixture.log([Self.line(Self.person), Self.line(Self.person, "c", day: 8)], "b.ndjson")
    try fixture.log(["{\"custom_id\":\"u\"\(time)}"], "requests.ndjson")
    try fixture.run(["a.ndjson"], to: "out")
    try fixture.erase(from: "out", to: "new")
    func events(_ output: String) throws -> [String] {
      try fixture.lines(of: "profiles", in: output).flatMap { line in
        let (id, events) = (line["id"]?.text ?? "", line["events"])
        return events?.names.map { "\(id) \($0) \(events?[$0]?["count"]?.integer ?? 0)" } ?? []
      }
    }
    #expect(try events("new") == (time.isEmpty ? [] : ["u c 1"]) + ["v a 1"])
    #expect(try fixture.lines("new/event_counts.ndjson").map { $0["count"]?.integer } == [2, 1, 2])
    let next = try fixture.run(["b.ndjson"], to: "next", after: "new")
    #expect(next.ledger.suppressed == 1)
    #expect(try events("next") == [time.isEmpty ? "u c 1" : "u c 2", "v a 1"])
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
