import TestSupport
import Testing

/// `eventmill rejects`, and `redrive` with the same selection.
@Suite struct RejectsCommandTests: CommandSuite {
  let directory: ScratchDirectory

  init() throws {
    directory = try ScratchDirectory()
    try directory.makeDirectory("logs")
    let bad = #"{"custom_id":"u","app_version":"2.1","name":"NO!","time":"2024-06-01T00:00:00"}"#
    let untimed = #"{"custom_id":"u","name":"NO!","time":"never"}"#
    try directory.write("\(bad)\n\(bad)\n{\n", to: "logs/a.ndjson")
    try directory.write(
      "\(untimed)\n" + String(repeating: Sample.event("u", "n") + "\n", count: 9),
      to: "logs/b.ndjson")
    try succeed("run -q --out out logs")
  }

  private func groups(_ words: String) throws -> [String] {
    try run("rejects --json out \(words)").lines.map { line in
      let row = try NaiveJSON(parsing: String(line))
      return "\(row["group"]?.text ?? "") \(row["entries"]?.integer ?? -1)"
    }
  }

  @Test func fromCountsToLines() throws {
    #expect(try groups("").first == "bad_name 3")
    #expect(try groups("--reason bad_name --by file") == ["logs/a.ndjson 2", "logs/b.ndjson 1"])
    #expect(try groups("--by version") == ["2.1 2", "unknown 2"])
    let shown = try run("rejects out --reason bad_name --lines 1")
    #expect(shown.lines.first == "logs/a.ndjson:1" && shown.text.contains("bad_name name: "))
    #expect(try run("rejects out --reason too_deep").errors.contains("there are no such rejects"))
    #expect(try run("rejects out --raw --top 2").status == 2)
    #expect(shown.errors.contains("2 more entries are not shown"))
    #expect(try run("rejects out --reason invalid_json --raw").text == "{\n")
    #expect(try run("rejects --json out --reason bad_name").lines.count == 3)
    #expect(
      try run("rejects out --reason bad_names").errors.contains("for example --reason bad_name"))
    #expect(try run("rejects logs").errors.contains("it has no rejects.ndjson.zst"))
  }

  @Test func redriveTakesTheSameSelection() throws {
    let dry = try run("redrive --json --dry-run --out again --reason invalid_json out")
    let found = try NaiveJSON(parsing: dry.text)["ledger"]
    #expect(!directory.has("again") && found?["entries"]?["kept"]?.integer == 3)
    let result = try run("redrive --json --out again --reason invalid_json out")
    let ledger = try NaiveJSON(parsing: result.text)["ledger"]?["entries"]
    #expect(ledger?["total"]?.integer == 4 && ledger?["kept"]?.integer == 3, "\(result.text)")
    #expect(
      try run("rejects --json again").lines.map { try NaiveJSON(parsing: String($0))["entries"] }
        == [.number("3"), .number("1"), .number("1")])
  }

  /// Entries of one line are one line, and entries of other reasons between them do not divide it.
  @Test func aLineWithSeveralEntriesIsOneLine() throws {
    let events = #"[{"name":"A!"},{"name":"b","time":"never"},{"name":"C!"}]"#
    try directory.write(
      #"{"custom_id":"u","events":\#(events)}"# + "\n", to: "many.ndjson")
    try succeed("run -q --max-rejects 100% --out many many.ndjson")
    let all = try run("rejects --json many --reason bad_name").lines.count
    #expect(all == 2)
    #expect(try run("rejects many --raw").lines.count == 1)
    #expect(
      try run("rejects many --reason bad_name").text.split(separator: "\n\n").count == 1)
  }
}
