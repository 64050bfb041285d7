import Foundation
@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// `migrate --verify`: nothing is published that is not proven.
@Suite struct MigrationProofConcurrencyTests {
  private let fixture: RunFixture

  init() throws {
    fixture = try RunFixture()
    try fixture.log(Sample.log(seed: 7, count: 90), "logs/a.ndjson")
    try fixture.log(
      [
        #"{"id":"1","custom_id":"u","name":"E.Seen","time":"2024-06-01T00:00:00","label":" "}"#,
        #"{"id":"1","custom_id":"u","name":"seen","time":"2024-06-01T00:00:00","label":7}"#,
        Sample.event("u", "seen", id: "2"), Sample.event("u", "seen", id: "2"), "{",
      ], "logs/b.ndjson")
  }

  @Test(arguments: [V1Policy.strict, .lenient])
  func aProvenArchiveIsPublishedAsEveryOther(v1: V1Policy) throws {
    func use(_ options: inout RunOptions) {
      options.read.rules.v1 = v1
      options.read.jobs = 3
      options.read.rules.notBefore = 1_714_500_000_000
      options.read.rules.defaultTime = 1_715_000_000_000
    }
    let summary = try fixture.migrate(["logs"], to: "proven", verifies: true, use)
    try fixture.migrate(["logs"], to: "out", use)
    #expect(try fixture.repeatable("proven") == fixture.repeatable("out"))
    let proof = try #require(summary.proof)
    #expect(proof.lines == summary.outputLines && proof.duplicates > 0)
    #expect(proof.events + proof.duplicates == summary.facts.total.accepted)
  }

  /// A log of several frames is cut by its text, not by how it came, and its frames are written
  /// again in parallel.
  @Test func framesFollowFromTheLinesAlone() throws {
    let lines = (0..<30_000).map { Sample.event("user-\($0)", "e", id: "\($0 % 29_000)") }
    try fixture.log(lines.flatMap { ["", $0] }, "big/a.ndjson")
    try fixture.log(Array(lines.prefix(20_000)), "big/b.ndjson")
    let summary = try fixture.migrate(["big"], to: "out", verifies: true) { $0.read.jobs = 3 }
    let proof = try #require(summary.proof)
    #expect(proof.lines == 50_000 && proof.events == 30_000 && proof.duplicates == 20_000)
    try fixture.migrate(["out"], to: "again")
    #expect(try fixture.logs("again") == fixture.logs("out"))
    let frames = try FrameFile(fixture.scratch("out/a.ndjson.zst"), doing: "testing").frames
    #expect(frames.count > 2)
  }

  @Test func aDamagedInputIsProvenAsFarAsItGoes() throws {
    let text = Sample.log(seed: 8, count: 400).joined(separator: "\n")
    try fixture.compressedLog(Array(text.utf8), "logs/c.ndjson.zst")
    try fixture.scratch.change("logs/c.ndjson.zst") { $0.removeLast(300) }
    let summary = try fixture.migrate(["logs"], to: "out", verifies: true) {
      $0.read.keepGoing = true
    }
    #expect(summary.lost.count == 1 && summary.proof != nil)
  }

  @Test func whatWasResumedIsProvenToo() throws {
    let failure = fixture.migrateFailure(["logs"], to: "out") { $0.read.maxRejects = .lines(0) }
    #expect(failure?.kind == .rejects)
    let summary = try fixture.migrate(["logs"], to: "out", verifies: true) {
      $0.publish.resumes = true
    }
    #expect(summary.resumedInputs == 2 && summary.proof != nil)
  }

  @Test func idsThatTakeTooMuchMemoryEndIt() throws {
    let failure = fixture.migrateFailure(["logs"], to: "out", verifies: true) { $0.read.memory = 1 }
    #expect(failure?.kind == .limit && failure?.advice.contains("--memory") == true)
    #expect(!fixture.scratch.has("out"))
    try fixture.migrate(["logs"], to: "out") { $0.publish.resumes = true }
  }

  @Test func whatCanBeReadOnceOnlyIsRefused() throws {
    for input in [
      InputFile(path: InputFile.standardInput, size: 7), InputFile(path: "pipe", size: nil),
    ] {
      let failure = Failure.of(try MigrationProof.check([InputFile(path: "a", size: 0), input]))
      #expect(failure?.kind == .usage && failure?.advice.contains("omit --verify") == true)
    }
  }

  // MARK: - What is not proven

  @Test func aLogThatIsDamagedBeforeItIsPublishedIsNotPublished() throws {
    let position = fixture.scratch(".out.staging-\(System.processID)/b.ndjson.zst")
    // The manifest is made when the logs are in their places.
    let system = System { call in
      if call == .create, let log = FileHandle(forUpdatingAtPath: position) {
        try? log.seek(toOffset: 20)
        try? log.write(contentsOf: [0xFF, 0xFF, 0xFF, 0xFF])
      }
      return nil
    }
    let failure = fixture.migrateFailure(
      ["logs"], to: "out", verifies: true, control: JobControl(system: system))
    expectDefect("b.ndjson.zst: its XXH64 is ", failure)
    #expect(failure?.advice.contains("continue with --resume") == false)
    #expect(try fixture.scratch.names() == [".out.resume", "logs"])
    try fixture.migrate(["logs"], to: "out", verifies: true)
  }

  /// Checks why the archive `out` of `logs`, as it is now, is not proven against what counting the
  /// inputs says; `meanwhile` comes between that and the proof.
  private func failure(
    inputs names: [String] = ["logs"], level: Int = 1, _ meanwhile: () throws -> Void = {}
  ) throws -> Failure? {
    var options = fixture.options(names, to: "out")
    options.publish.level = level
    let survey = try InputDiscovery.surveyLogs(options.read.inputs)
    let read = try CountJob(options.read, control: JobControl())
      .count(survey, StopWatch(), proof: FieldProofStage.Findings()).read
    // A migration looks for no duplicates.
    let ingest = IngestOutcome(
      tally: read.facts.withoutDuplicates, outcomes: read.outcomes,
      rejects: WrittenFile(path: RunFiles.rejects, bytes: 0, lines: 0, xxh64: 0),
      times: FlowTimes())
    try meanwhile()
    return Failure.of(
      try MigrationProof(
        options: options, survey: survey, ingest: ingest, folder: fixture.scratch("out"),
        control: JobControl()
      ).run())
  }

  private func expectDefect(_ why: String, _ failure: Failure?) {
    #expect(failure?.kind == .defect)
    #expect(failure?.why.contains(why) == true, "\(failure?.why ?? "")")
    #expect(failure?.why.contains("and 0 more") == false)
  }

  private func archive() throws -> ForgedOutput {
    try fixture.migrate(["logs"], to: "out")
    return ForgedOutput(fixture)
  }

  @Test(arguments: [
    ("\"name\":\"seen\"", "\"name\":\"sold\"", "event seen: the inputs have "),
    (
      "\"name\":\"seen\"", "\"name\":\"sold\"",
      "event sold: the inputs have none, the logs 1 and 0 d"
    ),
    ("\"time\":\"2024-06-01", "\"time\":\"2025-06-01", "to 2025-06-01T00:00:00.000Z"),
    ("\"id\":\"2\"", "\"id\":\"3\"", "2 and 1 duplicate from 2024-05-01T00:00:00.000Z"),
    ("\"custom_id\":\"u\"", "\"custom_id\":\"U\"", "event seen: the inputs have 2 and 1 duplicate"),
  ])
  func eventsThatAreOthersThanThoseOfTheInputsAreTold(
    old: String, new: String, why: String
  ) throws {
    let archive = try archive()
    try archive.change("b.ndjson.zst", linesPerFrame: 1 << 20) { lines in
      let line = try #require(lines.lastIndex { $0.contains(old) })
      lines[line].replace(old, with: new, maxReplacements: 1)
    }
    // The archive is sound in itself, as a mistake of the migration would leave it.
    let size = try fixture.scratch.bytes("out/b.ndjson.zst").count
    let report = try fixture.scratch.text("out/report.json")
      .replacing(#/("path": "b.ndjson.zst"(?s:.*?)"bytes": )[0-9]+/#) { "\($0.output.1)\(size)" }
    try fixture.scratch.write(JSONDocument.resealed(report), to: "out/report.json")
    expectDefect(why, try failure())
  }

  @Test func damageToTheArchiveIsTold() throws {
    let archive = try archive()
    try archive.change("b.ndjson.zst", linesPerFrame: 1 << 20) { $0[0].append(" ") }
    expectDefect("b.ndjson.zst (line 1): it is not canonical", try failure())
  }

  /// Logs that are not compressed again to their ends give back the frames they had begun.
  @Test func damageToManyLogsIsTold() throws {
    for number in 0..<20 { try fixture.log([Sample.event("u", "e")], "logs/c\(number).ndjson") }
    let archive = try archive()
    for number in 0..<20 {
      try archive.change("c\(number).ndjson.zst", linesPerFrame: 1 << 20) { lines in
        lines = [lines[0], "{"]
      }
    }
    expectDefect("; and ", try failure())
  }

  @Test func framesThatWouldHaveOtherBytesAreTold() throws {
    try fixture.log((0..<2000).map { Sample.event("u\($0)", "e") }, "logs/c.ndjson")
    _ = try archive()
    expectDefect(
      "c.ndjson.zst (frame 0): it has other bytes when it is written again",
      try failure(level: 12))
  }

  @Test func anInputThatChangedMeanwhileIsFound() throws {
    _ = try archive()
    #expect(try self.failure() == nil)
    let failure = try failure { try fixture.log([Sample.event("u", "seen")], "logs/b.ndjson") }
    #expect(failure?.kind == .io && failure?.path == fixture.scratch("logs/b.ndjson"))
  }

  @Test func inputsThatHoldOthersThanTheArchiveAreTold() throws {
    _ = try archive()
    expectDefect("the inputs have none, the logs ", try failure(inputs: ["logs/b.ndjson"]))
  }
}

extension TallyFacts {
  fileprivate var withoutDuplicates: TallyFacts {
    TallyFacts(
      ledgers: ledgers.map { ledger in
        var ledger = ledger
        ledger.accepted += ledger.duplicates
        ledger.duplicates = 0
        return ledger
      }, linesWithRejects: linesWithRejects, reasons: reasons, losses: losses,
      unknownFields: unknownFields)
  }
}
