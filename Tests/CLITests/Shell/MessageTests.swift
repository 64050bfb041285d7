import Jobs
import Pipeline
import TestSupport
import Testing

@testable import eventmill

/// Messages: `--log-format json`, where every line is an object; names of others; exit codes.
@Suite struct MessageTests: CommandSuite {
  let directory: ScratchDirectory

  init() throws { directory = try ScratchDirectory() }

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
  ]) func namesAreShownWithEscapes(_ name: String, _ shown: String) throws {
    for words in [["count", name], ["count", "--\(name)", "-"], ["diff", name, "b"]] {
      let text = try RunProcess.eventmill(words)
      #expect(text.errors.contains(shown), "\(text.errors)")
      #expect(text.errors.hasSuffix("\n") && text.errors.dropLast().allSatisfy(\.isVisible))
    }
    let json = try RunProcess.eventmill(["count", name, "--log-format=json"])
    let message = try NaiveJSON(parsing: json.errors)["message"]?.text
    #expect(message?.contains(shown) == true, "\(json.errors)")
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

extension Character { fileprivate var isVisible: Bool { unicodeScalars.allSatisfy(\.isVisible) } }
