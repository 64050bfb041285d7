@testable import Stages
@testable import Jobs
import Pipeline
import TestSupport
import Testing

extension RunFixture {
  /// Why each job that reads logs fails, by its name; none may publish anything.
  func failuresOfReading(
    _ inputs: [String], _ change: (inout RunOptions) -> Void
  ) throws -> [(job: String, failure: Failure?)] {
    var options = options(inputs, to: "out")
    change(&options)
    let (read, publish) = (options.read, options.publish)
    let before = try scratch.names()
    let ofRun = Failure.of(try run(options))
    #expect(try scratch.names() == before)
    let failures = [
      ("run", ofRun),
      ("partial", Failure.of(try PartialJob(options, control: JobControl()).run())),
      ("migrate", migrateFailure(inputs, to: "out", change)),
      ("migrate --verify", migrateFailure(inputs, to: "out", verifies: true, change)),
      ("migrate --dry-run", Failure.of(try JobControl().dryRun(read, publish))),
      ("count", Failure.of(try CountJob(read, control: JobControl()).run())),
    ]
    #expect(!scratch.has("out"))
    return failures
  }
}

/// Inputs with a compressed log appended to their lines are damaged from there on; those that were
/// cut short are named.
@Suite struct AppendedInputTests {
  private let fixture: RunFixture
  /// The bytes of the lines of `a.ndjson`, several blocks of them.
  private let plain: [UInt8]
  private static let count = 500

  init() throws {
    fixture = try RunFixture()
    let text = Sample.text(200)
    let lines = (0..<Self.count).map { number in
      Sample.event(
        "u\(number)", "seen", attributes: #"{"a":"\#(text)","b":"\#(text)","c":"\#(text)"}"#)
    }
    plain = Array(lines.map { $0 + "\n" }.joined().utf8)
    try fixture.compressedLog(plain, "more.zst")
    // Without the last line feed: the compressed bytes follow the object.
    try fixture.scratch.write(plain.dropLast() + fixture.scratch.bytes("more.zst"), to: "a.ndjson")
    try fixture.log([1, 2].map { Sample.event("w", "seen", day: $0) }, "b.ndjson")
  }

  private static let inputs = ["a.ndjson", "b.ndjson"]

  private func expectAppended(
    _ failure: Failure?, _ job: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let isFound =
      failure?.kind == .corrupt && failure?.path == fixture.scratch("a.ndjson")
      && failure?.offset == plain.count - 1
      && failure?.why == "a zstd frame begins here: a compressed log was appended to the lines"
    #expect(isFound, "\(job): \(failure?.message ?? "no")", sourceLocation: sourceLocation)
  }

  @Test(arguments: [1, 4]) func everyReadingJobRefuses(jobs: Int) throws {
    let change: (inout RunOptions) -> Void = {
      ($0.read.maxRejects, $0.read.jobs) = (.unlimited, jobs)
    }
    for (job, failure) in try fixture.failuresOfReading(Self.inputs, change) {
      expectAppended(failure, job)
    }
    var options = fixture.options(Self.inputs, to: "")
    change(&options)
    expectAppended(Failure.of(try JobControl().explain(options.read) { _ in }), "explain")
  }

  /// With `--keep-going` the range is lost, every line before it counts, and the next night reads
  /// the input again. The proof of a migration is about the lines before.
  @Test(arguments: [1, 4]) func linesBeforeCount(jobs: Int) throws {
    let summary = try fixture.run(Self.inputs, to: "out") {
      $0.read.keepGoing = true
      $0.read.jobs = jobs
    }
    expectAppended(summary.lost.first)
    #expect(summary.ledger.lines == Self.count + 2 && summary.ledger.accepted == Self.count + 2)
    let input = try fixture.json("out/report.json")["inputs"]?.items.first
    #expect(input?["lost"]?["from_offset"]?.integer == plain.count - 1)
    let next = try fixture.run(Self.inputs, to: "next", after: "out") { $0.read.keepGoing = true }
    #expect(summary.lost.count == 1 && next.alreadyRead == 1 && next.lost.count == 1)
    let moved = try fixture.migrate(Self.inputs, to: "moved", verifies: true) {
      ($0.read.keepGoing, $0.read.jobs) = (true, jobs)
    }
    #expect(moved.inputs.reduce(0) { $0 + $1.ledger.lines } == Self.count + 2)
    expectAppended(moved.lost.count == 1 ? moved.lost[0] : nil)
  }

  @Test func rejectsAreCheckedToo() throws {
    try fixture.log([Sample.event("u", "seen"), "{\"name\":1}"], "c.ndjson")
    try fixture.run(["c.ndjson"], to: "bad") { $0.read.maxRejects = nil }
    let entries = try fixture.text("bad/\(RunFiles.rejects)")
    try fixture.scratch.write(
      entries + fixture.scratch.bytes("bad/\(RunFiles.rejects)"), to: "rejects.ndjson")
    let options = fixture.options(["rejects.ndjson"], to: "again")
    let failure = Failure.of(
      try RedriveJob(options.read, options.publish, control: JobControl()).run())
    #expect(failure?.kind == .corrupt && failure?.offset == entries.count)
  }

  // MARK: Cut short

  /// The numbers of lines that a report says were cut short, by input.
  private func cutShort(_ output: String) throws -> [Int?] {
    try fixture.json("\(output)/report.json")["inputs"]?.items.map { $0["cut_short"]?.integer }
      ?? []
  }

  @Test(arguments: [#"{"identifiers":{"cust"#, "\u{0}\u{0}", "x\r"])
  func inputsThatWereCutShortAreNamed(_ rest: String) throws {
    try fixture.scratch.write(plain + Array(rest.utf8), to: "a.ndjson")
    for jobs in [1, 4] {
      let warnings = Locked<[Failure]>([])
      let control = JobControl(warnings: { failure in warnings.withLock { $0.append(failure) } })
      var options = fixture.options(Self.inputs, to: "out")
      options.read.jobs = jobs
      options.publish.replace = true
      let summary = try fixture.run(options, control: control)
      #expect(summary.ledger.rejectedLines == 1 && summary.lost.isEmpty)
      let found = warnings.withLock { $0 }
      #expect(found.map(\.path) == [fixture.scratch("a.ndjson")])
      #expect(found.map(\.line) == [Self.count + 1])
      #expect(
        found.map(\.why) == ["it was cut short: its last line is not JSON and has no line feed"])
      #expect(try cutShort("out") == [Self.count + 1, nil])
    }
  }

  @Test(arguments: [
    // With a line feed, blank, JSON, JSON that is rejected for its content, or repaired.
    "{\n", " ", "{\n ", #"{"name":1}"#, "[1]", "",
    #"{"name":"seen","time":"2024-05-01T00:00:00Z",}"#,
  ])
  func otherEndsAreNotCut(_ rest: String) throws {
    try fixture.scratch.write(plain + Array(rest.utf8), to: "a.ndjson")
    try fixture.run(Self.inputs, to: "out") {
      $0.read.maxRejects = nil
      $0.read.rules.foreign.repairs = rest.hasSuffix(",}")
    }
    #expect(try cutShort("out") == [nil, nil])
  }

  /// Once, though the proof of a migration reads the inputs again; and by a merge, too.
  @Test func otherJobsNameWhatWasCutOnce() throws {
    try fixture.scratch.write(plain + [0x7B], to: "a.ndjson")
    let warnings = Locked(0)
    let control = JobControl(warnings: { _ in warnings.withLock { $0 += 1 } })
    try fixture.migrate(Self.inputs, to: "moved", verifies: true, control: control)
    #expect(warnings.withLock { $0 } == 1)
    #expect(try cutShort("moved") == [Self.count + 1, nil])
    let runs = PartialRuns(fixture)
    try runs.partial(Self.inputs, to: "p")
    try runs.mergeAll(["p"], partitions: 1, to: "out")
    #expect(try cutShort("out") == [Self.count + 1, nil])
  }
}
