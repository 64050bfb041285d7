@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// `--max-names`: more names than allowed end a job with a failure, and nothing is published.
@Suite struct NameLimitConcurrencyTests {
  private let fixture: RunFixture

  init() throws { fixture = try RunFixture() }

  /// A log of so many events, each with a name of its own.
  private static func events(_ count: Int, _ prefix: String = "event") -> [String] {
    (0..<count).map { Sample.event("user-\($0)", "\(prefix)_\($0)") }
  }

  /// A log of so many attribute keys, one per line.
  private static func attributes(_ count: Int) -> [String] {
    (0..<count).map { number in
      "{\"identifiers\":{\"custom_id\":\"u\"},\"attributes\":{\"key_\(number)\":1},"
        + "\"time\":\"2024-05-01T00:00:00Z\"}"
    }
  }

  private func limit(_ count: Int, jobs: Int = 3) -> (inout RunOptions) -> Void {
    { ($0.read.maxNames, $0.read.jobs) = (count, jobs) }
  }

  @Test(arguments: [events(40), attributes(40)], [1, 3])
  func asManyAsAllowed(lines: [String], jobs: Int) throws {
    try fixture.log(lines, "a.ndjson")
    try fixture.run(["a.ndjson"], to: "out", limit(40, jobs: jobs))
    let failure = fixture.failure(["a.ndjson"], to: "other", limit(39, jobs: jobs))
    #expect(failure?.kind == .limit && failure?.path == fixture.scratch("a.ndjson"))
    #expect(failure?.why.contains("more than 39 different ones, such as \"") == true)
    try fixture.expectOnly(["a.ndjson", "out"])
  }

  /// Far more names than there is room for, in many blocks: stand-ins go through every stage.
  @Test(arguments: [1, 3]) func farMore(jobs: Int) throws {
    try fixture.log(Self.events(12_000), "a.ndjson")
    #expect(fixture.failure(["a.ndjson"], to: "out", limit(1, jobs: jobs))?.kind == .limit)
    try fixture.expectOnly(["a.ndjson"])
  }

  @Test func countingHasTheSameLimit() throws {
    try fixture.log(Self.events(5), "a.ndjson")
    var options = fixture.options(["a.ndjson"], to: "")
    options.read.maxNames = 4
    #expect(Failure.of(try CountJob(options.read, control: JobControl()).run())?.kind == .limit)
    options.read.maxNames = 5
    #expect(try CountJob(options.read, control: JobControl()).run().lines.rows.count == 5)
  }

  @Test func namesOfThePreviousStateCount() throws {
    try fixture.log(Self.events(5), "a.ndjson")
    try fixture.log(Self.events(5, "other"), "b.ndjson")
    try fixture.run(["a.ndjson"], to: "previous")
    // Copied or read, the names of the state are there first.
    for (limit, level, name) in [
      (4, 1, "previous"), (4, 2, "previous"), (9, 1, "b.ndjson"), (9, 2, "b.ndjson"),
    ] {
      let failure = fixture.failure(["b.ndjson"], to: "out", after: "previous") {
        ($0.read.maxNames, $0.publish.level) = (limit, level)
      }
      #expect(failure?.kind == .limit && failure?.path == fixture.scratch(name), "\(limit)")
    }
    try fixture.run(["b.ndjson"], to: "out", after: "previous") { $0.read.maxNames = 10 }
  }

  @Test func theEarliestOfSeveralFailuresIsReported() throws {
    try fixture.log(Self.events(5), "names.ndjson")
    // Named before and behind the log with too many names.
    for (damaged, kind) in [("a.ndjson.zst", Failure.Kind.corrupt), ("z.ndjson.zst", .limit)] {
      try fixture.compressedLog(Array("\(Sample.event("u", "event_0"))\n".utf8), damaged)
      try fixture.scratch.change(damaged) { $0.removeLast(5) }
      let failure = fixture.failure(["names.ndjson", damaged], to: "out", limit(4))
      #expect(failure?.kind == kind, "\(damaged)")
    }
  }
}
