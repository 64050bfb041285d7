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

  private func groups(_ words: String) throws -> [String] {
    try objects("rejects out \(words)").map {
      "\($0["group"]?.text ?? "") \($0["entries"]?.integer ?? -1)"
    }
  }

  @Test func fromCountsToLines() throws {
    #expect(try groups("").first == "bad_name 3")
    #expect(try groups("--reason bad_name --by file") == ["logs/a.ndjson 2", "logs/b.ndjson 1"])
    #expect(try groups("--by version") == ["2.1 2", "unknown 2"])
    let shown = try expect(
      0, "rejects out --reason bad_name --lines 1", "2 more entries are not shown")
    #expect(shown.lines.first == "logs/a.ndjson:1" && shown.text.contains("bad_name name: "))
    #expect(try run("rejects out --reason invalid_json --raw").text == "{\n")
    #expect(try objects("rejects out --reason bad_name").count == 3)
    for (words, why) in [
      ("out --reason too_deep", "there are no such rejects"),
      ("out --reason bad_names", "for example --reason bad_name"),
      ("logs", "it has no rejects.ndjson.zst"),
    ] {
      let errors = try run("rejects \(words)").errors
      #expect(errors.contains(why), "\(errors)")
    }
    try expect(2, "rejects out --raw --top 2")
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

  /// Entries of one line are one line, and entries of other reasons between them do not divide it.
  @Test func aLineWithSeveralEntriesIsOneLine() throws {
    let events = #"[{"name":"A!"},{"name":"b","time":"never"},{"name":"C!"}]"#
    try directory.write(#"{"custom_id":"u","events":\#(events)}"# + "\n", to: "many.ndjson")
    try succeed("run -q --max-rejects 100% --out many many.ndjson")
    #expect(try objects("rejects many --reason bad_name").count == 2)
    #expect(try run("rejects many --raw").lines.count == 1)
    #expect(try run("rejects many --reason bad_name").text.split(separator: "\n\n").count == 1)
  }
}
