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
    try fixture.log(["{\"custom_id\":\"u\"}"], "logs/manifest.json")
    #expect(try found("logs") == ["manifest.json", "x/a.ndjson"])
    try fixture.scratch.write([], to: "logs/manifest.json")
    #expect(try found("logs") == ["manifest.json", "x/a.ndjson"])
  }

  private func failure(replacing text: String, with other: String) throws -> Failure? {
    // With a damaged manifest it is not an archive any more, and not replaced.
    if fixture.scratch.has("out") { try fixture.scratch.remove("out") }
    try fixture.migrate(["logs"], to: "out")
    try fixture.scratch.edit("out/manifest.json") { $0.replacing(text, with: other) }
    return #expect(throws: Failure.self) { try found("out") }
  }

  @Test func aManifestThatLeadsElsewhereIsRefused() throws {
    for path in ["../logs/x/a.ndjson", "/etc/passwd", "x//a.ndjson.zst", "./x"] {
      let failure = try failure(replacing: "\"x/a.ndjson.zst\"", with: "\"\(path)\"")
      #expect(failure?.kind == .corrupt, "\(path)")
    }
  }

  @Test func aDamagedManifestIsNoListOfLogs() throws {
    #expect(try failure(replacing: "\"outputs\"", with: "\"nothing\"")?.kind == .corrupt)
    #expect(try failure(replacing: "}", with: "")?.kind == .corrupt)
    #expect(try failure(replacing: "_migration\": 2", with: "_migration\": 9")?.kind == .corrupt)
  }

  @Test func aLogThatIsMissingIsTold() throws {
    try fixture.migrate(["logs"], to: "out")
    try fixture.scratch.remove("out/x/a.ndjson.zst")
    let failure = #expect(throws: Failure.self) { try found("out") }
    #expect(failure?.kind == .io && failure?.path == fixture.scratch("out/x/a.ndjson.zst"))
  }
}
