@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// Counting and validating give the figures of a run (data-model 12, 14).
@Suite struct CountJobConcurrencyTests {
  /// Events that are delivered again and again take the room of one in each lane; different ones
  /// are too many. All lanes share the memory, whichever of them reads more.
  @Test(arguments: [1, 3])
  func idsStayWithinTheMemory(jobs: Int) throws {
    let fixture = try RunFixture()
    let lines = (0..<30_000).map { Sample.event("u", "a", id: "\($0 % 2_000)") }
    try fixture.log(lines, "repeated.ndjson")
    let distinct = 25_000 * (1 + jobs)
    try fixture.log((0..<distinct).map { Sample.event("u", "a", id: "\($0)") }, "distinct.ndjson")
    var options = fixture.options(["repeated.ndjson"], to: "")
    options.read.jobs = jobs
    // A lane has 256 partitions of 1 KiB at least.
    options.read.memory = (jobs * 256 + 80) << 12
    let ledger = try CountJob(options.read, control: JobControl()).run().read.facts.total
    #expect(ledger.accepted == 2_000 && ledger.duplicates == 28_000)
    options.read.inputs = [fixture.scratch("distinct.ndjson")]
    #expect(Failure.of(try CountJob(options.read, control: JobControl()).run())?.kind == .limit)
  }

  /// Small files are opened and decompressed ahead of their turn; their lines, ledgers and faults
  /// are those of their turn.
  @Test func manyFilesOnAnyNumberOfCores() throws {
    let fixture = try RunFixture()
    var names: [String] = []
    for number in 0..<24 {
      let name = "\(number < 10 ? "0" : "")\(number).ndjson"
      let lines = (0..<number).map { Sample.event("u\(number)-\($0)", "n\(number)") + "\n" }
        .joined()
      if number % 5 == 4 {
        try fixture.scratch.write(lines, to: name)
      } else {
        try fixture.compressedLog(Array(lines.utf8), name)
      }
      if number % 7 == 6 {
        let bytes = try fixture.scratch.bytes(name)
        try fixture.scratch.write(Array(bytes.dropLast(5)), to: name)
      }
      names.append(name)
    }
    var options = fixture.options(names + ["missing.ndjson.zst"], to: "")
    try fixture.scratch.write("no frame", to: "missing.ndjson.zst")
    options.read.keepGoing = true
    var expected: (ledgers: [Ledger], lost: [Failure])?
    for jobs in 1...3 {
      options.read.jobs = jobs
      options.read.keepGoing = true
      let found = try CountJob(options.read, control: JobControl()).run().read
      let outcome = (ledgers: found.facts.ledgers, lost: found.lost)
      #expect(outcome.lost.count == 4 && outcome.ledgers[9].lines == 9)
      if let expected { #expect(outcome == expected) }
      expected = outcome
      options.read.keepGoing = false
      #expect(throws: outcome.lost[0]) { try CountJob(options.read, control: JobControl()).run() }
    }
  }

  @Test func validatingLooksForNoDuplicates() throws {
    let fixture = try RunFixture()
    try fixture.log(
      [Sample.event("u", "a", id: "1"), Sample.event("u", "a", id: "1"), "{"], "a.ndjson")
    let found = try JobControl().validate(fixture.options(["a.ndjson"], to: "").read)
    #expect(found.facts.total.accepted == 2 && found.facts.total.duplicates == 0)
    #expect(found.facts.total.mismatch == nil && found.facts.linesWithRejects > 0)
    #expect(found.inputs == [fixture.scratch("a.ndjson")])
    try fixture.log([Sample.event("u", "a")], "b.ndjson")
    let clean = try JobControl().validate(fixture.options(["b.ndjson"], to: "").read)
    #expect(clean.facts.linesWithRejects == 0)
    try fixture.expectOnly(["a.ndjson", "b.ndjson"])
  }

  @Test func cancelledJobsEnd() throws {
    let fixture = try RunFixture()
    try fixture.log([Sample.event("u", "a")], "a.ndjson")
    let options = fixture.options(["a.ndjson"], to: "")
    let control = JobControl()
    control.cancel(Sample.stop)
    #expect(throws: Sample.stop) { _ = try CountJob(options.read, control: control).run() }
    #expect(throws: Sample.stop) { _ = try control.validate(options.read) }
    #expect(throws: Sample.stop) { try control.explain(options.read) { _ in } }
  }
}
