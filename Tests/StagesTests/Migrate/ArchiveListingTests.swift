@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// An archive is an input by its logs alone.
@Suite struct ArchiveListingTests {
  private let fixture: RunFixture

  init() throws {
    fixture = try RunFixture()
    try fixture.log([Sample.event("u", "e"), "{"], "logs/x/a.ndjson")
  }

  private func found(_ path: String) throws -> [String] {
    try InputDiscovery.surveyLogs([fixture.scratch(path)]).inputs.map {
      String($0.path.dropFirst(fixture.scratch(path).count + 1))
    }
  }

  @Test func onlyTheLogsAreInputs() throws {
    try fixture.scratch.write([], to: "all/notes.txt")
    try fixture.migrate(["logs"], to: "all/out")
    #expect(try found("all/out") == ["x/a.ndjson.zst"])
    #expect(try found("all") == ["out/x/a.ndjson.zst"])
    // A file added to the archive by hand is not an input.
    try fixture.log(["{}"], "all/out/more.ndjson")
    #expect(try found("all/out") == ["x/a.ndjson.zst"])
    let count = try CountJob(fixture.options(["all"], to: "").read, control: JobControl()).run()
    #expect(count.read.facts.total.lines == 1)
  }

  /// A log may be called as a manifest is.
  @Test func anotherManifestIsALog() throws {
    for text in ["{\"custom_id\":\"u\"}", ""] {
      try fixture.scratch.write(text, to: "logs/manifest.json")
      #expect(try found("logs") == ["manifest.json", "x/a.ndjson"])
    }
  }

  /// A manifest that is damaged or leads elsewhere.
  @Test func whatIsNoListOfLogsIsRefused() throws {
    try fixture.migrate(["logs"], to: "out")
    let whole = try fixture.scratch.text("out/manifest.json")
    let paths = ["../logs/x/a.ndjson", "/etc/passwd", "x//a.ndjson.zst", "./x"]
    for (text, other) in paths.map({ ("\"x/a.ndjson.zst\"", "\"\($0)\"") }) + [
      ("\"outputs\"", "\"nothing\""), ("}", ""), ("_migration\": 2", "_migration\": 9"),
    ] {
      try fixture.scratch.edit("out/manifest.json") { $0.replacing(text, with: other) }
      let failure = #expect(throws: Failure.self) { try found("out") }
      #expect(failure?.kind == .corrupt, "\(other)")
      try fixture.scratch.write(whole, to: "out/manifest.json")
    }
  }

  @Test func aLogThatIsMissingIsTold() throws {
    try fixture.migrate(["logs"], to: "out")
    try fixture.scratch.remove("out/x/a.ndjson.zst")
    let failure = #expect(throws: Failure.self) { try found("out") }
    #expect(failure?.kind == .io && failure?.path == fixture.scratch("out/x/a.ndjson.zst"))
  }
}
