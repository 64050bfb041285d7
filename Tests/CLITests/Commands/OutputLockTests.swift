import TestSupport
import Testing

/// Two runs into one output (docs/reference/file-formats.md).
@Suite struct OutputLockTests {
  /// A run that waits for its input, which is a pipe; `first` is its process.
  private static let waiting = """
    "$eventmill" generate --quiet --lines 20 --users 5 --seed 1 > a.ndjson
    mkfifo pipe.ndjson
    "$eventmill" run --quiet --out out pipe.ndjson & first=$!
    until [[ -e .out.staging-$first ]] || ! kill -0 $first; do :; done

    """

  @Test func theSecondRunSaysSo() throws {
    let scratch = try ScratchDirectory()
    let result = try RunProcess.bash(
      Self.waiting + """
        "$eventmill" run --quiet --out out a.ndjson; echo "second $?, first $first"
        cat a.ndjson > pipe.ndjson
        wait $first; echo "first $?"
        """, directory: scratch)
    let first = result.lines.first?.split(separator: " ").last ?? "?"
    #expect(result.lines == ["second 5, first \(first)", "first 0"])
    #expect(
      result.errors == """
        error: locking the output out: another run, process \(first), is writing it; \
        wait for it to end and run again

        """)
    #expect(try scratch.names() == ["a.ndjson", "out", "pipe.ndjson"])
  }

  @Test func theLockOfADeadRunIsTakenOver() throws {
    let scratch = try ScratchDirectory()
    let result = try RunProcess.bash(
      Self.waiting + """
        kill -9 $first
        { wait $first; } 2>/dev/null
        ls -A
        "$eventmill" run --quiet --out out a.ndjson; echo "second $?"
        """, directory: scratch)
    let left = result.lines.filter { $0.hasPrefix(".out.") }
    #expect(left.count == 2 && left.first == ".out.lock", "\(left)")
    #expect(left.last?.hasPrefix(".out.staging-") == true)
    #expect(result.lines.last == "second 0", "\(result.errors)")
    #expect(try scratch.names() == ["a.ndjson", "out", "pipe.ndjson"])
  }
}
