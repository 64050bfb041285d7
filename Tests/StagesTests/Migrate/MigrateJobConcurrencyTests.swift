@testable import Stages
@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// `eventmill migrate` from files to files.
@Suite struct MigrateJobConcurrencyTests {
  private let fixture: RunFixture

  init() throws {
    fixture = try RunFixture()
    try fixture.log(Sample.log(seed: 5, count: 90), "logs/2019/a.ndjson")
    try fixture.compressedLog(
      Array(Sample.log(seed: 7, count: 90).joined(separator: "\n").utf8),
      "logs/2020/b.jsonl.zst")
    try fixture.log([Self.v1, Self.v1, "{", ""], "logs/c.json")
    try fixture.scratch.write([], to: "logs/empty.ndjson")
    try fixture.log(["x", "no json"], "logs/bad.ndjson")
  }

  private static let v1 =
    #"{"id":"1","custom_id":"u","name":"E.Ad_Seen","time":"2024-06-01T00:00:00","label":" ","#
    + #""tags":["A","a"],"attributes":{"N":1}}"#
  private static let v2 =
    #"{"identifiers":{"custom_id":"u"},"events":[{"id":"1","name":"ad_seen","#
    + #""time":"2024-06-01T00:00:00.000Z","attributes":{"$tags":["a"],"n":1}}]}"#

  @Test func everyInputMakesALog() throws {
    let summary = try fixture.migrate(["logs"], to: "out")
    #expect(
      try fixture.scratch.files(below: "out") == [
        "2019/a.ndjson.zst", "2020/b.ndjson.zst", "bad.ndjson.zst", "c.ndjson.zst",
        "empty.ndjson.zst", "losses.ndjson", "manifest.json", "rejects.ndjson.zst", "report.html",
        "report.json",
      ])
    let manifest = try FileHash(of: fixture.scratch("out/manifest.json"), doing: "testing")
    let page = String(decoding: try fixture.text("out/report.html"), as: UTF8.self)
    #expect(page.contains(XXH64.text(manifest.xxh64)), "it is approved by its hash")
    // A duplicate is a line, and stays.
    let text = String(decoding: try fixture.text("out/c.ndjson.zst"), as: UTF8.self)
    #expect(text == "\(Self.v2)\n\(Self.v2)\n")
    #expect(try fixture.text("out/empty.ndjson.zst") == [])
    #expect(try fixture.text("out/bad.ndjson.zst") == [])
    #expect(summary.facts.total.lines == 186 && summary.facts.total.mismatch == nil)
    #expect(summary.facts.total.duplicates == 0)
    #expect(summary.inputs.map(\.ledger.lines) == [90, 90, 2, 4, 0])
    #expect(try fixture.scratch.names() == ["logs", "out"], "nothing stays beside the archive")
  }

  /// The canonical log, which is proven against the old one, gives the state, the profiles and the
  /// rejects that the old log gives: with links, places, consent, marks and attributes of
  /// installations.
  @Test(arguments: 0..<3 as Range<UInt64>)
  func whatIsWrittenIsWhatRunReads(seed: UInt64) throws {
    var lines = RandomDialectLines(seed: seed)
    for name in ["a.ndjson", "b.ndjson"] {
      try fixture.log((0..<300).map { _ in lines.line() }, "logs/further/\(name)")
    }
    let summary = try fixture.migrate(["logs"], to: "archive", verifies: true)
    let ofArchive = try fixture.run(["archive"], to: "of-archive")
    let ledger = ofArchive.ledger
    #expect(ledger.lines == summary.outputLines && summary.outputLines > 100)
    #expect(ledger.rejectedLines + ledger.rejected + ledger.refused == 0, "seed \(seed)")
    #expect(ofArchive.facts.losses.isEmpty, "seed \(seed)")
    #expect(try fixture.run(["logs"], to: "of-logs").ledger.applied == ledger.applied)
    for (output, path) in [
      ("of-archive", "state/part-00000-of-00001.zst"),
      ("of-archive", "profiles/part-00000-of-00001.ndjson.zst"), ("archive", "rejects.ndjson.zst"),
    ] {
      let isSame = try fixture.text("\(output)/\(path)") == fixture.text("of-logs/\(path)")
      #expect(isSame, "\(path), seed \(seed)")
    }
  }

  @Test(arguments: [2, 7])
  func theBytesDoNotDependOnTheNumberOfThreads(jobs: Int) throws {
    try fixture.migrate(["logs"], to: "one")
    try fixture.migrate(["logs"], to: "many") { $0.read.jobs = jobs }
    #expect(try fixture.repeatable("one") == fixture.repeatable("many"))
  }

  @Test func tooManyRejectsPublishOnlyThese() throws {
    // It is not a log, which is another failure.
    try fixture.scratch.remove("logs/bad.ndjson")
    let failure = fixture.migrateFailure(["logs"], to: "out") { $0.read.maxRejects = .lines(1) }
    #expect(failure?.kind == .rejects)
    #expect(failure?.advice.contains("--resume") == true)
    #expect(
      try fixture.scratch.files(below: "out.rejected")
        == ["manifest.json", "rejects.ndjson.zst", "report.html", "report.json"])
    #expect(!fixture.scratch.has("out"))
    // The resumed job publishes without reading an input again.
    let summary = try fixture.migrate(["logs"], to: "out") { $0.publish.resumes = true }
    #expect(summary.resumedInputs == 4)
    try fixture.migrate(["logs"], to: "expected")
    #expect(try fixture.repeatable("out") == fixture.repeatable("expected"))
  }

  @Test func aDamagedInputFailsOrIsKeptAsFarAsItGoes() throws {
    let log = "logs/2020/b.jsonl.zst"
    try fixture.scratch.change(log) { $0.removeLast(200) }
    let failure = fixture.migrateFailure(["logs"], to: "out")
    #expect(failure?.kind == .corrupt && failure?.path == fixture.scratch(log))
    #expect(!fixture.scratch.has("out"))
    let summary = try fixture.migrate(["logs"], to: "out") { $0.read.keepGoing = true }
    #expect(summary.lost.map(\.path) == [fixture.scratch(log)] && summary.inputs.count == 5)
    let report = try fixture.json("out/report.json")
    #expect(report["inputs"]?[1]?["lost"]?["kind"]?.text == "corrupt")
  }

  @Test func anExistingOutputIsRefusedOrReplaced() throws {
    try fixture.migrate(["logs/c.json"], to: "out")
    #expect(fixture.migrateFailure(["logs"], to: "out")?.kind == .usage)
    try fixture.migrate(["logs"], to: "out") { $0.publish.replace = true }
    #expect(try fixture.logs("out").count == 5)
  }

  @Test func namesThatClashAreToldInTheSummary() throws {
    try fixture.log([Self.v1], "logs/c.ndjson")
    let summary = try fixture.migrate(["logs"], to: "out")
    let renamed = summary.inputs.filter(\.target.isRenamed)
    #expect(renamed.map(\.target.path) == ["c.json.ndjson.zst", "c.ndjson.ndjson.zst"])
    let inputs = try fixture.json("out/report.json")["inputs"]?.items ?? []
    #expect(inputs.count { $0["renamed"] == .bool(true) } == 2)
    // Renamed logs keep their names when they are migrated again.
    try fixture.migrate(["out"], to: "again")
    #expect(try fixture.logs("again") == fixture.logs("out"))
    // Also an archive among other logs.
    try fixture.migrate(["out", "logs/c.json"], to: "mixed") { $0.read.rules.v1 = .lenient }
  }

  /// Texts that are equal as characters may be two file names: neither log replaces the other, and
  /// each has its own rejects.
  @Test func namesThatAreEqualAsCharactersAreTwoInputs() throws {
    try fixture.log([Sample.event("u", "one"), "{", "{", "{"], "two/\u{E9}.ndjson")
    try fixture.log(["{", Sample.event("u", "two")], "two/e\u{301}.ndjson")
    let summary = try fixture.migrate(["two"], to: "out", verifies: true)
    #expect(summary.facts.total.accepted == 2)
    for (name, event) in [("\u{E9}", "one"), ("e\u{301}", "two")] {
      let lines = try fixture.lines("out/\(name).ndjson.zst")
      #expect(lines.map { $0["events"]?[0]?["name"]?.text } == [event])
    }
    try fixture.run(["two"], to: "run-of-two")
  }
}
