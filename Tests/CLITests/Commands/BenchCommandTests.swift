import TestSupport
import Testing

@testable import eventmill

/// `eventmill bench` from outside.
@Suite struct BenchCommandTests: CommandSuite {
  let directory: ScratchDirectory
  private static let small = "bench --lines 200 --users 20 --runs 1"

  init() throws { directory = try ScratchDirectory() }

  @Test func theTablesAreNarrowEnough() throws {
    let result = try RunProcess.eventmill(
      "\(Self.small) --jobs 1".split(separator: " ").map(String.init),
      environment: ["TMPDIR": directory.path])
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    for start in ["stage ", "job ", "  parse "] {
      #expect(result.lines.contains { $0.hasPrefix(start) }, "\(start)")
    }
    #expect(result.lines.allSatisfy { $0.count <= 100 }, "\(result.text)")
    #expect(try directory.names() == [], "nothing is left in the temporary directory")
  }

  @Test func aSavedResultIsComparedWith() throws {
    let line = "\(Self.small) --stage migrate"
    try succeed("\(line) --save before.json")
    let compared = try succeed("\(line) --baseline before.json")
    #expect(compared.lines.contains { $0.hasPrefix("migrate (job)") })
    #expect(compared.errors == "")
    let items = try json("\(line) --baseline before.json")["results"]?.items ?? []
    #expect(items.map { $0["baseline"]?["same_work"] } == [.bool(true)])
    // Other logs are warned of.
    try expect(
      0, "bench --lines 100 --runs 1 --stage migrate --baseline before.json", "other logs")
  }

  @Test func aDialectIsMeasured() throws {
    let lines = try DialectLog.named("sdk").text { $0.lines = 200 }
    try directory.write(lines, to: "sdk.ndjson")
    let line = "bench --runs 1 --stage canonical --dialect sdk sdk.ndjson"
    let items = try json(line)["results"]?.items ?? []
    try #require(items.count == 1)
    #expect(items[0]["name"]?.text == "canonical" && items[0]["kind"]?.text == "sum")
    #expect(items[0]["bytes"]?.integer == lines.count)
  }
}
