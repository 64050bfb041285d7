@testable import Stages
@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// What is wrong with the output of a redrive is found.
@Suite struct VerifyRedriveTests {
  private let output: ForgedOutput

  init() throws {
    let it = try RedriveFixture()
    try it.fixture.log(
      [
        #"{"custom_id":"u","name":"seen","time":"2024-06-01T00:00:00","label":7}"#,
        #"{"custom_id":"u","name":"seen","time":"2024-06-01T00:00:00","attributes":7}"#, "{",
      ], "a.ndjson")
    try it.fixture.run(["a.ndjson"], to: "strict")
    try it.redrive(["strict"], to: "out") { $0.read.rules.v1 = .lenient }
    output = ForgedOutput(it.fixture)
  }

  private func expect(
    _ expected: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try output.fixture.problems(of: output.path)
    #expect(found.contains { $0.hasPrefix(expected) }, "\(found)", sourceLocation: sourceLocation)
  }

  @Test func whatWasPublishedIsSound() throws {
    let outcome = try VerifyJob(output.path, jobs: 2, control: JobControl()).run()
    #expect(outcome.problems.isEmpty && outcome.files == 3)
    #expect(outcome.contents == .logs(1, lines: 2, events: 2, operations: 0))
  }

  @Test(arguments: [
    ForgedLines("redriven.ndjson.zst (line 1): notCanonical ") {
      $0[0].replace(#/,"redriven".*/#, with: "}")
    },
    ForgedLines("redriven.ndjson.zst (line 1): notCanonical ") {
      $0[0].replace("\"line\":1", with: "\"line\":\"1\"")
    },
    ForgedLines("redriven.ndjson.zst (line 1): rejectedEvent 0, ") {
      $0[0].replace("seen", with: "-")
    },
    ForgedLines("report.json: otherRedrive 2, lines are redriven, 1") { $0.removeLast() },
    ForgedLines("report.json: otherRedrive 2, events were accepted, 1") { $0.removeLast() },
  ])
  func aLineThatNoRedriveWroteIsTold(_ it: ForgedLines) throws {
    try output.change(RunFiles.redriven, linesPerFrame: 1 << 20, it.change)
    try expect(it.problem)
  }

  @Test func entriesAreCheckedAndCounted() throws {
    try output.change(RunFiles.rejects) { $0.append("{\"source\":\"a\"}") }
    try expect("rejects.ndjson.zst (frame 0, line 2): badEntry its line is not a line number")
    try expect("report.json: otherRedrive 1, entry is left, 2")
  }

  @Test func theLedgerIsChecked() throws {
    try output.replace("\"partial\": 0", by: "\"partial\": 5", in: RunFiles.report)
    try expect(
      "report.json: unbalancedLedger 3 entries were read, but 2 accepted, 5 accepted in part")
    try output.fixture.scratch.write([], to: "out/extra")
    try expect("extra: notListed")
  }
}
