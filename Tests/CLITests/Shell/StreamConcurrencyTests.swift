import TestSupport
import Testing

@testable import eventmill

/// Signals.
@Suite struct StreamConcurrencyTests: CommandSuite {
  let directory = ScratchDirectory.fresh

  /// Runs `command`, which gets a signal when it has begun to write to a pipe, and shows its exit
  /// code. A shell without job control, and what it starts in the background, ignores SIGINT.
  private func signalled(
    _ signal: EndingSignal, _ command: String, signals: String = "--default-signal",
    isRead: Bool = true
  ) throws -> RunProcess.Result {
    try bash(
      """
      exec 3< <(exec env \(signals) "$eventmill" \(command))
      id=$!
      head -c 1 <&3 >/dev/null
      kill -\(signal.rawValue) "$id"
      \(isRead ? "cat <&3 >/dev/null" : "")
      wait "$id"
      echo $?
      """)
  }

  @Test(arguments: EndingSignal.allCases)
  func aSignalEndsTheProgramInOrder(_ signal: EndingSignal) throws {
    let result = try signalled(signal, "generate --lines 2M --users 10 --seed 1")
    #expect(result.text == "\(signal.exitCode.rawValue)\n")
    #expect(result.errors.contains("\(signal.name) was received; nothing was published"))
  }

  @Test func aSignalThatIsToBeIgnoredIsIgnored() throws {
    let result = try signalled(
      .interrupt, "generate --lines 2K --users 10 --seed 1",
      signals: "--ignore-signal=INT")
    #expect(result.text == "0\n" && result.errors.isEmpty, "\(result.errors)")
  }

  @Test(arguments: ["generate --lines 2M --users 10 --seed 1", "explain log.ndjson"])
  func aSignalEndsTheWriterToAnUnreadPipe(_ command: String) throws {
    try bash("\"$eventmill\" generate -q --lines 3000 --users 50 --seed 1 >log.ndjson")
    let result = try signalled(.terminate, command, isRead: false)
    #expect(result.text == "143\n", "\(result.errors)")
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
