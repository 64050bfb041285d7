import Foundation
import Pipeline
import TestSupport
import Testing

@testable import Jobs

/// `run --tracking` reports what a plan does not have, and changes nothing else.
@Suite struct TrackedRunTests {
  private static func event(_ who: String, _ attributes: String, name: String = "bought") -> String
  {
    #"{"custom_id":"\#(who)","name":"\#(name)","time":"2024-06-01T00:00:00Z","attributes":{\#(attributes)}}"#
  }

  private static let plan =
    #"{"eventmill_plan":1,"events":{"bought":{"properties":{"friend":{"enum":["x"]}}}}}"#

  @Test func onlyTheReportIsDifferent() throws {
    for seed in 1...UInt64(Effort.rounds(2, of: 10)) {
      let fixture = try RunFixture()
      var log = RandomLog(seed: seed, tellsPrivacy: true)
      try fixture.log(log.lines(400), "a.ndjson")
      try fixture.log(Sample.log(seed: seed, count: 400), "b.ndjson")
      let plan = try fixture.scratch.write(Self.plan, to: "plan.json")
      let inputs = ["a.ndjson", "b.ndjson"]
      try fixture.run(inputs, to: "plain") { $0.read.jobs = 2 }
      let run = try fixture.run(inputs, to: "tracked") {
        $0.read.jobs = 2
        $0.tracking = plan
      }
      #expect(try fixture.repeatable("plain") == fixture.repeatable("tracked"), "seed \(seed)")
      let report = try fixture.json("tracked/report.json")["tracking"]
      let found = try TrackingJob(fixture.options(inputs, to: "").read, control: JobControl())
        .check(TrackingPlan(reading: plan)).found
      #expect(found.rows.count > 5)
      #expect(run.tracking?.rows.map(\.attribute) == found.rows.map(\.attribute))
      #expect(run.tracking?.rows.map(\.line) == found.rows.map(\.line))
      #expect(report?.each("findings").map { $0["event"]?.text } == found.rows.map(\.event))
      #expect(report?["totals"]?["new-event"]?.integer == found.totals.first?.count)
      #expect(report?["others"]?.integer == 0)
    }
  }

  /// Nothing is said of events that are suppressed, and there are no values of those of others, in
  /// which an erased person may be.
  @Test func noValuesInReports() throws {
    let fixture = try RunFixture()
    try fixture.log(
      [Self.event("anna", #""friend":"bob-77""#), Self.event("eve", #""friend":"x""#)], "log.ndjson"
    )
    let plan = try fixture.scratch.write(Self.plan, to: "plan.json")
    let anna = try fixture.log([#"{"custom_id":"anna"}"#], "anna.ndjson")
    let erased = try fixture.run(["log.ndjson"], to: "erased") {
      $0.tracking = plan
      $0.merge.erasureRequests = anna
    }
    #expect(erased.tracking?.rows.isEmpty == true)
    try fixture.run(["log.ndjson"], to: "out") { $0.tracking = plan }
    let finding = try fixture.json("out/report.json")["tracking"]?["findings"]?[0]
    #expect(finding?["kind"]?.text == "value" && finding?["type"]?.text == "string")
    #expect(finding?["example"] == nil && finding?["expected"] == nil)
    for name in RunFiles.reports {
      let text = try fixture.scratch.text("out/\(name)")
      #expect(text.contains("friend") && !text.contains("bob-77"), "\(name)")
    }
  }

  /// Partials carry findings, in any order.
  @Test func findingsOfPartials() throws {
    let runs = try PartialRuns()
    let fixture = runs.fixture
    var log = RandomLog(seed: 5, tellsPrivacy: true)
    let logs = ["b/1.ndjson", "a/2.ndjson", "b/3.ndjson"]
    for name in logs { try fixture.log(log.lines(200), name) }
    let plan = try fixture.scratch.write(Self.plan, to: "plan.json")
    try fixture.run(logs, to: "whole") { $0.tracking = plan }
    try runs.partial([logs[2], logs[1]], to: "one") { $0.tracking = plan }
    try runs.partial([logs[0]], to: "other") { $0.tracking = plan }
    try runs.mergeAll(["other", "one"], partitions: 1, to: "merged") { _ in }
    try runs.expectSame("merged", "whole", "with a plan")
    let expected = try fixture.json("whole/report.json")["tracking"]
    #expect(try fixture.json("merged/report.json")["tracking"] == expected)
    #expect((expected?["findings"]?.items.count ?? 0) > 5)
  }

  @Test func forgedFindingsAreDamage() throws {
    let row = #""kind":"value","event":"a","attribute":"k","file":"f","line":1,"count":2"#
    let sound = #"{"totals":{"value":3},"findings":[{\#(row)}],"others":1}"#
    func read(_ tracking: String, plan: String = "00000000000000ff") throws -> TrackingCheck {
      let text = ByteBuffer(text: #"{"tracking_plan":"\#(plan)","tracking":\#(tracking)}"#)
      return try TrackingCheck(JSONDocument(text.view).root)
    }
    let check = try read(sound)
    #expect(check.plan == 255 && check.others == 1 && check.rows.first?.count == 2)
    for (part, forged) in [
      (#""value":3"#, #""value":1"#), (#""value":3"#, #""color":3"#),
      (#""count":2"#, #""count":-2"#), (#"[{\#(row)}]"#, #"[{\#(row)},{\#(row)}]"#),
      (#""line":1"#, #""line":"1""#),
    ] { #expect(throws: DocumentDamage.self) { _ = try read(sound.replacing(part, with: forged)) } }
    #expect(throws: DocumentDamage.self) { _ = try read(sound, plan: "x") }
  }

  /// An older output may have values there.
  @Test func absentPeopleAreSoughtInFindings() throws {
    let fixture = try RunFixture()
    try fixture.log([Self.event("anna", #""friend":"bob-77""#)], "log.ndjson")
    let plan = try fixture.scratch.write(Self.plan, to: "plan.json")
    try fixture.run(["log.ndjson"], to: "out") { $0.tracking = plan }
    try fixture.scratch.edit("out/report.json") {
      $0.replacing(#""type": "string""#, with: #""example": "bob-77""#)
    }
    let bob = try fixture.log([#"{"custom_id":"bob-77"}"#], "bob.ndjson")
    let problems = try VerifyJob(
      fixture.scratch("out"), absent: bob, jobs: 1, control: JobControl()
    ).run().problems.map(\.coded)
    #expect(problems == ["report.json: holdsAbsent"])
  }

  @Test func aMistakeInThePlanEndsTheRunBeforeItReads() throws {
    let fixture = try RunFixture()
    let plan = try fixture.scratch.write("{}", to: "plan.json")
    try fixture.log([Self.event("u", "")], "log.ndjson")
    let failure = fixture.failure(["log.ndjson"], to: "out") { $0.tracking = plan }
    #expect(failure?.kind == .usage && failure?.path == plan)
    try fixture.expectOnly(["log.ndjson", "plan.json"])
  }
}
