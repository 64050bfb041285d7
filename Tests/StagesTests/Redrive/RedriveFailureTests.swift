@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// Which files are refused as rejects, and where a redrive may write.
@Suite struct RedriveFailureTests {
  private static let good = RedriveFixture.entry("line", raw: #""{}""#)

  private let it: RedriveFixture

  init() throws { it = try RedriveFixture() }

  @Test(arguments: [
    ("[]", "it is not a JSON object"), ("{", "it is not JSON"), ("{}", "it has no source"),
    (RedriveFixture.entry("line", line: 0, raw: "\"\""), "its line"),
    (good.replacing("100", with: "-1"), "its offset"),
    (RedriveFixture.entry("page", raw: "\"\""), "its scope"),
    (RedriveFixture.entry("event", -1, raw: "\"\""), "its index"),
    (RedriveFixture.entry("line", raw: "1"), "raw or raw_base64"),
    (good.replacing("\"raw\"", with: "\"row\""), "raw or raw_base64"),
    (good.replacing("}\"}", with: "}\",\"raw_base64\":\"\"}"), "raw or raw_base64"),
    (good.replacing("\"raw\":\"{}\"", with: "\"raw_base64\":\"e30\""), "not Base64"),
  ])
  func aLineThatIsNoEntryIsNamed(_ line: String, _ why: String) throws {
    try it.fixture.log([Self.good, "", line], "rejects.ndjson")
    let failure = try #require(it.failure(["rejects.ndjson"], to: "again"))
    #expect(failure.kind == .corrupt && failure.line == 3)
    #expect(failure.message.contains(why), "\(failure.message)")
    try it.fixture.expectOnly(["rejects.ndjson"])
    let summary = try it.redrive(["rejects.ndjson"], to: "again") { $0.read.keepGoing = true }
    #expect(summary.ledger.kept == 1)
    #expect(try it.lines("again/\(RunFiles.rejects)").last == line)
  }

  /// Its lines are kept, but the file is still reported as damaged.
  @Test func aFileWithoutAnyEntryIsDamaged() throws {
    try it.fixture.log(["id,name", "1,seen"], "table.csv")
    try it.fixture.log([Self.good, "id,name"], "rejects.ndjson")
    try it.fixture.log([""], "blank.ndjson")
    #expect(it.failure(["table.csv"], to: "again")?.kind == .corrupt)
    let inputs = ["blank.ndjson", "rejects.ndjson", "table.csv"]
    let summary = try it.redrive(inputs, to: "again") { $0.read.keepGoing = true }
    #expect(summary.ledger.kept == 3)
    #expect(summary.lost.map(\.why) == ["none of its lines is a reject entry"])
  }

  @Test func theOutputOfTheRunIsNeverReplacedByItsRedrive() throws {
    try it.fixture.log(["{}"], "logs/a.ndjson")
    #expect(it.failure(["logs"], to: "again")?.kind == .usage, "it has no rejects")
    try it.fixture.run(["logs"], to: "run")
    let before = try it.fixture.bytes(of: "run")
    #expect(it.failure(["run"], to: "run") { $0.publish.replace = true }?.kind == .usage)
    #expect(try it.fixture.bytes(of: "run") == before)
  }

  @Test func aDamagedFileCostsItsRestWithKeepGoing() throws {
    var log = RepairableLog(seed: 4)
    try it.fixture.log(log.lines(400), "a.ndjson")
    try it.fixture.run(["a.ndjson"], to: "run")
    let cut = "run/\(RunFiles.rejects)"
    try it.fixture.scratch.change(cut) { $0.removeLast($0.count / 2) }
    #expect(it.failure([cut], to: "again")?.kind == .corrupt)
    let summary = try it.redrive([cut], to: "again") { $0.read.keepGoing = true }
    #expect(summary.lost.count == 1)
  }
}
