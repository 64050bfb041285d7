import Pipeline
import TestSupport
import Testing

@testable import Jobs
@testable import Stages

/// One telephone with a wrong clock decides nothing for others (data-model 12.3).
@Suite struct WrongClockConcurrencyTests {
  private static func event(_ id: Int, _ time: String) -> String {
    #"{"id":"e\#(id)","custom_id":"u\#(id % 7)","name":"a","time":"\#(time)"}"#
  }

  private static let night = (0..<10).map { event($0, "2024-05-01T0\($0 % 10):00:00Z") }
  private static let ahead = event(99, "2062-01-01T00:00:00Z")
  private static let behind = event(98, "2010-01-01T00:00:00Z")

  private let fixture: RunFixture

  init() throws {
    fixture = try RunFixture()
    try fixture.log(Self.night + [Self.ahead, Self.behind], "one.ndjson")
    let next = (10..<15).map { Self.event($0, "2024-05-02T01:00:00Z") }
    try fixture.log(Self.night.suffix(5) + next, "two.ndjson")
  }

  /// They are counted, and named.
  @Test func farEventsAreNamedAndCounted() throws {
    let summary = try fixture.run(["one.ndjson"], to: "out-1")
    #expect(summary.farEvents == ReadDays.FarEvents(ahead: 1, behind: 1))
    #expect(summary.ledger.accepted == 12)
    #expect(
      summary.farEvents.sentences == [
        "1 event is more than 31 days after the newest day",
        "1 event is more than 3,650 days before the busiest day",
      ])
    #expect(summary.activity(atMost: 20).first?.start == 1_714_521_600_000)
    let report = try fixture.json("out-1/report.json")
    #expect(report["far_ahead"]?.integer == 1 && report["far_behind"]?.integer == 1)
    #expect(report["lateness"]?["newest"]?.text == "2024-05-01T09:00:00.000Z")
    let page = try fixture.scratch.text("out-1/report.html")
    #expect(page.contains("1 event is more than 31 days after the newest day"))
    #expect(page.contains("Events from 1 May 2024 00:00 to 1 May 2024 10:00 UTC"))
    let lookup = try ProfileLookup(fixture.scratch("out-1"), control: JobControl())
    #expect(lookup.newest.map(Timestamp.text) == "2024-05-01T09:00:00.000Z")
    // The next night compares with all that the state knows.
    let next = try fixture.run(["two.ndjson"], to: "out-2", after: "out-1")
    #expect(next.farEvents == ReadDays.FarEvents())
    #expect(try fixture.json("out-2/report.json")["far_ahead"] == nil)
  }

  /// The day from which counts by day are complete was one of 2062.
  @Test func countsByDayAreCompleteFromTheNewestDayOn() throws {
    try fixture.run(["one.ndjson"], to: "out-1") { $0.snapshot.withDays = false }
    try fixture.run(["two.ndjson"], to: "out-2", after: "out-1")
    let lines = try fixture.lines("out-2/daily_counts.ndjson")
    #expect(lines[0]["complete_from"]?.text == "2024-05-02")
  }

  /// The data of an erased person was suppressed until 2062.
  @Test func aRequestWithoutATimeEndsAtTheNewestTime() throws {
    try fixture.log([#"{"custom_id":"u3"}"#], "requests.ndjson")
    try fixture.run(["one.ndjson"], to: "out-1") {
      $0.merge.erasureRequests = fixture.scratch("requests.ndjson")
    }
    try fixture.log([Self.event(3, "2024-05-02T00:00:00Z")], "late.ndjson")
    let summary = try fixture.run(["late.ndjson"], to: "out-2", after: "out-1")
    #expect(summary.ledger.suppressed == 0 && summary.ledger.accepted == 1)
  }

  /// Suppressed events were not among those read, so a wrong clock was the newest time, and
  /// repeated events of others counted again.
  @Test(arguments: [false, true])
  func suppressedEventsAreAmongThoseRead(optOut: Bool) throws {
    let phone = #"{"identifiers":{"installation_id":"phone"},"time":"2024-04-01T00:00:00Z""#
    let days = (0..<3).map {
      #"{"installation_id":"phone","name":"a","time":"2024-05-01T0\#($0):00:00Z"}"#
    }
    try fixture.log([phone + #","opted_out":true}"#] + days, "phone.ndjson")
    try fixture.log([Self.night[0], Self.ahead], "others.ndjson")
    try fixture.log([Self.night[0]], "again.ndjson")
    let requests = try fixture.log([#"{"installation_id":"phone"}"#], "requests.ndjson")
    let logs = ["phone.ndjson", "others.ndjson"]
    func set(_ options: inout RunOptions) { options.snapshot.dedupeDays = 7 }
    try fixture.run(logs, to: "run") {
      set(&$0)
      $0.merge.honorsOptOut = optOut
      $0.merge.erasureRequests = optOut ? nil : requests
    }
    // Erasing from an output leaves its counts unchanged.
    try fixture.run(logs, to: "all", set)
    try fixture.erase(from: "all", to: "erased")
    func read(_ output: String) throws -> [NaiveJSON] {
      try fixture.lines("\(output)/\(RunFiles.totals)").filter { $0["day"] != nil }
    }
    for output in ["run", "erased"] {
      #expect(try read(output) == read("all"), "\(output)")
      let next = try fixture.run(["again.ndjson"], to: "after-\(output)", after: output, set)
      #expect(next.ledger.duplicates == 1 && next.ledger.accepted == 0, "\(output)")
    }
  }
}
