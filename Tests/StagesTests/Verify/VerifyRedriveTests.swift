@testable import Stages
@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// What is wrong with the output of a redrive is found.
@Suite struct VerifyRedriveTests {
  @Test func whatNoRedriveWroteIsFound() throws {
    let fixture = try RunFixture()
    try fixture.log(
      [
        #"{"custom_id":"u","name":"seen","time":"2024-06-01T00:00:00","label":7}"#,
        #"{"custom_id":"u","name":"seen","time":"2024-06-01T00:00:00","attributes":7}"#, "{",
      ], "a.ndjson")
    try fixture.run(["a.ndjson"], to: "strict")
    try fixture.redrive(["strict"], to: "out") { $0.read.rules.v1 = .lenient }
    let output = ForgedOutput(fixture, linesPerFrame: 1 << 20, listsAll: false)
    let outcome = try VerifyJob(output.path, jobs: 2, control: JobControl()).run()
    #expect(outcome.problems.isEmpty && outcome.files == 3)
    #expect(outcome.contents == .logs(1, lines: 2, events: 2, operations: 0))
    let lines = RunFiles.redriven
    try output.expect([
      Forgery(
        lines, "(line 1): notCanonical …",
        lines: { $0[0].replace(#/,"redriven".*/#, with: "}") }),
      Forgery(
        lines, "\"line\":1", to: "\"line\":\"1\"", "(line 1): notCanonical …"),
      Forgery(lines, "seen", to: "-", "(line 1): rejectedEvent 0, …"),
      Forgery(
        lines, "report.json: otherRedrive 2, lines are redriven, 1",
        "report.json: otherRedrive 2, events were accepted, 1",
        lines: { $0.removeLast() }),
      Forgery(
        RunFiles.rejects, "(frame 0, line 2): badEntry its line is not a line number…",
        "report.json: otherRedrive 1, entry is left, 2",
        lines: { $0.append("{\"source\":\"a\"}") }),
      Forgery(
        RunFiles.report, "\"partial\": 0", to: "\"partial\": 5",
        ": unbalancedLedger 3 entries were read, but 2 accepted, 5 accepted in part…"),
      Forgery("extra: notListed", by: { try $0.fixture.scratch.write([], to: "out/extra") }),
    ])
  }
}
