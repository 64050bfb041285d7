@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// A night without logs does not stop the chain (`--allow-empty`).
@Suite struct EmptyNightTests {
  private func fixture() throws -> RunFixture {
    let fixture = try RunFixture()
    try fixture.log([Sample.event("u", "a"), Sample.event("v", "b"), "{"], "logs/a.ndjson")
    try fixture.log(["not a log"], "none/readme.txt")
    return fixture
  }

  /// What the next night continues from, and the published profiles.
  private func contents(_ output: String, _ fixture: RunFixture) throws -> [String: [UInt8]] {
    try fixture.bytes(of: output).filter {
      $0.key.hasPrefix("state/") || $0.key.hasPrefix("profiles/")
        || $0.key.hasPrefix("event_counts") || $0.key == RunFiles.dailyCounts
    }
  }

  @Test(arguments: [1, 3])
  func aNightWithoutLogsOnlyGoesOn(partitions: Int) throws {
    let fixture = try fixture()
    func night(_ inputs: [String], _ output: String, after previous: String?) throws -> RunReport {
      try fixture.run(inputs, to: output, after: previous) {
        $0.read.allowEmpty = true
        $0.snapshot.partitions = partitions
        $0.snapshot.dedupeDays = 7
      }
    }
    _ = try night(["logs"], "1", after: nil)
    let summary = try night(["none"], "2", after: "1")
    #expect(summary.inputs == 0 && summary.profiles == 2)
    #expect(try contents("2", fixture) == contents("1", fixture))
    #expect(try fixture.json("2/manifest.json")["inputs"]?.items.isEmpty == true)
    #expect(try fixture.lines("2/rejects.ndjson.zst").isEmpty)
    // The night after it knows what the one before it has read.
    #expect(try night(["logs"], "3", after: "2").alreadyRead == 1)
  }

  @Test func aFirstNightWithoutLogsIsAnEmptyOutput() throws {
    let fixture = try fixture()
    for inputs in [["none"], []] {
      let summary = try fixture.run(inputs, to: "out-\(inputs.count)") {
        $0.read.allowEmpty = true
        $0.read.maxRejects = .percent(50)
      }
      #expect(summary.profiles == 0 && summary.ledger.lines == 0)
    }
    #expect(try fixture.run(["logs"], to: "next", after: "out-1").profiles == 2)
  }

  @Test func withoutTheOptionItIsAMistake() throws {
    let fixture = try fixture()
    #expect(fixture.failure(["none"], to: "out")?.kind == .io)
    #expect(fixture.failure(["nowhere"], to: "out") { $0.read.allowEmpty = true }?.kind == .io)
    try fixture.expectOnly(["logs", "none"])
  }

  @Test func allWaysOfReadingTakeIt() throws {
    let fixture = try fixture()
    try fixture.run(["none"], to: "out") {
      $0.read.allowEmpty = true
      $0.merge.honorsOptOut = true
    }
    var options = fixture.options(["none"], to: "counted")
    options.read.allowEmpty = true
    #expect(try CountJob(options.read, control: JobControl()).run().lines.rows.isEmpty)
    #expect(try JobControl().validate(options.read).facts.total.lines == 0)
  }

  @Test func aPartialOfNothingIsMergedWithTheOthers() throws {
    let fixture = try fixture()
    func partial(_ inputs: [String], _ name: String) throws {
      var options = fixture.options(inputs, to: name)
      options.read.allowEmpty = true
      _ = try PartialJob(options, control: JobControl()).run()
    }
    try partial(["none"], "p")
    try partial(["logs"], "q")
    for (number, partials) in [["p"], ["p", "q"]].enumerated() {
      let options = fixture.options(partials, to: "merged-\(number)")
      for step in [MergeStep.installations, .people] {
        _ = try MergeJob(options, step, partition: 0, control: JobControl()).run()
      }
      var last = fixture.options(["merged-\(number)"], to: "out-\(number)")
      last.read.inputs = [fixture.scratch("merged-\(number)")]
      _ = try FinishJob(last, control: JobControl()).run()
      #expect(try fixture.problems(of: fixture.scratch("out-\(number)")).isEmpty)
    }
    try fixture.run(["logs"], to: "whole")
    #expect(try contents("out-1", fixture) == contents("whole", fixture))
  }

  @Test func anArchiveOfNothingIsWhole() throws {
    let fixture = try fixture()
    var options = fixture.options(["none"], to: "archive")
    options.read.allowEmpty = true
    let summary = try MigrateJob(
      options.read, options.publish, verifies: true, control: JobControl()
    ).run()
    #expect(summary.inputs.isEmpty)
    #expect(try fixture.problems(of: fixture.scratch("archive")).isEmpty)
  }
}
