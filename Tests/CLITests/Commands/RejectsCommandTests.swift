import TestSupport
import Testing

/// `eventmill rejects`, and `redrive` with the same selection.
@Suite struct RejectsCommandTests: CommandSuite {
  let directory: ScratchDirectory

  init() throws {
    directory = try ScratchDirectory()
    let bad = #"{"custom_id":"u","app_version":"2.1","name":"NO!","time":"2024-06-01T00:00:00"}"#
    let untimed = #"{"custom_id":"u","name":"NO!","time":"never"}"#
    try directory.write("\(bad)\n\(bad)\n{\n", to: "logs/a.ndjson")
    try directory.write(
      "\(untimed)\n" + String(repeating: Sample.event("u", "n") + "\n", count: 9),
      to: "logs/b.ndjson")
    try succeed("run -q --out out logs")
  }

  /// Entries of one line are one line, and entries of other reasons between them do not divide it.
  @Test func fromCountsToLines() throws {
    let events = #"[{"name":"A!"},{"name":"b","time":"never"},{"name":"C!"}]"#
    try directory.write(#"{"custom_id":"u","events":\#(events)}"# + "\n", to: "many.ndjson")
    try succeed("run -q --max-rejects 100% --out many many.ndjson")
    try expectTranscript("rejects")
  }

  @Test func redriveTakesTheSameSelection() throws {
    let line = "redrive --out again --reason invalid_json out"
    for words in ["--dry-run", ""] {
      let entries = try json("\(line) \(words)")["ledger"]?["entries"]
      #expect(entries?["total"]?.integer == 4 && entries?["kept"]?.integer == 3)
      #expect(directory.has("again") == words.isEmpty)
    }
    #expect(try objects("rejects again").map { $0["entries"]?.integer } == [3, 1, 1])
  }
}
