import TestSupport
import Testing

@testable import eventmill

/// `eventmill bench` from outside.
@Suite struct BenchCommandTests {
  private static let small = ["bench", "--lines", "200", "--users", "20", "--runs", "1"]

  @Test func theTablesAreNarrowEnough() throws {
    let result = try RunProcess.eventmill(Self.small + ["--jobs", "1"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.lines.contains { $0.hasPrefix("stage ") })
    #expect(result.lines.contains { $0.hasPrefix("job ") })
    #expect(result.lines.contains { $0.hasPrefix("  parse ") })
    #expect(result.lines.allSatisfy { $0.count <= 100 }, "\(result.text)")
    #expect(result.errors == "")
  }

  @Test func aSavedResultIsComparedWith() throws {
    let directory = try ScratchDirectory()
    let saved = try RunProcess.eventmill(
      Self.small + ["--stage", "migrate", "--save", "before.json"], directory: directory)
    #expect(saved.status == 0, "\(saved.errors)")
    let compared = try RunProcess.eventmill(
      Self.small + ["--stage", "migrate", "--baseline", "before.json"], directory: directory)
    #expect(compared.lines.contains { $0.hasPrefix("migrate (job)") })
    #expect(compared.errors == "")
    let json = try RunProcess.eventmill(
      Self.small + ["--stage", "migrate", "--baseline", "before.json", "--json"],
      directory: directory)
    let results = try #require(NaiveJSON(parsing: json.text)["results"])
    guard case .array(let items) = results else {
      Issue.record("no list of results")
      return
    }
    #expect(items.count == 1)
    for item in items { #expect(item["baseline"]?["same_work"] == NaiveJSON.bool(true)) }
  }

  @Test func aDialectIsMeasured() throws {
    let directory = try ScratchDirectory()
    let lines = try DialectLog.named("sdk").text { $0.lines = 200 }
    try directory.write(lines, to: "sdk.ndjson")
    let result = try RunProcess.eventmill(
      [
        "bench", "--runs", "1", "--stage", "canonical", "--dialect", "sdk", "--json", "sdk.ndjson",
      ], directory: directory)
    #expect(result.status == 0, "\(result.errors)")
    let items = try #require(NaiveJSON(parsing: result.text)["results"]).items
    try #require(items.count == 1)
    #expect(items[0]["name"]?.text == "canonical" && items[0]["kind"]?.text == "sum")
    #expect(items[0]["bytes"]?.integer == lines.count)
  }

  @Test func otherLogsAreWarnedOf() throws {
    let directory = try ScratchDirectory()
    let few = ["bench", "--lines", "100", "--runs", "1", "--stage", "cut", "--save", "a.json"]
    #expect(try RunProcess.eventmill(few, directory: directory).status == 0)
    let compared = try RunProcess.eventmill(
      Self.small + ["--stage", "cut", "--baseline", "a.json"], directory: directory)
    #expect(compared.status == 0)
    #expect(compared.errors.contains("other logs"))
  }

  @Test func nothingIsLeftInTheTemporaryDirectory() throws {
    let directory = try ScratchDirectory()
    let result = try RunProcess.eventmill(
      Self.small + ["--stage", "run"], environment: ["TMPDIR": directory.path])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try directory.names() == [])
  }
}
