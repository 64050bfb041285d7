import TestSupport
import Testing

@testable import eventmill

@Suite struct BenchCommandTests: CommandSuite {
  let directory = ScratchDirectory.fresh
  private static let small = "bench --lines 200 --users 20 --runs 1"

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

  @Test func aBaselineOfOtherStagesIsNamed() throws {
    try succeed("\(Self.small) --stage cut --save cut.json")
    let result = try expect(
      0, "\(Self.small) --stage validator --baseline cut.json",
      "the baseline has none of these stages and jobs")
    #expect(!result.text.contains("beside the baseline"))
  }

  @Test func aDialectIsMeasured() throws {
    let lines = try DialectLog.text(of: "sdk") { $0.lines = 200 }
    try directory.write(lines, to: "sdk.ndjson")
    let line = "bench --runs 1 --stage canonical --dialect sdk sdk.ndjson"
    let items = try json(line)["results"]?.items ?? []
    try #require(items.count == 1)
    #expect(items[0]["name"]?.text == "canonical" && items[0]["kind"]?.text == "sum")
    #expect(items[0]["bytes"]?.integer == lines.count)
  }
}
