import TestSupport
import Testing

/// Results with `--json` are whole JSON, line by line.
@Suite struct JSONResultTests {
  private static let logs = Array(
    """
    {"id":"1","custom_id":"u","name":"ad_seen","time":"2024-06-01T00:00:00"}
    {"custom_id":"u","name":"no good","time":"2024-06-01T00:00:00"}

    """.utf8)

  @Test(arguments: [
    ["run", "--out", "out", "-"], ["count", "-"], ["validate", "-"], ["explain"],
    ["bench", "--lines", "100", "--users", "10", "--runs", "1"],
  ])
  func everyCommandsResultIsJSON(_ arguments: [String]) throws {
    let directory = try ScratchDirectory()
    let result = try RunProcess.eventmill(
      arguments + ["--json"], input: Self.logs, directory: directory)
    #expect(result.status == 0)
    #expect(!result.lines.isEmpty)
    for line in result.lines {
      guard case .object(let members) = try NaiveJSON(parsing: String(line)) else {
        Issue.record("no object: \(line)")
        continue
      }
      #expect(!members.isEmpty)
    }
  }
}
