@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// An archive is an input by its logs alone.
@Suite struct ArchiveListingTests {
  /// A manifest that is damaged or leads elsewhere.
  @Test func whatIsNoListOfLogsIsRefused() throws {
    let fixture = try RunFixture()
    try fixture.log([Sample.event("u", "e"), "{"], "logs/x/a.ndjson")
    try fixture.migrate(["logs"], to: "out")
    let whole = try fixture.scratch.text("out/manifest.json")
    let paths = ["../logs/x/a.ndjson", "/etc/passwd", "x//a.ndjson.zst", "./x"]
    for (text, other) in paths.map({ ("\"x/a.ndjson.zst\"", "\"\($0)\"") }) + [
      ("\"outputs\"", "\"nothing\""), ("}", ""), ("_migration\": 2", "_migration\": 9"),
    ] {
      try fixture.scratch.edit("out/manifest.json") { $0.replacing(text, with: other) }
      let failure = #expect(throws: Failure.self) {
        try InputDiscovery.surveyLogs([fixture.scratch("out")])
      }
      #expect(failure?.kind == .corrupt, "\(other)")
      try fixture.scratch.write(whole, to: "out/manifest.json")
    }
  }
}
