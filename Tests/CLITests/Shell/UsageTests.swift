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
    #expect(mistakes.count > 116)
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
