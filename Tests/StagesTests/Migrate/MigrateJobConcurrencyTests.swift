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
    try fixture.log(["{", "", "no json"], "logs/bad.json")
    try fixture.scratch.write([], to: "logs/empty.ndjson")
  }

  /// An archive is approved by the hash of its manifest.
  @Test func thePageHasTheHashOfTheManifest() throws {
    try fixture.migrate(["logs"], to: "out")
    let manifest = try FileHash(of: fixture.scratch("out/manifest.json"), doing: "testing")
    #expect(try fixture.scratch.text("out/report.html").contains(XXH64.text(manifest.xxh64)))
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
}
