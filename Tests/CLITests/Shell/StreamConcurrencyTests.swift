import TestSupport
import Testing

@testable import eventmill

/// Standard streams and signals.
@Suite struct StreamConcurrencyTests {
  private static let endless = "generate --lines 1000000M --users 10 --seed 1"

  @Test func aReaderThatGoesAwayIsSuccess() throws {
    let result = try RunProcess.bash(
      "\"$eventmill\" \(Self.endless) | head -n 1 | wc -l; echo ${PIPESTATUS[0]}")
    #expect(result.lines == ["1", "0"])
    #expect(result.errors == "")
  }

  @Test func aClosedOutputIsSuccess() throws {
    let result = try RunProcess.bash("\"$eventmill\" --version >&-")
    #expect(result.status == 0)
    #expect(result.errors == "")
  }

  /// An empty night was published.
  @Test(arguments: [
    "run --out out -", "cluster partial --out out -", "migrate --out out -", "redrive --out out -",
    "count -", "validate -", "explain -", "explain",
  ]) func aStandardInputThatCannotBeReadIsRefused(_ command: String) throws {
    let scratch = try ScratchDirectory()
    for input in ["<&-", "</", "0>file"] {
      let result = try RunProcess.bash("\"$eventmill\" \(command) \(input)", directory: scratch)
      #expect(result.status == 2, "\(input): \(result.errors)")
      #expect(result.errors.contains("standard input"), "\(input): \(result.errors)")
      #expect(try !scratch.names().contains("out"))
    }
  }

  @Test func aFullDiskIsAFailure() throws {
    let result = try RunProcess.bash("\"$eventmill\" --version >/dev/full")
    #expect(result.status == 1)
    #expect(result.errors.hasPrefix("error: writing to standard output: No space left"))
  }

  @Test func colorsFollowTheOption() throws {
    let plain = try RunProcess.eventmill(["count", "no-such-file"])
    #expect(!plain.errors.contains("\u{1B}"))
    let colored = try RunProcess.eventmill(["count", "--color", "always", "no-such-file"])
    #expect(colored.errors.hasPrefix("\u{1B}[1;31merror:\u{1B}[0m "))
  }

  @Test(arguments: EndingSignal.allCases)
  func aSignalEndsTheProgramInOrder(_ signal: EndingSignal) throws {
    // With job control, because bash otherwise ignores SIGINT. The program handles it once it
    // writes.
    let result = try RunProcess.bash(
      """
      set -m
      exec 3< <(exec "$eventmill" generate --lines 2M --users 10 --seed 1)
      id=$!
      head -c 1 <&3 >/dev/null
      kill -\(signal.rawValue) "$id"
      cat <&3 >/dev/null
      wait "$id"
      echo $?
      """)
    #expect(result.text == "\(signal.exitCode.rawValue)\n")
    #expect(result.errors.contains("\(signal.name) was received; nothing was published"))
  }

  @Test func aSignalThatIsToBeIgnoredIsIgnored() throws {
    let result = try RunProcess.bash(
      """
      trap '' INT
      exec 3< <(exec "$eventmill" generate --lines 2K --users 10 --seed 1)
      id=$!
      head -c 1 <&3 >/dev/null
      kill -INT "$id"
      cat <&3 >/dev/null
      wait "$id"
      echo $?
      """)
    #expect(result.text == "0\n")
    #expect(result.errors == "")
  }

  /// The program reads a pipe that stays open, until its parent is killed.
  @Test func itEndsWithItsParent() throws {
    let script = """
      mkfifo pipe
      (exec 3<>pipe; bash -c 'echo $$ > parent; $eventmill count --die-with-parent - < pipe & \
      echo $! > child; wait' & wait) &
      until [ -s child ] && [ -s parent ]; do :; done
      until grep -q . /proc/$(cat child)/task/*/comm && [ -e /proc/$(cat child)/fd/0 ]; do :; done
      until grep -qz die-with-parent /proc/$(cat child)/cmdline; do :; done
      until [ "$(ls /proc/$(cat child)/task | wc -l)" -ge 3 ]; do :; done
      kill -KILL $(cat parent)
      while kill -0 $(cat child) 2>/dev/null; do :; done
      echo ended
      """
    let result = try RunProcess.bash("timeout 60 bash -c '\(script.replacing("'", with: "'\\''"))'")
    #expect(result.text.contains("ended"), "\(result.errors)")
  }
}
