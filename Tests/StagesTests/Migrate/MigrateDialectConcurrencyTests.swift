@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// Logs of the further dialects, made into canonical ones.
@Suite struct MigrateDialectConcurrencyTests {
  /// The canonical log, which is proven against the old one, gives the state, the profiles and the
  /// rejects that the old log gives: with links, places, consent, marks and attributes of
  /// installations.
  @Test(arguments: 0..<3 as Range<UInt64>)
  func whatIsWrittenIsWhatRunReads(seed: UInt64) throws {
    let fixture = try RunFixture()
    var lines = RandomDialectLines(seed: seed)
    for name in ["a.ndjson", "b.ndjson"] {
      try fixture.log((0..<300).map { _ in lines.line() }, "logs/\(name)")
    }
    let summary = try fixture.migrate(["logs"], to: "archive", verifies: true)
    let ofArchive = try fixture.run(["archive"], to: "of-archive")
    #expect(ofArchive.ledger.lines == summary.outputLines && summary.outputLines > 100)
    #expect(ofArchive.ledger.rejectedLines + ofArchive.ledger.rejected == 0, "seed \(seed)")
    #expect(ofArchive.ledger.refused == 0 && ofArchive.facts.losses.isEmpty, "seed \(seed)")
    let ofLogs = try fixture.run(["logs"], to: "of-logs")
    #expect(ofLogs.ledger.applied == ofArchive.ledger.applied, "seed \(seed)")
    for path in ["state/part-00000-of-00001.zst", "profiles/part-00000-of-00001.ndjson.zst"] {
      #expect(
        try fixture.text("of-archive/\(path)") == fixture.text("of-logs/\(path)"), "seed \(seed)")
    }
    #expect(
      try fixture.text("archive/rejects.ndjson.zst") == fixture.text("of-logs/rejects.ndjson.zst"),
      "seed \(seed)")
  }
}
