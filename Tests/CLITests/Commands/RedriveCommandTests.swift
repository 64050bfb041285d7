import TestSupport
import Testing

/// `eventmill redrive`: exit codes and what is printed.
@Suite struct RedriveCommandTests: CommandSuite {
  let directory: ScratchDirectory

  init() throws {
    directory = try ScratchDirectory()
    let time = #""time":"2024-06-01T00:00:00""#
    let lines = [
      #"{"id":"1","custom_id":"u","name":"seen",\#(time),"label":17}"#,
      #"{"id":"2","custom_id":"u","name":"seen",\#(time)}"#,
      #"{"id":"3","custom_id":"u","name":"seen"}"#,
    ]
    try directory.write(lines.map { $0 + "\n" }.joined(), to: "a.ndjson")
    try succeed("run --quiet --max-rejects 2 --out night a.ndjson")
  }

  @Test func aNightItsRejectsAndBoth() throws {
    let redrive = try succeed("redrive --v1 lenient --out again night")
    #expect(redrive.errors.isEmpty)
    #expect(
      redrive.lines.filter { !$0.hasPrefix("read ") } == [
        "published again", "entries     2: 1 accepted, 0 accepted in part, 1 rejected",
        "events      1 accepted, 1 rejected", "operations  0 applied, 0 refused",
        "redriven    1 line: see again/redriven.ndjson.zst",
        "rejects     1 entry remains: see again/rejects.ndjson.zst",
        "losses      1 part was dropped: see again/losses.ndjson",
      ])
    // Of the directory, a run reads only the lines that were accepted.
    #expect(
      try succeed("run --previous night --out merged again").lines
        .contains("events      1: 1 accepted, 0 duplicates, 0 rejected"))
    let count = try #require(objects("count again").first)
    #expect(count["dialects"]?["v1"]?.integer == 1 && count["dialects"]?["v2"] == nil)
    // An output that exists is refused.
    try expect(2, "redrive --out again night")
    let json = try json("redrive --replace --default-time 2024-06-02T00:00:00 --out again night")
    #expect(json["output"]?.text == "again")
    #expect(json["ledger"]?["entries"]?["accepted"]?.integer == 1)
    #expect(json["ledger"]?["entries"]?["rejected"]?.integer == 1)
    #expect(json["redriven_lines"]?.integer == 1)
  }

  /// An output inside `night` would be a file that its manifest does not list.
  @Test func whatIsRefused() throws {
    try expect(2, "redrive --out night/again night", "the output night/again would be inside it")
    #expect(!directory.has("night/again"))
    for words in ["--replace --out night night", "--out again", "night"] {
      try expect(2, "redrive \(words)")
    }
    #expect(directory.has("night/rejects.ndjson.zst"))
    let corrupt = try expect(
      4, "redrive --out again a.ndjson", "a.ndjson (line 1): the line is not a reject entry")
    #expect(corrupt.output.isEmpty)
    try expect(4, "redrive --out again --keep-going a.ndjson")
  }

  /// A line that was repaired is repaired again, with the option or without. For others the reason
  /// names what would help.
  @Test(arguments: [true, false]) func repairedLinesAreRepairedAgain(atFirst: Bool) throws {
    let line = "\u{0}" + #"{"id":"4","custom_id":"u","name":"seen","label":"\ud800",}"# + "\n"
    try directory.write(line, to: "b.ndjson")
    let options = atFirst ? "--repair " : ""
    try succeed("run --quiet --max-rejects 100% \(options)--out first b.ndjson")
    let first = try run("explain \(options)b.ndjson").text
    #expect(first.contains(atFirst ? "missing_time" : "redrive --repair"))
    let again = atFirst ? "" : "--repair "
    let redrive = try run("redrive --default-time 2024-06-02 \(again)--out again first")
    #expect(redrive.lines.contains("events      1 accepted, 0 rejected"))
    #expect(try run("count --json again").text.contains(#""name":"seen","count":1"#))
  }
}
