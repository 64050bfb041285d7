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

  /// Of the directory, a run reads only the lines that were accepted. An output inside `night`
  /// would be a file that its manifest does not list.
  @Test func aNightItsRejectsAndBoth() throws { try expectTranscript("redrive") }

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
