@testable import Stages
@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// Reading something other than a log fails: an input is damaged if it has lines and none of them
/// can be read as a record.
@Suite struct LogGuardTests {
  private let fixture: RunFixture

  init() throws {
    fixture = try RunFixture()
    try fixture.log([Sample.event("u", "seen"), "{"], "a.ndjson")
    try fixture.log(["id,name", "1,seen"], "b.ndjson")
    try fixture.log(
      [Sample.event("w", "seen", day: 2), Sample.event("w", "seen", day: 3)], "c.ndjson")
  }

  private static let inputs = ["a.ndjson", "b.ndjson", "c.ndjson"]

  private func guarded(_ options: inout RunOptions) { options.read.maxRejects = .usual }

  private func expectRefused(
    _ failure: Failure?, _ job: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let isFound =
      failure?.kind == .corrupt && failure?.path == fixture.scratch("b.ndjson")
      && failure?.why == "it is not a log: none of its 2 lines is a record; it looks like CSV"
    #expect(isFound, "\(job): \(failure?.message ?? "no")", sourceLocation: sourceLocation)
  }

  /// The damaged input is first, in the middle or last. Its end is detected by the input that
  /// follows, or by the end of all inputs.
  @Test(
    arguments: [["b.ndjson"], ["a.ndjson", "b.ndjson"], inputs, ["b.ndjson", "c.ndjson"]], [1, 4])
  func everyReadingJobRefuses(_ inputs: [String], jobs: Int) throws {
    let failures = try fixture.failuresOfReading(inputs) {
      guarded(&$0)
      $0.read.jobs = jobs
    }
    for (job, failure) in failures { expectRefused(failure, job) }
  }

  /// With `--keep-going` it is lost and named, its lines stay in the ledger and among the rejects,
  /// and the next night reads it again.
  @Test func whatIsLostIsReadAgain() throws {
    let summary = try fixture.run(Self.inputs, to: "out") {
      guarded(&$0)
      $0.read.keepGoing = true
    }
    #expect(summary.lost.count == 1 && summary.facts.linesWithRejects == 3)
    expectRefused(summary.lost.first?.at(fixture.scratch("b.ndjson")))
    let inputs = try fixture.json("out/report.json")["inputs"]?.items ?? []
    #expect(inputs.count == 3 && inputs[1]["lost"]?["kind"]?.text == "corrupt")
    #expect(try fixture.lines("out/\(RunFiles.rejects)").count == 3)
    let next = try fixture.run(Self.inputs, to: "next", after: "out")
    #expect(next.alreadyRead == 2 && next.inputs == 1)
  }

  /// A resumed migration does not reuse the file of an input that is not a log.
  @Test func whatIsLostIsNotResumed() throws {
    func set(_ options: inout RunOptions) {
      guarded(&options)
      (options.read.keepGoing, options.publish.resumes) = (true, true)
    }
    let whole = try fixture.scratch.bytes("c.ndjson")
    try fixture.scratch.write([0x28, 0xB5, 0x2F, 0xFD, 0x20], to: "c.ndjson")
    let failure = fixture.migrateFailure(Self.inputs, to: "moved") {
      set(&$0)
      $0.read.maxRejects = .lines(0)
    }
    #expect(failure?.kind == .rejects)
    try fixture.scratch.write(whole, to: "c.ndjson")
    let moved = try fixture.migrate(Self.inputs, to: "moved", set)
    #expect(moved.resumedInputs == 1 && moved.lost.count == 1)
  }

  @Test(arguments: [nil, RejectLimit.unlimited])
  func withoutALimitItIsTaken(limit: RejectLimit?) throws {
    try fixture.run(Self.inputs, to: "out") { $0.read.maxRejects = limit }
    #expect(try fixture.json("out/report.json")["inputs"]?.items[1]["lost"] == nil)
  }

  @Test(arguments: [
    // Without lines, or with blank ones only.
    [], ["", " \t"],
    // One line is a record, possibly one that is rejected for its contents.
    ["id,name", "1,seen", "1,seen", #"{"name":"seen"}"#],
    ["", #"{"identifiers":{"custom_id":""},"events":[]}"#],
  ])
  func otherInputsAreLogs(_ lines: [String]) throws {
    try fixture.log(lines, "d.ndjson")
    try fixture.run(["c.ndjson", "d.ndjson"], to: "out") { $0.read.maxRejects = .lines(100) }
  }

  /// They are rejected one by one.
  @Test func linesOfAnotherDialectThanIsReadAreLines() throws {
    let failure = fixture.failure(["c.ndjson"], to: "out") {
      guarded(&$0)
      $0.read.rules.dialect = .v1
    }
    #expect(failure?.kind == .rejects)
    let entry = try fixture.lines("out.rejected/\(RunFiles.rejects)")[0]
    #expect(entry["dialect"]?.text == "v2")
    #expect(entry["reasons"]?[0]?["code"]?.text == "wrong_dialect")
  }

  @Test(arguments: [
    Array("[1]".utf8), Array("\"text\"".utf8), Array("{\"unknown\":1}".utf8), [0xFF],
    Array(repeating: UInt8(ascii: "["), count: 65),
    Array(repeating: UInt8(ascii: "x"), count: 2000),
  ])
  func everyUnreadableLineCounts(_ line: [UInt8]) throws {
    try fixture.scratch.write(line + [0x0A, 0x0A], to: "d.ndjson")
    let failure = fixture.failure(["d.ndjson"], to: "out") {
      guarded(&$0)
      $0.read.rules.maxLine = 1000
      $0.read.rules.raisesMaxLine = false
    }
    #expect(failure?.kind == .corrupt)
    #expect(failure?.why.hasPrefix("it is not a log: its only line is not a record") == true)
  }

  @Test func validateAndExplainOnlyReport() throws {
    var options = fixture.options(Self.inputs, to: "")
    options.read.maxRejects = nil
    let validated = try JobControl().validate(options.read)
    #expect(validated.notLogs.map(\.path) == [fixture.scratch("b.ndjson")])
    #expect(validated.lost.isEmpty && validated.facts.total.lines == 6)
    let explained = try JobControl().explain(options.read) { _ in }
    #expect(explained.notLogs == validated.notLogs)
  }
}
