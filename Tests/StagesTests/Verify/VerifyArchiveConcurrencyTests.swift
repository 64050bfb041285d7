@testable import Stages
@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// Every fault of an archive is found and has its own message: a published archive is sound, and no
/// change of it goes unreported.
@Suite struct VerifyArchiveConcurrencyTests {
  private static let log = "a.ndjson.zst"
  private static let lines: [String] = [
    #"{"custom_id":"u","name":"seen","time":"2024-06-01T00:00:00","label":" ","attributes":{"n":1}}"#,
    #"{"custom_id":"u","name":"seen","time":"2024-06-01T00:00:00","label":7}"#,
    #"{"id":"u","time":"2024-06-01T00:00:00","update":{"values":{"u.city":"Paris","u.9 ":1}}}"#,
    "{", "", Sample.event("v", "bought", id: "1"), Sample.event("v", "bought", id: "1"),
  ]

  private let archive: ForgedOutput

  init() throws {
    let fixture = try RunFixture()
    try fixture.log(Self.lines, "logs/a.ndjson")
    try fixture.log([Sample.event("w", "seen")], "logs/2020/b.ndjson")
    try fixture.log([], "logs/2020/empty.json")
    try fixture.migrate(["logs"], to: "out")
    archive = ForgedOutput(fixture)
  }

  private func problems() throws -> [String] { try archive.fixture.problems(of: archive.path) }

  /// Gives the log other lines, in as few frames as it has.
  private func change(_ change: (inout [String]) -> Void) throws {
    try archive.change(Self.log, linesPerFrame: 1 << 20, change)
  }

  private func expect(
    _ expected: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try problems()
    for text in expected {
      #expect(found.contains { $0.hasPrefix(text) }, "\(found)", sourceLocation: sourceLocation)
    }
    if expected.isEmpty { #expect(found == [], sourceLocation: sourceLocation) }
  }

  @Test func aPublishedArchiveIsSound() throws {
    let outcome = try VerifyJob(archive.path, jobs: 3, control: JobControl()).run()
    #expect(outcome.problems.isEmpty && outcome.problemCount == 0)
    #expect(outcome.files == 5)
    #expect(outcome.contents == .logs(3, lines: 5, events: 4, operations: 1))
    // The same lines in the same frames are the same log.
    try change { _ in }
    try expect()
  }

  @Test(arguments: [
    ForgedLines("a.ndjson.zst (line 1): notCanonical 42,  [{") {
      $0[0].replace("\"events\":[", with: "\"events\": [", maxReplacements: 1)
    },
    ForgedLines("a.ndjson.zst (line 1): notCanonical") { $0[0].replace("seen", with: "SEEN") },
    ForgedLines("a.ndjson.zst (line 1): notCanonical") {
      $0[0].replace("\"n\":1", with: "\"n\":1,\"n\":2")
    },
    ForgedLines("a.ndjson.zst (line 1): notCanonical") {
      $0[0].replace("}]}", with: "}],\"x\":1}")
    },
    ForgedLines("a.ndjson.zst (line 1): notCanonical") {
      $0[0].replace("seen\"", with: "seen\",\"label\":\"l\"")
    },
    ForgedLines("a.ndjson.zst (line 1): rejectedEvent 0, an event name is 1 to 30") {
      $0[0].replace("seen", with: "not good")
    },
    ForgedLines("a.ndjson.zst (line 2): refusedOperation 0, attributes.city is empty") {
      $0[1].replace("\"city\":\"Paris\"", with: "\"city\":\"\"")
    },
    ForgedLines("a.ndjson.zst (line 2): rejectedLine the line is not valid JSON") {
      $0[1].append("x")
    },
    ForgedLines("a.ndjson.zst (line 2): carriageReturn") { $0[1].append("\r") },
    ForgedLines("a.ndjson.zst (line 2): blankLine") { $0[1] = " " },
    ForgedLines("a.ndjson.zst (line 2): rejectedLine the line has another dialect") {
      $0[1] = #"{"name":"e","time":"2024-06-01T00:00:00.000Z"}"#
    },
    ForgedLines("a.ndjson.zst: otherText 429, ") { $0[0] = "\u{FEFF}" + $0[0] },
  ])
  func aLineThatIsNotCanonicalIsTold(_ it: ForgedLines) throws {
    try change(it.change)
    try expect(it.problem)
  }

  @Test func aLedgerThatDoesNotFitTheLogIsTold() throws {
    try change { $0.removeLast() }
    try expect("a.ndjson.zst: otherLogEvents 3, 2", "report.json: otherOutput ")
    try change { $0.append($0[2]) }
    try change { $0.append($0[1]) }
    try expect("a.ndjson.zst: otherLogOperations 1, 2")
    try change { lines in
      let link =
        #"{"identifiers":{"custom_id":"u","installation_id":"i"},"time":"2024-06-01T00:00:00.000Z"}"#
      lines = [lines[0], lines[1], lines[2], lines[3]] + Array(repeating: link, count: 4)
    }
    try expect("a.ndjson.zst: moreLinesThanRecords 8, 5")
  }

  @Test func framesThatAreCutOtherwiseAreTold() throws {
    try archive.change(Self.log, linesPerFrame: 2) { _ in }
    try expect("a.ndjson.zst (frame 0): otherFrameText ")
    // Seek tables are 17 bytes and 8 for each frame.
    try archive.damage("2020/b.ndjson.zst") { $0.removeLast(25) }
    try archive.list("2020/b.ndjson.zst")
    try expect("2020/b.ndjson.zst: noSeekTable")
  }

  @Test func aSeekTableThatSaysOtherwiseIsTold() throws {
    try archive.damage(Self.log) { bytes in
      // The text of the first and only frame: behind its length in the file.
      bytes[bytes.count - 13] ^= 1
    }
    try archive.list(Self.log)
    let found = try problems()
    #expect(found.contains { $0.hasPrefix("a.ndjson.zst (frame 0): ") }, "\(found)")
  }

  @Test func damageIsToldWithItsFrame() throws {
    try archive.damage(Self.log) { $0[20] ^= 0x40 }
    let found = try problems()
    #expect(found.contains { $0.hasPrefix("a.ndjson.zst") && $0.contains(": unreadable ") })
    #expect(found.contains { $0.hasPrefix("a.ndjson.zst: otherHash ") })
  }

  @Test func filesThatAreMissingOrTooManyAreTold() throws {
    try archive.fixture.scratch.remove("out/\(Self.log)")
    for name in ["out/extra.ndjson", "out/2020/c.ndjson.zst", "out/2021/d.ndjson.zst"] {
      try archive.fixture.scratch.write([], to: name)
    }
    #expect(
      try problems() == [
        "2020/c.ndjson.zst: notListed", "2021: notListed",
        "extra.ndjson: notListed",
        "a.ndjson.zst: listedButUnreadable No such file or directory",
      ])
  }

  @Test func aManifestThatContradictsItselfIsTold() throws {
    let source = archive.fixture.scratch("logs/a.ndjson")
    try archive.replace(
      "\"source\": \"\(source)\"", by: "\"source\": \"other\"", in: RunFiles.manifest)
    try expect(
      "manifest.json: listsNoLog \(source)",
      "manifest.json: logOfNoInput a.ndjson.zst, other")
    try archive.replace(
      "\"source\": \"other\"",
      by: "\"source\": \"\(archive.fixture.scratch("logs/2020/b.ndjson"))\"", in: RunFiles.manifest)
    try expect("manifest.json: listsTwoLogs ")
  }

  @Test(arguments: [
    (
      "\"eventmill_migration\": 2", "\"eventmill_migration\": 9",
      "manifest.json: unreadableDocument it has format 9; this ver"
    ),
    (
      "\"path\": \"a.ndjson.zst\"", "\"path\": \"../a.ndjson.zst\"",
      "manifest.json: listsBadPath ../a.ndjson.zst"
    ),
    (
      "\"path\": \"a.ndjson.zst\"", "\"path\": \"2020/b.ndjson.zst\"",
      "manifest.json: listsTwice 2020/b.ndjson.zst"
    ),
    (
      "\"path\": \"losses.ndjson\"", "\"path\": \"gains.ndjson\"",
      "manifest.json: listsOtherThanLogs gains.ndjson"
    ),
    (
      "\"path\": \"losses.ndjson\"", "\"path\": \"gains.ndjson\"",
      "manifest.json: listsNot losses.ndjson"
    ),
  ])
  func aManifestOfAnotherKindOfFilesIsTold(old: String, new: String, problem: String) throws {
    try archive.replace(old, by: new, in: RunFiles.manifest)
    try expect(problem)
  }

  /// Version 1 had no hashes at the end of its documents.
  @Test func anArchiveOfTheVersionBeforeIsSound() throws {
    for file in [RunFiles.manifest, RunFiles.report] {
      let text = try archive.fixture.scratch.text("out/\(file)")
      let older = text.replacing(#/,\n  "xxh64": "[0-9a-f]+"\n}\n$/#, with: "\n}\n")
        .replacing("\"eventmill_migration\": 2", with: "\"eventmill_migration\": 1")
      #expect(older.count < text.count)
      try archive.fixture.scratch.write(older, to: "out/\(file)")
    }
    try expect()
    #expect(throws: Never.self) { try archive.fixture.run(["out"], to: "snapshot") }
  }

  @Test func ledgersInManifestAndReportAreCompared() throws {
    try archive.fixture.scratch.edit("out/manifest.json") {
      $0.replacing("\"blank\": 1", with: "\"blank\": 2")
    }
    let input = archive.fixture.scratch("logs/a.ndjson")
    try expect(
      "manifest.json: unbalancedPart a.ndjson.zst, 7 lines were read, but 2 blank",
      "report.json: otherLedger \(input)")
  }

  @Test func rejectsAreCountedAgainstTheLedger() throws {
    let input = archive.fixture.scratch("logs/a.ndjson")
    try archive.change(RunFiles.rejects) { $0.removeFirst() }
    try expect(
      "report.json: otherRejects 3, 2",
      "report.json: otherRejectsOfInput \(input), 1, rejected event, 0")
  }

  @Test(arguments: [
    ForgedLines("losses.ndjson (line 1): otherThanReport") { $0 = [] },
    ForgedLines("losses.ndjson (line 1): otherThanReport") {
      $0[0].replace("\"line\":1", with: "\"line\":99")
    },
    ForgedLines("losses.ndjson (line 2): otherThanReport") { $0.append($0[0]) },
  ])
  func lossesAreComparedWithTheReport(_ it: ForgedLines) throws {
    try archive.change(ArchiveFiles.losses, it.change)
    try expect(it.problem)
  }

  @Test func namesThatAreEqualAsCharactersAreTwoFiles() throws {
    let fixture = archive.fixture
    try fixture.log(Array(repeating: "{", count: 3), "two/\u{E9}.ndjson")
    try fixture.log(["{", Sample.event("u", "e")], "two/e\u{301}.ndjson")
    try fixture.migrate(["two"], to: "of-two")
    try fixture.run(["two"], to: "run-of-two")
  }

  /// Reading the archive with the options of its migration would reject a line that grew.
  @Test func aLineThatGrewBeyondTheLimitIsTold() throws {
    let fixture = archive.fixture
    let line = #"{"custom_id":"u","name":"seen","time":1717200000000}"#
    try fixture.log([line], "grows.ndjson")
    var options = fixture.options(["grows.ndjson"], to: "grown")
    options.read.rules.maxLine = line.utf8.count
    options.read.rules.raisesMaxLine = false
    _ = try MigrateJob(options.read, options.publish, control: JobControl())
      .run()
    let problems = try fixture.problems(of: options.publish.output)
    #expect(
      problems == [
        "grows.ndjson.zst (line 1): rejectedLine the line has 94 bytes; the limit is 52",
        "grows.ndjson.zst: otherLogEvents 1, 0",
      ])
  }
}
