import Jobs
import Pipeline
import TestSupport
import Testing

@testable import eventmill

/// Wrong usage: exit code 2, nothing on standard output, and a sentence that helps.
@Suite struct UsageTests {
  private static let lines: [[String]] = [
    ["--quiet"], ["frob"], ["rnu"], ["migrate"], ["merge"], ["help", "cuont"],
    ["run"], ["run", "logs"], ["run", "--out"], ["run", "--out", "--replace", "logs"],
    ["run", "--out=", "logs"], ["run", "--out", "out"],
    ["run", "--jbos", "3", "logs"], ["count", "--job=3", "logs"],
    ["count", "--frobnicate", "logs"],
    ["count", "-x", "logs"], ["count", "--out", "out", "logs"], ["explain", "--memory", "2G"],
    ["version", "x"],
    ["generate", "--lines", "10"], ["count", "--quiet=yes", "logs"],
    ["count", "--jobs", "many", "logs"], ["count", "--jobs", "0", "logs"],
    ["count", "--jobs", "99999999999999999999", "logs"], ["count", "--v1", "Strict", "logs"],
    ["count", "--v1", "lenien", "logs"], ["count", "--dialect", "v3", "logs"],
    ["count", "--default-time", "yesterday", "logs"],
    ["count", "--default-time", "1999-12-31T23:59:59Z", "logs"],
    ["count", "--not-before", "2024-02-30T00:00:00Z", "logs"],
    ["count", "--not-before=2024-02-02T00:00:00Z", "--not-after=2024-02-01T00:00:00Z", "logs"],
    ["count", "--since", "2024-02-30", "logs"], ["count", "--until", "2024-1-1", "logs"],
    ["count", "--since=2024-02-02", "--until=2024-02-01", "logs"],
    ["count", "--since", "1714521600", "logs"], ["count", "--since", "20240501", "logs"],
    ["run", "--out", "out", "--erased-at", "2024-06-01", "logs"],
    ["count", "--max-line", "16X", "logs"], ["count", "--max-line", "0", "logs"],
    ["count", "--memory", "lots", "logs"], ["validate", "--max-rejects", "-1", "logs"],
    ["validate", "--max-rejects", "101%", "logs"], ["validate", "--max-rejects", "1e1%", "logs"],
    ["run", "--out", "out", "--level", "20", "logs"],
    ["run", "--out", "out", "--partitions", "0", "logs"],
    ["run", "--out", "out", "--stitch", "last", "logs"],
    ["run", "--out", "out", "--dedupe-days", "-3", "logs"],
    ["count", "--color", "pink", "logs"], ["count", "--log-format", "xml", "logs"],
    ["run", "--out", "out", "--metrics=", "logs"], ["count", "--metrics", "x", "logs"],
    ["generate", "--lines", "x", "--users", "1", "--seed", "1"],
    ["generate", "--lines", "1", "--users", "0", "--seed", "1"],
    ["generate", "--lines", "1", "--users", "1", "--seed", "1", "--bad", "200%"],
    ["generate", "--lines", "1", "--users", "1", "--seed", "1", "--format", "v9"],
    ["generate", "--lines", "1", "--users", "1", "--seed", "1", "--start", "2024-06-31"],
    [
      "generate", "--lines", "1", "--users", "1", "--seed", "1", "--start", "2099-12-31",
      "--nights", "2",
    ],
    ["bench", "--dialect", "sdk"], ["generate", "--dialect", "sdk"],
    ["bench", "--stage", "valdate"], ["bench", "--stage", "frob"], ["bench", "--runs", "0"],
    ["bench", "--save="], ["bench", "--out", "out"],
    ["verify"], ["verify", "a", "b"], ["verify", "--out", "out"], ["verify", "no-such-directory"],
    ["partial"], ["cluster", "partial", "logs"],
    ["cluster", "partial", "--out", "out", "--honor-opt-out", "logs"],
    ["cluster", "partial", "--out", "out", "--opt-outs", "opt-outs", "logs"],
    ["cluster", "partial", "--out", "out", "--collect-opt-outs", "--honor-opt-out", "logs"],
    ["cluster", "partial", "--out", "out", "--collect-opt-outs", "--partition", "0", "logs"],
    [
      "cluster", "merge", "--out", "out", "--step", "people", "--partition", "0", "--honor-opt-out",
      "p",
    ],
    ["cluster", "partial", "--out", "out", "--partitions", "5000", "logs"],
    ["cluster", "merge", "--out", "out", "p"],
    ["cluster", "merge", "--out", "out", "--step", "installations", "--partition", "0"],
    ["cluster", "merge", "--out", "out", "--step", "installations", "--partition", "-1", "p"],
    ["cluster", "merge", "--out", "out", "--step", "installations", "--partition", "4096", "p"],
    [
      "cluster", "merge", "--out", "out", "--step", "installations", "--partition", "0", "--step",
      "finish",
      "p",
    ],
    ["cluster", "merge", "--out", "out", "--step", "finish", "--previous", "night"],
    ["cluster", "merge", "--out", "out", "--step", "finish", "--stitch", "none"],
    ["cluster", "merge", "--out", "out", "--step", "finish", "--no-values"],
    ["cluster", "merge", "--out", "out", "--partitions", "2", "p"],
    [
      "cluster", "merge", "--out", "out", "--v1", "strict", "--step", "installations",
      "--partition", "0", "p",
    ],
    ["night"], ["night", "--logs", "logs", "--out", "out/%Y-%m-%d"],
    ["night", "--logs", "logs/%Y-%m-%d", "--out", "out/%F"],
    ["night", "--logs", "l/%Y-%m-%d", "--out", "o/%Y-%m-%d", "--to-night", "yesterday"],
    ["night", "--logs", "l/%Y-%m-%d", "--out", "o/%Y-%m-%d", "--keep-daily", "-1"],
    ["night", "--logs", "l/%Y-%m-%d", "--out", "o/%Y-%m-%d", "--previous", "x"],
    ["night", "--logs", "l/%Y-%m-%d", "--out", "o/%Y-%m-%d", "logs"],
    ["completions"], ["completions", "bsh"], ["man", "rnu"], ["man", "--out", ".", "run"],
    ["--json", "count", "--jobs", "x", "logs"],
  ]

  @Test func everyMistakeIsExplained() throws {
    var text = ""
    for line in Self.lines {
      let shown = line.map { $0.isEmpty ? "''" : $0 }.joined(separator: " ")
      text += "$ eventmill \(shown)\n"
      // In this process, which is faster, unless a job finds the mistake.
      let failure = Failure.thrown { () throws(Failure) in _ = try Invocation(RawArguments(line)) }
      if let failure, !line.contains("--json") {
        #expect(failure.kind == .usage, "eventmill \(shown)")
        text += "error: \(failure.message(for: nil))\n"
      } else {
        let result = try RunProcess.eventmill(line)
        #expect(result.status == 2 && result.output.isEmpty, "eventmill \(shown)")
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
