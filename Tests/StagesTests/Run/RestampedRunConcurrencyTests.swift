@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Events that are sent again with another time, and `"duplicate":"id"`, through whole jobs
/// (data-model 12).
@Suite struct RestampedRunConcurrencyTests {
  private let fixture: RunFixture

  init() throws { fixture = try RunFixture() }

  /// A line with a delivery of an event, without time if there is no day.
  private static func line(
    _ who: String, _ id: String, day: Int?, name: String = "a", value: Int? = nil
  ) -> String {
    let time = day.map { "\"time\":\"2024-05-0\($0)T00:00:00.000Z\"" } ?? "\"untimed\":true"
    let attributes = value.map { ",\"attributes\":{\"n\":\($0)}" } ?? ""
    return "{\"identifiers\":{\(who)},\"events\":[{\"id\":\"\(id)\",\"duplicate\":\"id\","
      + "\"name\":\"\(name)\",\(time)\(attributes)}]}"
  }

  private static let person = "\"custom_id\":\"u\""
  private static let phone = "\"installation_id\":\"i\""

  /// Deliveries of five events: of a person, of an installation, anonymous ones.
  private static let logs = [
    "a": [
      line(person, "1", day: 5, value: 1), line(phone, "2", day: nil), line("", "3", day: 4),
      line(person + "," + phone, "1", day: 6), line(person, "4", day: 2, name: "b"),
    ],
    "b": [
      line(person, "1", day: 3, value: 3), line(phone, "2", day: 4), line("", "3", day: 2),
      line("", "5", day: nil),
    ],
    "c": [
      line(person, "1", day: 9, value: 2), line(phone, "2", day: 3), line("", "3", day: 8),
      line("", "5", day: 7), line(phone, "1", day: 1),
    ],
  ]

  private static func options(_ run: inout RunOptions) {
    run.snapshot.partitions = 2
    run.snapshot.dedupeDays = 9
  }

  private func logs(in fixture: RunFixture) throws {
    for (name, lines) in Self.logs { try fixture.log(lines, "\(name).ndjson") }
  }

  @Test func theEarliestDeliveryCounts() throws {
    try logs(in: fixture)
    let summary = try fixture.run(["a.ndjson", "b.ndjson", "c.ndjson"], to: "out", Self.options)
    #expect(summary.ledger.accepted == 6 && summary.ledger.duplicates == 8)
    let daily = try fixture.lines("out/daily_counts.ndjson")
    var days: [String] = []
    for line in daily {
      guard let name = line["event"]?.text, let count = line["count"]?.integer else { continue }
      days.append("\(line["day"]?.text ?? "-") \(name) \(count)")
    }
    #expect(
      days == [
        "2024-05-01 a 1", "2024-05-02 a 1", "2024-05-02 b 1", "2024-05-03 a 2", "2024-05-07 a 1",
      ])
    let profile = try #require(try fixture.lines(of: "profiles", in: "out").first)
    let event = try #require(profile["events"]?["a"])
    #expect(event["count"]?.integer == 3 && event["value"]?["n"]?.integer == 2)
    #expect(event["first_seen"]?.text?.hasPrefix("2024-05-01") == true)
    #expect(event["last_seen"]?.text?.hasPrefix("2024-05-09") == true)
  }

  @Test(arguments: [["a", "b", "c"], ["c", "b", "a"], ["b", "c", "a"]])
  func nightsAndPartialsGiveWhatOneRunGives(order: [String]) throws {
    let runs = try PartialRuns()
    let fixture = runs.fixture
    try logs(in: fixture)
    try fixture.run(["a.ndjson", "b.ndjson", "c.ndjson"], to: "whole", Self.options)
    var last: String?
    for name in order {
      let previous = last.map { fixture.scratch($0) }
      try fixture.run(["\(name).ndjson"], to: "night-\(name)") {
        Self.options(&$0)
        $0.merge.previous = previous
      }
      last = "night-\(name)"
    }
    let end = try #require(last)
    for (path, bytes) in try runs.repeatable("whole")
    where path.hasPrefix("state/") || path.hasPrefix("profiles/") || path.contains("counts") {
      #expect(try fixture.scratch.bytes("\(end)/\(path)") == bytes, "\(path), \(order)")
    }
    for name in order { try runs.partial(["\(name).ndjson"], to: name, Self.options) }
    try runs.mergeAll(order, partitions: 2, to: "merged", Self.options)
    try runs.expectSame("merged", "whole", "partials in the order \(order)")
  }

  /// An event moved from a day that was not counted left less than none there.
  @Test func noDayHasFewerThanNoEventsAfterANightWithoutDays() throws {
    try fixture.log([Self.line(Self.person, "1", day: 5)], "1.ndjson")
    try fixture.log([Self.line(Self.person, "1", day: 3)], "2.ndjson")
    try fixture.log([Self.line(Self.person, "2", day: 6)], "3.ndjson")
    for night in 1...3 {
      try fixture.run(["\(night).ndjson"], to: "night-\(night)") {
        Self.options(&$0)
        $0.snapshot.withDays = night > 1
        if night > 1 { $0.merge.previous = fixture.scratch("night-\(night - 1)") }
      }
    }
    let counts = try fixture.lines("night-3/daily_counts.ndjson").filter { $0["event"] != nil }
    #expect(counts.reduce(0) { $0 + ($1["count"]?.integer ?? 0) } == 2)
  }

  /// The id is kept as long as that of its latest delivery.
  @Test func theLatestDeliveryKeepsTheID() throws {
    let nights: [[Int]] = [[1, 5], [7], [9]]
    var previous: String?
    for (night, days) in nights.enumerated() {
      var lines: [String] = []
      for day in days {
        lines += [Self.line(Self.person, "1", day: day), Self.line("", "2", day: day)]
      }
      try fixture.log(lines, "\(night).ndjson")
      let from = previous.map { fixture.scratch($0) }
      let summary = try fixture.run(["\(night).ndjson"], to: "night-\(night)") {
        $0.snapshot.dedupeDays = 2
        $0.merge.previous = from
      }
      #expect(summary.ledger.accepted == (night == 0 ? 2 : 0), "night \(night)")
      previous = "night-\(night)"
    }
    let daily = try fixture.lines("night-2/daily_counts.ndjson").filter { $0["event"] != nil }
    #expect(daily.map { $0["day"]?.text } == ["2024-05-01"])
  }

  @Test func migratingAndCountingGiveTheSame() throws {
    try logs(in: fixture)
    let inputs = ["a.ndjson", "b.ndjson", "c.ndjson"]
    try fixture.migrate(inputs, to: "archive", verifies: true)
    try fixture.run(inputs, to: "out")
    try fixture.run(["archive"], to: "again")
    for path in ["event_counts.ndjson", "daily_counts.ndjson"] {
      #expect(try fixture.text("again/\(path)") == fixture.text("out/\(path)"), "\(path)")
    }
    let outcome = try CountJob(fixture.options(inputs, to: "").read, control: JobControl()).run()
    let counts = try fixture.lines("out/event_counts.ndjson")
    #expect(outcome.lines.rows.map(\.total.count) == counts.map { $0["count"]?.integer })
  }

  @Test func redrivenLinesSayItToo() throws {
    let redrive = try RedriveFixture()
    try redrive.fixture.log([Self.line(Self.person, "1", day: 2, name: "bad name")], "a.ndjson")
    try redrive.fixture.run(["a.ndjson"], to: "out")
    try redrive.edit("out", as: "edited.ndjson") { $0.replacing("bad name", with: "a") }
    try redrive.redrive(["edited.ndjson"], to: "again")
    let lines = try redrive.redriven("again")
    #expect(lines.count == 1 && lines[0].contains(#"{"id":"1","duplicate":"id","name":"a","#))
    try redrive.fixture.log([Self.line(Self.person, "1", day: 4)], "b.ndjson")
    let summary = try redrive.fixture.run(["again", "b.ndjson"], to: "merged")
    #expect(summary.ledger.accepted == 1 && summary.ledger.duplicates == 1)
  }

  /// Erasing a person takes the ids with the events: a later delivery counts again.
  @Test func anErasureTakesAllDeliveries() throws {
    try logs(in: fixture)
    try fixture.log([#"{"custom_id":"u","time":"2024-05-04T00:00:00Z"}"#], "requests.ndjson")
    try fixture.run(["a.ndjson", "b.ndjson"], to: "out", Self.options)
    try fixture.erase(from: "out", to: "new")
    let next = try fixture.run(["c.ndjson"], to: "next", after: "new") { Self.options(&$0) }
    // The person's event and one of the installation are new.
    #expect(next.ledger.accepted == 2 && next.ledger.duplicates == 3)
  }
}
