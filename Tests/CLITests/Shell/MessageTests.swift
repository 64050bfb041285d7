import Jobs
import Pipeline
import TestSupport
import Testing

@testable import eventmill

/// Messages: `--log-format json`, where every line is an object; exit codes.
@Suite struct MessageTests {

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
      (.usage, [2, 2]), (.io, [1, 1]), (.limit, [1, 1]), (.defect, [1, 1]), (.corrupt, [4, 4]),
      (.locked, [5, 5]), (.rejects, [3, 3]), (.interrupted, [130, 143]),
    ] as [(Failure.Kind, [Int32])])
  func everyKindHasItsExitCode(_ kind: Failure.Kind, _ codes: [Int32]) {
    #expect([.interrupt, .terminate].map { ExitCode(kind, signal: $0).rawValue } == codes)
    if kind != .interrupted { #expect(ExitCode(kind, signal: nil).rawValue == codes[0]) }
  }

  /// Frames of logs that are mostly long, and so long that it takes seconds.
  @Test func longFramesAreNamed() {
    let most = 256 << 20
    let advice = ValidateCommand.longFrames(most, of: 2 * most)
    #expect(advice?.contains("268 MB are in zstd frames of more than 8 MiB") == true)
    #expect(ValidateCommand.longFrames(most - 1, of: most) == nil)
    #expect(ValidateCommand.longFrames(most, of: 2 * most + 1) == nil)
  }
}
