@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// What a run suppresses: reported per request, remembered for later nights, and the same however
/// the run is divided.
@Suite struct SuppressedTallyTests {
  private let fixture: RunFixture

  init() throws { fixture = try RunFixture() }

  private func line(_ who: String, _ day: Int, _ field: String) -> String {
    "{\"identifiers\":{\(who)},\"time\":\"2024-05-0\(day)T00:00:00Z\",\(field)}"
  }

  private func operation(_ who: String, _ day: Int) -> String {
    line(who, day, "\"attributes\":{\"a\":\(day)}")
  }

  @Test func theReportTellsOfEachRequest() throws {
    try fixture.log(
      [
        Sample.event("anna", "e", day: 1), Sample.event("anna", "e", day: 3),
        Sample.event("bob", "e"),
        operation("\"custom_id\":\"anna\"", 2), operation("\"installation_id\":\"i\"", 2),
      ], "a.ndjson")
    let requests = try fixture.log(
      [
        #"{"custom_id":"anna","time":"2024-05-02T00:00:00Z"}"#, #"{"installation_id":"i"}"#,
        #"{"custom_id":"anna","time":"2024-05-01T00:00:00Z"}"#, #"{"custom_id":"nobody"}"#,
      ], "requests.ndjson")
    let summary = try fixture.run(["a.ndjson"], to: "out") { $0.merge.erasureRequests = requests }
    #expect(summary.ledger.suppressed == 1 && summary.ledger.accepted == 2)
    let told = try fixture.json("out/report.json")["erasures"]?.items ?? []
    #expect(told.map { $0["suppressed_events"]?.integer } == [1, 0, 0, 0])
    #expect(told.map { $0["suppressed_operations"]?.integer } == [1, 1, 0, 0])
  }

  /// A mark without a time is about all that was known, also where that is later than any event.
  @Test(arguments: [false, true])
  func whatWasErasedDoesNotComeBack(fromState: Bool) throws {
    let line = operation("\"custom_id\":\"anna\"", 7)
    try fixture.log([line, Sample.event("bob", "e", day: 2)], "a.ndjson")
    try fixture.log([Sample.event("bob", "e", day: 3)], "b.ndjson")
    let requests = try fixture.log([#"{"custom_id":"anna"}"#], "requests.ndjson")
    if fromState { try fixture.run(["a.ndjson"], to: "before") }
    let (log, before) = fromState ? ("b.ndjson", "before") : ("a.ndjson", nil)
    try fixture.run([log], to: "night", after: before) { $0.merge.erasureRequests = requests }
    try fixture.log([line, operation("\"custom_id\":\"anna\"", 8)], "late.ndjson")
    for (input, count) in [("a.ndjson", 1), ("late.ndjson", 2)] {
      let summary = try fixture.run([input], to: "after-\(input)", after: "night") {
        $0.merge.reingest = true
      }
      #expect(summary.profiles == count, "\(input)")
    }
  }

  /// An opt-in of an earlier night ends an opt-out that arrives late.
  @Test func aLateOptOutEndsWhereTheStateSaysSo() throws {
    func word(_ day: Int, _ isOut: Bool) -> String {
      line("\"installation_id\":\"i\"", day, "\"opted_out\":\(isOut)")
    }
    func event(_ day: Int) -> String {
      line("\"installation_id\":\"i\"", day, "\"events\":[{\"name\":\"d\(day)\"}]")
    }
    try fixture.log([word(5, false)], "a.ndjson")
    try fixture.run(["a.ndjson"], to: "night")
    // At equal times the opt-out counts.
    try fixture.log(
      [
        word(2, true), event(1), event(2), event(4), event(5), event(7), word(7, false),
        word(7, true),
      ], "b.ndjson")
    let summary = try fixture.run(["b.ndjson"], to: "next", after: "night") {
      $0.merge.honorsOptOut = true
    }
    #expect(summary.ledger.suppressed == 3)
    #expect(try fixture.lines(of: "profiles", in: "next")[0]["events"]?.names == ["d1", "d5"])
  }

  /// Small tables, many lanes, inputs in any order, a run that died: the same bytes.
  @Test func howeverARunGoesItKeepsTheSameBack() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var log = RandomLog(seed: seed, tellsPrivacy: true)
    let names = (0..<4).map { "\($0).ndjson" }
    for name in names { try fixture.log(log.lines(60), name) }
    try fixture.run(["0.ndjson"], to: "night") { $0.snapshot.partitions = 2 }
    let requests = try fixture.log(log.requests(5), "requests.ndjson")
    func set(_ options: inout RunOptions) {
      options.snapshot.partitions = 2
      (options.merge.reingest, options.merge.honorsOptOut) = (true, true)
      options.merge.erasureRequests = requests
    }
    try fixture.run(names, to: "expected", after: "night", set)
    try fixture.run(names.reversed(), to: "spilled", after: "night") {
      set(&$0)
      ($0.read.memory, $0.read.jobs) = (1, 3)
    }
    let (expected, spilled) = (
      try fixture.repeatable("expected"), try fixture.repeatable("spilled")
    )
    #expect(spilled == expected, "seed \(seed)")
  }

  /// A merge refuses partials that were made for other requests.
  @Test func partialsKnowWhomTheyWereMadeFor() throws {
    let runs = try PartialRuns()
    let fixture = runs.fixture
    try fixture.log(
      [Sample.event("anna", "e"), Sample.event("bob", "e"), #"{"custom_id":"anna""#], "a.ndjson")
    let anna = try fixture.log([#"{"custom_id":"anna"}"#], "anna.ndjson")
    let bob = try fixture.log([#"{"custom_id":"bob"}"#], "bob.ndjson")
    try runs.partial(["a.ndjson"], to: "partial") { $0.merge.erasureRequests = anna }
    let other = #expect(throws: Failure.self) {
      try runs.merge(0, ["partial"], to: "out") { $0.merge.erasureRequests = bob }
    }
    #expect(other?.kind == .usage)
    try runs.mergeSteps(["partial"], partitions: 1, to: "out") { $0.merge.erasureRequests = anna }
    for requests in [nil, bob] {
      let refused = #expect(throws: Failure.self) {
        try runs.finish("out") { $0.merge.erasureRequests = requests }
      }
      #expect(refused?.kind == .usage)
    }
    try runs.finish("out") { $0.merge.erasureRequests = anna }
    try fixture.run(["a.ndjson"], to: "whole") { $0.merge.erasureRequests = anna }
    try runs.expectSame("out", "whole", "one person is erased")
    // A partial made without requests is accepted. The merge erases the person, also from rejects.
    try runs.partial(["a.ndjson"], to: "plain")
    try runs.mergeSteps(["plain"], partitions: 1, to: "later") { $0.merge.erasureRequests = anna }
    try runs.finish("later") { $0.merge.erasureRequests = anna }
    let outcome = try VerifyJob(
      fixture.scratch("later"), absent: anna, jobs: 1, control: JobControl()
    ).run()
    #expect(outcome.problems.map(\.message) == [])
  }
}
