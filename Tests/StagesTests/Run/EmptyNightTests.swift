@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// A night without logs does not stop the chain (`--allow-empty`).
@Suite struct EmptyNightTests {
  private let fixture: RunFixture

  init() throws {
    fixture = try RunFixture()
    try fixture.log([Sample.event("u", "a"), Sample.event("v", "b"), "{"], "logs/a.ndjson")
    try fixture.log(["not a log"], "none/readme.txt")
  }

  @Test(arguments: [1, 3])
  func aNightWithoutLogsOnlyGoesOn(partitions: Int) throws {
    func night(_ inputs: [String], _ output: String, after previous: String?) throws -> RunReport {
      try fixture.run(inputs, to: output, after: previous) {
        $0.read.allowEmpty = true
        ($0.snapshot.partitions, $0.snapshot.dedupeDays) = (partitions, 7)
      }
    }
    _ = try night(["logs"], "1", after: nil)
    let summary = try night(["none"], "2", after: "1")
    #expect(summary.inputs == 0 && summary.profiles == 2)
    #expect(try fixture.snapshot(of: "2") == fixture.snapshot(of: "1"))
    #expect(try fixture.json("2/manifest.json")["inputs"]?.items.isEmpty == true)
    #expect(try fixture.lines("2/rejects.ndjson.zst").isEmpty)
    // The night after it knows what the one before it has read.
    #expect(try night(["logs"], "3", after: "2").alreadyRead == 1)
  }

  @Test func aFirstNightWithoutLogsIsAnEmptyOutput() throws {
    for inputs in [["none"], []] {
      let summary = try fixture.run(inputs, to: "out-\(inputs.count)") {
        ($0.read.allowEmpty, $0.read.maxRejects) = (true, .percent(50))
      }
      #expect(summary.profiles == 0 && summary.ledger.lines == 0)
    }
    #expect(try fixture.run(["logs"], to: "next", after: "out-1").profiles == 2)
  }

  @Test func withoutTheOptionItIsAMistake() throws {
    #expect(fixture.failure(["none"], to: "out")?.kind == .io)
    #expect(fixture.failure(["nowhere"], to: "out") { $0.read.allowEmpty = true }?.kind == .io)
    try fixture.expectOnly(["logs", "none"])
  }

  @Test func allWaysOfReadingTakeIt() throws {
    func allowEmpty(_ options: inout RunOptions) { options.read.allowEmpty = true }
    try fixture.run(["none"], to: "out") {
      ($0.read.allowEmpty, $0.merge.honorsOptOut) = (true, true)
    }
    var options = fixture.options(["none"], to: "")
    allowEmpty(&options)
    #expect(try CountJob(options.read, control: JobControl()).run().lines.rows.isEmpty)
    #expect(try JobControl().validate(options.read).facts.total.lines == 0)
    let archive = try fixture.migrate(["none"], to: "archive", verifies: true, allowEmpty)
    #expect(archive.inputs.isEmpty)

    let runs = PartialRuns(fixture)
    try runs.partial(["none"], to: "p", allowEmpty)
    try runs.partial(["logs"], to: "q")
    try fixture.run(["logs"], to: "whole")
    for (partials, run) in [(["p"], "out"), (["p", "q"], "whole")] {
      try runs.mergeAll(partials, partitions: 1, to: "merged-\(run)")
      #expect(try fixture.snapshot(of: "merged-\(run)") == fixture.snapshot(of: run))
    }
  }
}
