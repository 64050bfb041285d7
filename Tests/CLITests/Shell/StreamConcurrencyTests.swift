import TestSupport
import Testing

@testable import eventmill

/// Signals.
@Suite struct StreamConcurrencyTests: CommandSuite {
  let directory = ScratchDirectory.fresh

  @Test(arguments: EndingSignal.allCases)
  func aSignalEndsTheProgramInOrder(_ signal: EndingSignal) throws {
    let result = try signalled(
      signal.rawValue, "generate --lines 2M --users 10 --seed 1")
    #expect(result.text == "\(signal.exitCode.rawValue)\n")
    #expect(result.errors.contains("\(signal.name) was received; nothing was published"))
  }

  @Test func aSignalThatIsToBeIgnoredIsIgnored() throws {
    let result = try signalled(
      EndingSignal.interrupt.rawValue, "generate --lines 2K --users 10 --seed 1",
      signals: "--ignore-signal=INT")
    #expect(result.text == "0\n" && result.errors.isEmpty, "\(result.errors)")
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
