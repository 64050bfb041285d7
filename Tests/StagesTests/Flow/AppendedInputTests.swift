@testable import Stages
@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// Inputs with a compressed log appended to their lines are damaged from there on; those that were
/// cut short are named.
@Suite struct AppendedInputTests {
  private let fixture: RunFixture
  /// The bytes of the lines of `a.ndjson`, several blocks of them.
  private let plain: [UInt8]

  init() throws {
    fixture = try RunFixture()
    let lines = (0..<3000).map { Sample.event("u\($0)", "seen", attributes: "{\"n\":\($0)}") }
    plain = Array(lines.map { $0 + "\n" }.joined().utf8)
    try fixture.compressedLog(plain, "more.zst")
    // Without the last line feed: the compressed bytes follow the object.
    try fixture.scratch.write(plain.dropLast() + fixture.scratch.bytes("more.zst"), to: "a.ndjson")
    try fixture.log([1, 2].map { Sample.event("w", "seen", day: $0) }, "b.ndjson")
  }

  private static let inputs = ["a.ndjson", "b.ndjson"]

  private func expectAppended(
    _ failure: Failure?, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(failure?.kind == .corrupt, sourceLocation: sourceLocation)
    #expect(failure?.path == fixture.scratch("a.ndjson"), sourceLocation: sourceLocation)
    #expect(failure?.offset == plain.count - 1, sourceLocation: sourceLocation)
    #expect(
      failure?.why == "a zstd frame begins here: a compressed log was appended to the lines",
      sourceLocation: sourceLocation)
  }

  @Test func everyReadingJobRefuses() throws {
    var options = fixture.options(Self.inputs, to: "out")
    options.read.maxRejects = .unlimited
    for jobs in [1, 4] {
      options.read.jobs = jobs
      let (read, publish) = (options.read, options.publish)
      expectAppended(fixture.failure(Self.inputs, to: "out") { $0.read = read })
      for verifies in [false, true] {
        expectAppended(
          fixture.migrateFailure(Self.inputs, to: "moved", verifies: verifies) { $0.read = read })
      }
      var partial = options
      partial.publish.output = fixture.scratch("p")
      expectAppended(
        Failure.thrown { () throws(Failure) in
          _ = try PartialJob(partial, control: JobControl()).run()
        })
      expectAppended(
        Failure.thrown { () throws(Failure) in _ = try CountJob(read, control: JobControl()).run() }
      )
      expectAppended(
        Failure.thrown { () throws(Failure) in
          _ = try JobControl().dryRun(read, publish)
        })
      expectAppended(
        Failure.thrown { () throws(Failure) in
          _ = try JobControl().explain(read) { _ in }
        })
    }
    for output in ["out", "moved", "p"] { #expect(!fixture.scratch.has(output)) }
  }

  /// With `--keep-going` the range is lost, every line before it counts, and the next night reads
  /// the input again.
  @Test(arguments: [1, 4]) func linesBeforeCount(jobs: Int) throws {
    let summary = try fixture.run(Self.inputs, to: "out") {
      $0.read.keepGoing = true
      $0.read.jobs = jobs
    }
    #expect(summary.lost.count == 1)
    expectAppended(summary.lost.first)
    #expect(summary.ledger.lines == 3002 && summary.ledger.accepted == 3002)
    let input = try fixture.json("out/report.json")["inputs"]?.items.first
    #expect(input?["lost"]?["from_offset"]?.integer == plain.count - 1)
    let next = try fixture.run(Self.inputs, to: "next", after: "out") { $0.read.keepGoing = true }
    #expect(next.alreadyRead == 1)
    #expect(next.lost.count == 1)
  }

  /// The migrated log ends with the lines before, and the proof is about these only.
  @Test func proofOfAMigrationIsAboutTheLinesBefore() throws {
    let moved = try fixture.migrate(Self.inputs, to: "moved", verifies: true) {
      $0.read.keepGoing = true
    }
    #expect(moved.lost.count == 1 && moved.inputs.reduce(0) { $0 + $1.ledger.lines } == 3002)
    expectAppended(moved.lost.first)
  }

  @Test func rejectsAreCheckedToo() throws {
    try fixture.log([Sample.event("u", "seen"), "{\"name\":1}"], "c.ndjson")
    try fixture.run(["c.ndjson"], to: "bad") { $0.read.maxRejects = nil }
    let entries = try fixture.text("bad/\(RunFiles.rejects)")
    try fixture.scratch.write(
      entries + fixture.scratch.bytes("bad/\(RunFiles.rejects)"), to: "rejects.ndjson")
    let options = fixture.options(["rejects.ndjson"], to: "again")
    let failure = Failure.thrown { () throws(Failure) in
      _ = try RedriveJob(options.read, options.publish, control: JobControl()).run()
    }
    #expect(failure?.kind == .corrupt && failure?.offset == entries.count)
  }

  // MARK: Cut short

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
      #expect(found.count == 1 && found.first?.path == fixture.scratch("a.ndjson"))
      #expect(found.first?.line == 3001)
      #expect(
        found.first?.why == "it was cut short: its last line is not JSON and has no line feed")
      let inputs = try fixture.json("out/report.json")["inputs"]?.items
      #expect(inputs?.map { $0["cut_short"]?.integer } == [3001, nil])
    }
  }

  @Test(arguments: [
    // With a line feed, blank, JSON, or JSON that is rejected for its content.
    "{\n", " ", "{\n ", #"{"name":1}"#, "[1]", "",
  ])
  func otherEndsAreNotCut(_ rest: String) throws {
    try fixture.scratch.write(plain + Array(rest.utf8), to: "a.ndjson")
    try fixture.run(Self.inputs, to: "out") { $0.read.maxRejects = nil }
    let inputs = try fixture.json("out/report.json")["inputs"]?.items
    #expect(inputs?.map { $0["cut_short"] } == [nil, nil])
  }

  /// Once, though the proof reads the inputs again.
  @Test func migrationNamesWhatWasCutOnce() throws {
    try fixture.scratch.write(plain + [0x7B], to: "a.ndjson")
    let warnings = Locked(0)
    let control = JobControl(warnings: { _ in warnings.withLock { $0 += 1 } })
    try fixture.migrate(Self.inputs, to: "moved", verifies: true, control: control)
    #expect(warnings.withLock { $0 } == 1)
    let inputs = try fixture.json("moved/report.json")["inputs"]?.items
    #expect(inputs?.first?["cut_short"]?.integer == 3001)
  }

  @Test func mergeNamesWhatWasCutToo() throws {
    try fixture.scratch.write(plain + [0x7B], to: "a.ndjson")
    let runs = PartialRuns(fixture)
    try runs.partial(Self.inputs, to: "p")
    try runs.mergeAll(["p"], partitions: 1, to: "out")
    let inputs = try fixture.json("out/report.json")["inputs"]?.items
    #expect(inputs?.first?["cut_short"]?.integer == 3001)
  }

  @Test func repairedEndIsNotCut() throws {
    try fixture.scratch.write(
      plain + Array(#"{"name":"seen","time":"2024-05-01T00:00:00Z",}"#.utf8), to: "a.ndjson")
    try fixture.run(Self.inputs, to: "out") { $0.read.rules.foreign.repairs = true }
    let inputs = try fixture.json("out/report.json")["inputs"]?.items
    #expect(inputs?.first?["cut_short"] == nil)
  }
}
