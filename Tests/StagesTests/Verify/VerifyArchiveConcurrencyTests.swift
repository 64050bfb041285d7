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
  private var input: String { archive.fixture.scratch("logs/a.ndjson") }

  init() throws {
    let fixture = try RunFixture()
    try fixture.log(Self.lines, "logs/a.ndjson")
    try fixture.log([Sample.event("w", "seen")], "logs/2020/b.ndjson")
    try fixture.log([], "logs/2020/empty.json")
    try fixture.migrate(["logs"], to: "out")
    archive = ForgedOutput(fixture, linesPerFrame: 1 << 20, listsAll: false)
  }

  @Test func aPublishedArchiveIsSound() throws {
    let outcome = try VerifyJob(archive.path, jobs: 3, control: JobControl()).run()
    #expect(outcome.problems.isEmpty && outcome.problemCount == 0)
    #expect(outcome.files == 5)
    #expect(outcome.contents == .logs(3, lines: 5, events: 4, operations: 1))
    // The same lines in the same frames are the same log.
    try archive.change(Self.log) { _ in }
    #expect(try archive.problems() == [])
  }

  @Test func aLineThatIsNotCanonicalIsFound() throws {
    let link =
      #"{"identifiers":{"custom_id":"u","installation_id":"i"},"time":"2024-06-01T00:00:00.000Z"}"#
    let texts = [
      ("\"events\":[", "\"events\": [", "(line 1): notCanonical 42,  [{…"),
      ("seen", "SEEN", "(line 1): notCanonical …"),
      ("\"n\":1", "\"n\":1,\"n\":2", "(line 1): notCanonical …"),
      ("}]}", "}],\"x\":1}", "(line 1): notCanonical …"),
      ("seen\"", "seen\",\"label\":\"l\"", "(line 1): notCanonical …"),
      ("seen", "not good", "(line 1): rejectedEvent 0, an event name is 1 to 30…"),
      ("\"Paris\"", "\"\"", "(line 2): refusedOperation 0, attributes.city is empty…"),
    ]
    let other = #"{"name":"e","time":"2024-06-01T00:00:00.000Z"}"#
    let lines: [(String, @Sendable (inout [String]) -> Void)] = [
      ("(line 2): rejectedLine the line is not valid JSON…", { $0[1].append("x") }),
      ("(line 2): carriageReturn", { $0[1].append("\r") }),
      ("(line 2): blankLine", { $0[1] = " " }),
      ("(line 2): rejectedLine the line has another dialect…", { $0[1] = other }),
      (": otherText 429, …", { $0[0] = "\u{FEFF}" + $0[0] }),
      // Lines that do not fit the ledger.
      (": otherLogEvents 3, 2", { $0.removeLast() }),
      ("report.json: otherOutput …", { $0.removeLast() }),
      (": otherLogOperations 1, 2", { $0 += [$0[2], $0[1]] }),
      (
        ": moreLinesThanRecords 8, 5",
        { $0 = Array($0[..<4]) + Array(repeating: link, count: 4) }
      ),
    ]
    try archive.expect(
      texts.map { Forgery(Self.log, $0, to: $1, $2) }
        + lines.map { Forgery(Self.log, $0, lines: $1) })
  }

  @Test func filesThatAreNotWhatTheArchiveSaysAreFound() throws {
    try archive.expect([
      Forgery(Self.log, "(frame 0): otherFrameText …", linesPerFrame: 2, lines: { _ in }),
      Forgery(
        "2020/b.ndjson.zst: noSeekTable",
        by: { archive in
          // Seek tables are 17 bytes and 8 for each frame.
          try archive.damage("2020/b.ndjson.zst") { $0.removeLast(25) }
          try archive.list("2020/b.ndjson.zst")
        }),
      Forgery(
        "a.ndjson.zst (frame 0): …",
        by: { archive in
          // The length of the text of the only frame is behind its length in the file.
          try archive.damage(Self.log) { $0[$0.count - 13] ^= 1 }
          try archive.list(Self.log)
        }),
      Forgery(
        "a.ndjson.zst…: unreadable …", "a.ndjson.zst: otherHash …",
        by: { try $0.damage(Self.log) { $0[20] ^= 0x40 } }),
      Forgery(
        "2020/c.ndjson.zst: notListed", "2021: notListed", "extra.ndjson: notListed",
        "a.ndjson.zst: listedButUnreadable No such file or directory",
        by: { archive in
          try archive.fixture.scratch.remove("out/\(Self.log)")
          for name in ["extra.ndjson", "2020/c.ndjson.zst", "2021/d.ndjson.zst"] {
            try archive.fixture.scratch.write([], to: "out/\(name)")
          }
        }),
    ])
  }

  @Test func aManifestOfOtherFilesIsFound() throws {
    func path(_ path: String) -> String { "\"path\": \"\(path)\"" }
    func source(_ path: String) -> String { "\"source\": \"\(path)\"" }
    let other = archive.fixture.scratch("logs/2020/b.ndjson")
    try archive.expect([
      Forgery(
        RunFiles.manifest, source(input), to: source("other"), ": listsNoLog \(input)",
        ": logOfNoInput a.ndjson.zst, other"),
      Forgery(RunFiles.manifest, source(input), to: source(other), ": listsTwoLogs …"),
      Forgery(
        RunFiles.manifest, "\"eventmill_migration\": 2", to: "\"eventmill_migration\": 9",
        ": unreadableDocument it has format 9; this ver…"),
      Forgery(
        RunFiles.manifest, path(Self.log), to: path("../a.ndjson.zst"),
        ": listsBadPath ../a.ndjson.zst"),
      Forgery(
        RunFiles.manifest, path(Self.log), to: path("2020/b.ndjson.zst"),
        ": listsTwice 2020/b.ndjson.zst"),
      Forgery(
        RunFiles.manifest, path("losses.ndjson"), to: path("gains.ndjson"),
        ": listsOtherThanLogs gains.ndjson", ": listsNot losses.ndjson"),
    ])
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
    #expect(try archive.problems() == [])
    #expect(throws: Never.self) { try archive.fixture.run(["out"], to: "snapshot") }
  }

  @Test func ledgersRejectsAndLossesAreComparedWithEachOther() throws {
    try archive.expect([
      Forgery(
        RunFiles.manifest, "\"blank\": 1", to: "\"blank\": 2",
        ": unbalancedPart a.ndjson.zst, 7 lines were read, but 2 blank…",
        "report.json: otherLedger \(input)…"),
      Forgery(
        RunFiles.rejects, "report.json: otherRejects 3, 2",
        "report.json: otherRejectsOfInput \(input), 1, rejected event, 0",
        lines: { $0.removeFirst() }),
      Forgery(RunFiles.losses, "(line 1): otherThanReport", lines: { $0 = [] }),
      Forgery(
        RunFiles.losses, "\"line\":1", to: "\"line\":99", "(line 1): otherThanReport"),
      Forgery(RunFiles.losses, "(line 2): otherThanReport", lines: { $0.append($0[0]) }),
    ])
  }

  /// Reading the archive with the options of its migration would reject a line that grew.
  @Test func aLineThatGrewBeyondTheLimitIsFound() throws {
    let fixture = archive.fixture
    let line = #"{"custom_id":"u","name":"seen","time":1717200000000}"#
    try fixture.log([line], "grows.ndjson")
    var options = fixture.options(["grows.ndjson"], to: "grown")
    options.read.rules.maxLine = line.utf8.count
    options.read.rules.raisesMaxLine = false
    _ = try MigrateJob(options.read, options.publish, control: JobControl()).run()
    #expect(
      try fixture.problems(of: options.publish.output) == [
        "grows.ndjson.zst (line 1): rejectedLine the line has 94 bytes; the limit is 52",
        "grows.ndjson.zst: otherLogEvents 1, 0",
      ])
  }
}
