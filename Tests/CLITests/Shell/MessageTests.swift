import Jobs
import Pipeline
import TestSupport
import Testing

@testable import eventmill

/// Messages: `--log-format json`, where every line is an object; names of others; exit codes.
@Suite struct MessageTests: CommandSuite {
  let directory: ScratchDirectory
  private static let log = #"{"custom_id":"u","name":"n","time":"2024-06-01T00:00:00"}"#

  init() throws { directory = try ScratchDirectory() }

  /// The messages of a command in JSON.
  private func messages(
    _ status: Int32, _ line: String, input: String = ""
  ) throws -> [NaiveJSON] {
    try expect(status, line, input: input).errors.split(separator: "\n")
      .map { try NaiveJSON(parsing: String($0)) }
  }

  @Test func everyLevelIsAnObject() throws {
    let notes = try messages(0, "count --log-format json -", input: Self.log)
    #expect(notes.map(\.names) == [["level", "message"]])
    #expect(notes[0]["level"]?.text == "info")
    #expect(notes[0]["message"]?.text?.hasPrefix("1 line, 1 event, ") == true)
    let table = try run("count --log-format json -", input: Self.log)
    #expect(table.text.contains("total"), "the result stays a table")

    let errors = try messages(1, "count --log-format=json no-such-file")
    #expect(errors.map(\.names) == [["level", "message", "kind", "path", "exit_code", "retry"]])
    #expect(errors[0]["level"]?.text == "error" && errors[0]["kind"]?.text == "io")
    #expect(errors[0]["path"]?.text == "no-such-file")
    #expect(errors[0]["exit_code"]?.integer == 1)

    try directory.write([0x28, 0xB5, 0x2F, 0xFD, 0x00], to: "b.zst")
    let warnings = try messages(4, "count --quiet --keep-going --log-format json b.zst")
    #expect(warnings.count == 1 && warnings[0]["level"]?.text == "warning")
    #expect(warnings[0]["kind"]?.text == "corrupt" && warnings[0]["path"]?.text == "b.zst")
    #expect(warnings[0]["message"]?.text?.hasPrefix("the rest is lost: ") == true)
    #expect(warnings[0]["exit_code"] == nil)
  }

  /// JSON messages name a file with escapes, so that a log of them is safe to show.
  @Test(arguments: ["--json", "--log-format json"]) func namesInJSONHaveEscapes(_ form: String)
    throws
  {
    let result = try expect(
      1, "count a\u{9B}\u{202E}\u{7F}b \(form)", #""path":"a\u009b\u202e\u007fb""#)
    let isVisible = result.errors.dropLast().allSatisfy(\.isVisible)
    #expect(isVisible)
  }

  /// Names of files and arguments are text of others: in a message they do nothing to a terminal
  /// and make no further lines.
  @Test(arguments: [
    ("a\u{1B}]0;owned\u{7}", #"a\u{1B}]0;owned\u{07}"#), ("b\u{9B}31m", #"b\u{009B}31m"#),
    ("c\u{202E}d", #"c\u{202E}d"#), ("e\nerror: f", #"e\nerror: f"#), ("g\u{7F}é", #"g\u{7F}é"#),
  ])
  func namesAreShownWithEscapes(_ name: String, _ shown: String) throws {
    for words in [["count", name], ["count", "--\(name)", "-"], ["diff", name, "b"]] {
      let text = try RunProcess.eventmill(words)
      #expect(text.errors.contains(shown), "\(text.errors)")
      #expect(text.errors.hasSuffix("\n") && text.errors.dropLast().allSatisfy(\.isVisible))
    }
    let json = try RunProcess.eventmill(["count", name, "--log-format=json"])
    let message = try NaiveJSON(parsing: json.errors)["message"]?.text
    #expect(message?.contains(shown) == true, "\(json.errors)")
  }

  /// Also where the command line cannot be taken apart, and from the environment.
  @Test func aWrongCommandLine() throws {
    for result in [
      try run("frob --log-format json"),
      try RunProcess.eventmill(["frob"], environment: ["EVENTMILL_LOG_FORMAT": "json"]),
    ] {
      #expect(result.status == 2)
      #expect(try NaiveJSON(parsing: result.errors)["exit_code"]?.integer == 2)
    }
    #expect(try run("frob -- --log-format json").errors.hasPrefix("error: "))
  }

  /// `--json` promises a form of errors and warnings, and keeps it; only notes change.
  @Test func withResultsInJSON() throws {
    let failed = try messages(1, "count --json --log-format json no-such-file")
    #expect(failed.map(\.names) == [["error"]])
    #expect(try messages(1, "count --json no-such-file") == failed)
    let noted = "count --json --log-format json -"
    #expect(try messages(0, noted, input: Self.log).map { $0["level"]?.text } == ["info"])
    let total = try #require(run(noted, input: Self.log).lines.last)
    #expect(try NaiveJSON(parsing: String(total)).names == ["total"])
  }

  @Test func everyMemberOfAFailure() throws {
    let failure = Failure(
      .corrupt, doing: "reading", path: "a\n\u{1B}[31mb", frame: 1, line: 2, offset: 3, why: "no")
    let message = Message(level: .error, text: failure.message, failure: failure, code: .corrupt)
    #expect(!message.logJSON.contains("\n") && !message.logJSON.contains("\u{1B}"))
    let location = ["path", "line", "offset", "frame", "exit_code", "retry"]
    #expect(
      try NaiveJSON(parsing: message.logJSON).names == ["level", "message", "kind"] + location)
    let result = try NaiveJSON(parsing: message.resultJSON)
    #expect(result.names == ["error"])
    #expect(result["error"]?.names == ["kind", "message"] + location)
  }

  @Test(
    arguments: [
      (.usage, 2), (.io, 1), (.limit, 1), (.defect, 1), (.corrupt, 4), (.locked, 5), (.rejects, 3),
    ] as [(Failure.Kind, Int32)])
  func everyKindHasItsExitCode(_ kind: Failure.Kind, _ code: Int32) {
    #expect(ExitCode(kind, signal: nil).rawValue == code)
    #expect(ExitCode(kind, signal: .interrupt).rawValue == code)
  }

  @Test func anInterruptionEndsWithItsSignal() {
    #expect(ExitCode(.interrupted, signal: .interrupt).rawValue == 130)
    #expect(ExitCode(.interrupted, signal: .terminate).rawValue == 143)
  }
}

extension Character {
  fileprivate var isVisible: Bool { unicodeScalars.allSatisfy(\.isVisible) }
}
