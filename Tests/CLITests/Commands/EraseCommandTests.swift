import TestSupport
import Testing

/// `eventmill erase`, and `verify --absent` as its proof.
@Suite struct EraseCommandTests {
  private func output() throws -> ScratchDirectory {
    let directory = try ScratchDirectory()
    let log =
      #"{"custom_id":"anna","name":"ad_seen","time":"2024-06-01T00:00:00"}"# + "\n"
      + #"{"custom_id":"bob","name":"ad_seen","time":"2024-06-01T00:00:00"}"# + "\n"
      + #"{"custom_id":"anna","name":"-","time":"2024-06-01T00:00:00"}"# + "\n"
    try directory.write(Array(log.utf8), to: "log.ndjson")
    try directory.write(
      Array((#"{"custom_id":"anna"}"# + "\n" + #"{"custom_id":"carl"}"# + "\n").utf8),
      to: "ids.ndjson")
    let run = try RunProcess.eventmill(["run", "--out", "out", "log.ndjson"], directory: directory)
    #expect(run.status == 0)
    return directory
  }

  @Test func anOutputWithoutSomebodyIsMadeAndProved() throws {
    let directory = try output()
    let before = try RunProcess.eventmill(
      ["verify", "--absent", "ids.ndjson", "out"], directory: directory)
    #expect(before.status == 1)
    #expect(before.lines.count == 5)
    #expect(before.lines.allSatisfy { !$0.contains("anna") })
    let erased = try RunProcess.eventmill(
      ["erase", "--ids", "ids.ndjson", "--out", "new", "out"], directory: directory)
    #expect(erased.status == 0)
    #expect(
      erased.lines == [
        "published new", "erased      1 of 2 requested; for the others there was no data",
        "profiles    1", "rejects     1 entries without their text",
      ])
    let after = try RunProcess.eventmill(
      ["verify", "--absent", "ids.ndjson", "new"], directory: directory)
    #expect(after.status == 0)
    // In its own place, too.
    let json = try RunProcess.eventmill(
      ["erase", "--json", "--replace", "--ids", "ids.ndjson", "--out", "new", "new"],
      directory: directory)
    #expect(json.status == 0)
    #expect(try NaiveJSON(parsing: json.text)["found"]?.integer == 0)
  }

  @Test func aFileThatHoldsNoRequestsIsRefused() throws {
    let directory = try output()
    for arguments in [
      ["erase", "--ids", "log.ndjson", "--out", "new", "out"],
      ["verify", "--absent", "log.ndjson", "out"],
      ["run", "--erase", "log.ndjson", "--out", "new", "log.ndjson"],
      ["run", "--honor-opt-out", "--out", "new", "-"],
      ["erase", "--ids", "ids.ndjson", "--out", "new", "log.ndjson"],
    ] {
      let result = try RunProcess.eventmill(arguments, directory: directory)
      #expect(result.status == 2, "\(arguments)")
    }
    #expect(try directory.names() == ["ids.ndjson", "log.ndjson", "out"])
  }
}
