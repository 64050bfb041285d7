import Jobs
import Pipeline
import TestSupport
import Testing

@testable import eventmill

/// `--log-format json`: every line is an object, for all messages.
@Suite struct MessageTests {
  private static let logs = Array(
    #"{"custom_id":"u","name":"n","time":"2024-06-01T00:00:00"}"#.utf8)

  private func lines(_ errors: String) throws -> [NaiveJSON] {
    try errors.split(separator: "\n").map { try NaiveJSON(parsing: String($0)) }
  }

  @Test func aNote() throws {
    let result = try RunProcess.eventmill(["count", "--log-format", "json", "-"], input: Self.logs)
    #expect(result.status == 0 && result.text.contains("total"), "the result stays a table")
    let notes = try lines(result.errors)
    #expect(notes.map(\.names) == [["level", "message"]])
    #expect(notes[0]["level"]?.text == "info")
    #expect(notes[0]["message"]?.text?.hasPrefix("1 line, 1 event, ") == true)
  }

  @Test func anErrorWithItsPlace() throws {
    let result = try RunProcess.eventmill(["count", "--log-format=json", "no-such-file"])
    #expect(result.status == 1)
    let errors = try lines(result.errors)
    #expect(errors.map(\.names) == [["level", "message", "kind", "path", "exit_code", "retry"]])
    #expect(errors[0]["level"]?.text == "error" && errors[0]["kind"]?.text == "io")
    #expect(errors[0]["path"]?.text == "no-such-file")
    #expect(errors[0]["exit_code"]?.integer == 1)
  }

  @Test func aWarningWithItsPlace() throws {
    let directory = try ScratchDirectory()
    try directory.write([0x28, 0xB5, 0x2F, 0xFD, 0x00], to: "b.zst")
    let result = try RunProcess.eventmill(
      ["count", "--quiet", "--keep-going", "--log-format", "json", "b.zst"], directory: directory)
    #expect(result.status == 4)
    let warnings = try lines(result.errors)
    #expect(warnings.count == 1 && warnings[0]["level"]?.text == "warning")
    #expect(warnings[0]["kind"]?.text == "corrupt" && warnings[0]["path"]?.text == "b.zst")
    #expect(warnings[0]["message"]?.text?.hasPrefix("the rest is lost: ") == true)
    #expect(warnings[0]["exit_code"] == nil)
  }

  /// JSON messages name a file with escapes, so that a log of them is safe to show.
  @Test(arguments: [["--json"], ["--log-format", "json"]])
  func namesInJSONHaveEscapes(_ form: [String]) throws {
    let result = try RunProcess.eventmill(["count", "a\u{9B}\u{202E}\u{7F}b"] + form)
    #expect(result.errors.contains(#""path":"a\u009b\u202e\u007fb""#), "\(result.errors)")
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
      let json = try RunProcess.eventmill(words + ["--log-format=json"])
      #expect(try lines(json.errors).allSatisfy { $0["message"]?.text?.contains(shown) ?? false })
    }
  }

  /// Also where the command line cannot be taken apart, and from the environment.
  @Test func aWrongCommandLine() throws {
    for result in [
      try RunProcess.eventmill(["frob", "--log-format", "json"]),
      try RunProcess.eventmill(["frob"], environment: ["EVENTMILL_LOG_FORMAT": "json"]),
    ] {
      #expect(result.status == 2)
      #expect(try lines(result.errors).map { $0["exit_code"]?.integer } == [2])
    }
    let text = try RunProcess.eventmill(["frob", "--", "--log-format", "json"])
    #expect(text.errors.hasPrefix("error: "))
  }

  /// `--json` promises a form of errors and warnings, and keeps it; only notes change.
  @Test func withResultsInJSON() throws {
    let failed = try RunProcess.eventmill(
      ["count", "--json", "--log-format", "json", "no-such-file"])
    let plain = try RunProcess.eventmill(["count", "--json", "no-such-file"])
    #expect(failed.errors == plain.errors)
    #expect(try lines(failed.errors).map(\.names) == [["error"]])
    let noted = try RunProcess.eventmill(
      ["count", "--json", "--log-format", "json", "-"], input: Self.logs)
    #expect(try lines(noted.errors).map { $0["level"]?.text } == ["info"])
    #expect(try lines(noted.text).last?.names == ["total"])
  }

  @Test func everyMemberOfAFailure() throws {
    let failure = Failure(
      .corrupt, doing: "reading", path: "a\n\u{1B}[31mb", frame: 1, line: 2, offset: 3, why: "no")
    let message = Message(level: .error, text: failure.message, failure: failure, code: .corrupt)
    let json = try NaiveJSON(parsing: message.logJSON)
    #expect(!message.logJSON.contains("\n") && !message.logJSON.contains("\u{1B}"))
    #expect(
      json.names == [
        "level", "message", "kind", "path", "line", "offset", "frame", "exit_code", "retry",
      ])
    let result = try NaiveJSON(parsing: message.resultJSON)
    #expect(result.names == ["error"])
    #expect(
      result["error"]?.names == [
        "kind", "message", "path", "line", "offset", "frame", "exit_code", "retry",
      ])
  }
}

extension Character {
  fileprivate var isVisible: Bool { unicodeScalars.allSatisfy(\.isVisible) }
}
