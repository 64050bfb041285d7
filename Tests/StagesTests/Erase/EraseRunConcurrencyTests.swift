@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Erasing from outside: `run --requests`, `eventmill erase`, `verify --requests`.
@Suite struct EraseRunConcurrencyTests {
  private let fixture: RunFixture

  init() throws { fixture = try RunFixture() }

  /// A night in which `anna` has a phone, an event that is rejected, and company.
  private static let first = [
    Sample.event("anna", "seen", day: 1), Sample.event("bob", "seen", day: 2),
    #"{"identifiers":{"custom_id":"anna","installation_id":"phone"},"time":"2024-05-01T00:00:00Z","#
      + #""attributes":{"age":5,"city":"Basel"}}"#,
    #"{"identifiers":{"installation_id":"phone"},"time":"2024-05-02T00:00:00Z","#
      + #""attributes":{"model":"x"}}"#,
    Sample.event("anna", "bad name", day: 1), Sample.event("bob", "bad name", day: 1),
    #"{"custom_id":"anna","broken"#,
  ]

  private func profiles(_ output: String) throws -> [String] {
    try fixture.lines(of: "profiles", in: output).map(\.source)
  }

  private func absence(_ output: String) throws -> [String] {
    try fixture.problems(of: fixture.scratch(output), absent: fixture.scratch("requests.ndjson"))
  }

  /// Later nights, too, suppress records of earlier times. They suppress later records only with
  /// `forever`.
  @Test(arguments: [false, true])
  func laterNightsRemember(isForever: Bool) throws {
    try fixture.log(Self.first, "one.ndjson")
    let forever = isForever ? ",\"forever\":true" : ""
    try fixture.log(["{\"custom_id\":\"anna\"\(forever)}"], "requests.ndjson")
    try fixture.run(["one.ndjson"], to: "out-1") {
      $0.merge.erasureRequests = fixture.scratch("requests.ndjson")
    }
    #expect(try absence("out-1").allSatisfy { $0.hasPrefix("rejects") })
    try fixture.log(
      [
        Sample.event("anna", "early", day: 1), Sample.event("anna", "late", day: 9),
        #"{"identifiers":{"custom_id":"anna","installation_id":"phone"},"time":"2024-05-01T00:00:00Z"}"#,
      ], "two.ndjson")
    let summary = try fixture.run(["two.ndjson"], to: "out-2", after: "out-1")
    #expect(summary.ledger.suppressed == (isForever ? 2 : 1))
    let seen = #""first_seen":"2024-05-09T00:00:00.000Z","last_seen":"2024-05-09T00:00:00.000Z""#
    let late =
      #"{"id":"anna","kind":"person","identifiers":{"custom_id":"anna"},"#
      + #""events":{"late":{"count":1,\#(seen)}},\#(seen)}"#
    #expect(try profiles("out-2").filter { $0.contains("anna") } == (isForever ? [] : [late]))
  }

  /// Up to a time: later attributes stay. Events of the run are erased one by one. A register of
  /// the state that reaches back is erased as a whole.
  @Test(arguments: [false, true])
  func aRequestWithATime(night: Bool) throws {
    func time(_ day: Int) -> String { "\"time\":\"2024-05-0\(day)T00:00:00Z\"" }
    try fixture.log(
      [
        Sample.event("anna", "old", day: 1), Sample.event("anna", "both", day: 1),
        Sample.event("anna", "both", day: 5), Sample.event("anna", "new", day: 5),
        "{\"identifiers\":{\"custom_id\":\"anna\"},\(time(1)),\"attributes\":{\"a\":1}}",
        "{\"identifiers\":{\"custom_id\":\"anna\"},\(time(5)),\"attributes\":{\"b\":2}}",
      ], "one.ndjson")
    try fixture.log(
      [Sample.event("anna", "both", day: 2), Sample.event("anna", "both", day: 7)], "two.ndjson")
    try fixture.log(["{\"custom_id\":\"anna\",\(time(3))}"], "requests.ndjson")
    if night { try fixture.run(["one.ndjson"], to: "out-1") }
    try fixture.run(
      night ? ["two.ndjson"] : ["one.ndjson", "two.ndjson"], to: "out-2",
      after: night ? "out-1" : nil
    ) { $0.merge.erasureRequests = fixture.scratch("requests.ndjson") }
    let anna = try fixture.lines(of: "profiles", in: "out-2")[0]
    #expect(anna["attributes"]?.names == ["b"] && anna["events"]?.names == ["both", "new"])
    #expect(anna["events"]?["both"]?["count"]?.integer == (night ? 1 : 2))
    #expect(anna["first_seen"]?.text == "2024-05-05T00:00:00.000Z")
    let straddling = try fixture.json("out-2/report.json")["erased_straddling"]?.integer
    #expect(straddling == (night ? 1 : 0))
  }

  @Test(arguments: [1, 2])
  func anOutputIsMadeAgainWithoutAPerson(partitions: Int) throws {
    try fixture.log(Self.first, "one.ndjson")
    try fixture.log(
      [#"{"custom_id":"anna"}"#, #"{"installation_id":"phone","forever":true}"#],
      "requests.ndjson")
    try fixture.run(["one.ndjson"], to: "out") { $0.snapshot.partitions = partitions }
    let summary = try fixture.erase(from: "out", to: "new")
    #expect(summary.requests == 2 && summary.single.found == 2 && summary.single.profiles == 1)
    #expect(summary.single.redactedRejects == 2)
    #expect(try absence("new") == [])
    #expect(try profiles("new").allSatisfy { $0.contains("bob") })
    // Counts stay: they identify no person.
    let counts = try fixture.lines("new/event_counts.ndjson")
    #expect(counts.map { $0["name"]?.text } == ["seen"])
    #expect(counts[0]["count"]?.integer == 2 && counts[0]["profiles"]?.integer == 1)
    // Bob's reject still has its text; anna's can no longer be reprocessed.
    let rejects = try fixture.lines("new/rejects.ndjson.zst")
    #expect(rejects.map { $0["raw"]?.text?.isEmpty } == [true, false, true])
    // The next night continues from the erased output.
    try fixture.log(
      [Sample.event("anna", "seen", day: 1), Sample.event("carl", "seen")], "two.ndjson")
    let next = try fixture.run(["two.ndjson"], to: "out-2", after: "new") {
      $0.snapshot.partitions = partitions
    }
    #expect(next.ledger.suppressed == 1 && next.profiles == 2)
    // Erasing once more finds nothing.
    try fixture.erase(from: "new", to: "again")
    #expect(try profiles("again") == profiles("new"))
  }

  /// A merge of partials suppresses people that an earlier night erased, in any partition of their
  /// installations.
  @Test func mergesOfPartialsRemember() throws {
    let runs = PartialRuns(fixture)
    try fixture.log(Self.first, "one.ndjson")
    try fixture.log([Sample.event("bob", "seen", day: 3)] + Self.first, "two.ndjson")
    try fixture.log([#"{"custom_id":"anna","forever":true}"#], "requests.ndjson")
    try fixture.run(["one.ndjson"], to: "out") {
      $0.snapshot.partitions = 2
      $0.merge.erasureRequests = fixture.scratch("requests.ndjson")
    }
    try fixture.log([Sample.event("carl", "seen", day: 4)], "three.ndjson")
    for (night, previous) in [("two", "out"), ("three", "out-two")] {
      try runs.partial(["\(night).ndjson"], to: "partial-\(night)") { $0.snapshot.partitions = 2 }
      try runs.mergeAll(["partial-\(night)"], partitions: 2, to: "out-\(night)") {
        $0.merge.previous = fixture.scratch(previous)
      }
      // The page has the first rejected line of each reason.
      let left = try absence("out-\(night)")
      #expect(left.allSatisfy { $0.hasPrefix("rejects") || $0.hasPrefix("report.html") })
      let profiles = try profiles("out-\(night)").joined()
      #expect(profiles.contains("\"bob\"") && !profiles.contains("\"phone\""))
    }
    // Partials that know the earlier night count what a run does.
    let read = try runs.partial(["two.ndjson"], to: "partial") {
      $0.snapshot.partitions = 2
      $0.merge.previous = fixture.scratch("out")
    }
    let whole = try fixture.run(["two.ndjson"], to: "whole", after: "out") {
      $0.snapshot.partitions = 2
    }
    #expect(whole.ledger.suppressed > 0 && read.facts.total == whole.ledger)
  }

  /// A request without a time, at a moment before that of a wipe in the state.
  @Test(arguments: ["erase", "run"])
  func aLaterWipeStays(command: String) throws {
    func record(_ day: Int, _ rest: String) -> String {
      #"{"identifiers":{"installation_id":"phone"},"time":"2024-05-0\#(day)T00:00:00Z"\#(rest)}"#
    }
    try fixture.log([record(4, #","erase":true"#)], "one.ndjson")
    try fixture.log([Sample.event("bob", "seen")], "two.ndjson")
    try fixture.log(
      [3, 5].map { record($0, #","events":[{"name":"day\#($0)"}]"#) }, "three.ndjson")
    let requests = try fixture.log([#"{"installation_id":"phone"}"#], "requests.ndjson")
    try fixture.run(["one.ndjson"], to: "out-1")
    let may1 = 1_714_521_600_000
    if command == "erase" {
      try fixture.erase(from: "out-1", to: "erased") { $0.merge.erasedAt = may1 }
    } else {
      try fixture.run(["two.ndjson"], to: "erased", after: "out-1") {
        ($0.merge.erasureRequests, $0.merge.erasedAt) = (requests, may1)
      }
    }
    try fixture.run(["three.ndjson"], to: "out-2", after: "erased")
    let phone = try fixture.lines(of: "profiles", in: "out-2").last
    #expect(phone?["id"]?.text == "phone" && phone?["events"]?.names == ["day5"])
  }

  @Test func whoIsNoOutputIsRefused() throws {
    try fixture.log([#"{"custom_id":"anna"}"#], "requests.ndjson")
    #expect(throws: Failure.self) { try fixture.erase(from: "missing", to: "new") }
    try fixture.expectOnly(["requests.ndjson"])
  }

  // MARK: - Opt-outs

  /// Events between an opt-out and the next opt-in are suppressed, in any order of arrival.
  @Test func whatComesDuringAnOptOutIsSuppressed() throws {
    func event(_ day: Int, _ who: String = "\"installation_id\":\"i\"") -> String {
      "{\"identifiers\":{\(who)},\"events\":[{\"name\":\"d\(day)\",\"time\":\"2024-05-0\(day)T00:00:00Z\"}]}"
    }
    func word(_ day: Int, _ isOut: Bool) -> String {
      DeviceHistory.record(nil, "i", 24 * (day - 1), "\"opted_out\":\(isOut)")
    }
    let both = "\"custom_id\":\"u\",\"installation_id\":\"i\""
    try fixture.log(
      [event(1), event(2), event(3), event(4), event(3, both), event(3, "\"custom_id\":\"u\"")],
      "a.ndjson")
    try fixture.log([word(4, false), word(2, true)], "b.ndjson")
    for jobs in [1, 3] {
      let summary = try fixture.run(["a.ndjson", "b.ndjson"], to: "out-\(jobs)") {
        $0.merge.honorsOptOut = true
        $0.read.jobs = jobs
      }
      #expect(summary.ledger.suppressed == 3 && summary.ledger.accepted == 3)
      let names = try fixture.lines(of: "profiles", in: "out-\(jobs)").map { $0["events"]?.names }
      #expect(names == [["d3"], ["d1", "d4"]])
    }
    // An opt-out of an earlier night holds.
    try fixture.log([word(5, true)], "c.ndjson")
    try fixture.log([event(6), event(5)], "d.ndjson")
    try fixture.run(["c.ndjson"], to: "night-1", after: "out-1")
    let last = try fixture.run(["d.ndjson"], to: "night-2", after: "night-1") {
      $0.merge.honorsOptOut = true
    }
    #expect(last.ledger.suppressed == 2 && last.ledger.accepted == 0)
  }
}
