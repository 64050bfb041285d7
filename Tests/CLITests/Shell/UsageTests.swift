import Jobs
import Pipeline
import TestSupport
import Testing

@testable import eventmill

/// Wrong usage: exit code 2, nothing on standard output, and a sentence that helps.
@Suite struct UsageTests {
  /// The mistakes are in the golden file.
  @Test func everyMistakeIsExplained() throws {
    let mistakes = try Golden.commands(in: "usage")
    #expect(mistakes.count > 97)
    var text = ""
    for mistake in mistakes {
      text += "$ \(mistake)\n"
      let line = mistake.split(separator: " ").dropFirst().map(String.init)
      // In this process, which is faster, unless a job finds the mistake. Other tests add mappings
      // to the dialects of this process.
      let failure = Failure.thrown { () throws(Failure) in _ = try Invocation(RawArguments(line)) }
      if let failure, !line.contains("--json"), !line.contains("--dialect") {
        #expect(failure.kind == .usage, "\(mistake)")
        text += "error: \(failure.message(for: nil))\n"
      } else {
        let result = try RunProcess.eventmill(line)
        #expect(result.status == 2 && result.output.isEmpty, "\(mistake)")
        text += result.errors
      }
    }
    #expect(try Golden.difference(text, from: "usage.txt") == nil)
    let result = try RunProcess.eventmill(["frob"])
    #expect(result.status == 2 && result.output.isEmpty && text.contains(result.errors))
  }

  @Test func aBadVariableIsNamed() throws {
    let result = try RunProcess.eventmill(["count", "x"], environment: ["EVENTMILL_JOBS": "zz"])
    #expect(result.status == 2)
    #expect(result.errors.contains("EVENTMILL_JOBS cannot be \"zz\""))
    #expect(result.errors.contains("EVENTMILL_JOBS=4"))
    // The variable for JSON counts for errors.
    let json = try RunProcess.eventmill(["frob"], environment: ["EVENTMILL_JSON": "1"])
    let error = try NaiveJSON(parsing: json.errors)["error"]
    #expect(error?["kind"]?.text == "usage" && error?["exit_code"]?.integer == 2)
  }

  @Test func aMissingInputIsAJSONErrorWithItsPath() throws {
    let result = try RunProcess.eventmill(["count", "--json", "no-such-file"])
    #expect(result.status == 1)
    #expect(result.output.isEmpty)
    let error = try NaiveJSON(parsing: result.errors)["error"]
    #expect(error?["kind"]?.text == "io" && error?["path"]?.text == "no-such-file")
    #expect(error?["exit_code"]?.integer == 1 && error?["line"] == nil)
  }

  /// Whether a process may have a file system without `/proc`.
  private static let canHideProc =
    (try? RunProcess.bash("mkdir empty && unshare -rm mount --bind empty /proc").status) == 0

  /// The command line is the one of the C library, whatever a container or a chroot lacks.
  @Test(.enabled(if: canHideProc, "unshare is not permitted"))
  func aCommandLineIsReadWithoutProc() throws {
    let result = try RunProcess.bash(
      """
      mkdir empty; export eventmill
      unshare -rm sh -c 'mount --bind empty /proc; "$eventmill" --version; "$eventmill" frob; echo $?'
      """)
    #expect(result.lines.first?.hasPrefix("eventmill ") == true, "\(result.errors)")
    #expect(result.lines.last == "2" && result.errors.contains("frob"), "\(result.errors)")
  }

  @Test func anUnknownCommandLineIsAnError() {
    let shell = Shell(signals: Signals(), variables: [:], input: .nothing)
    #expect(shell.run(nil) == .failed)
  }
}
