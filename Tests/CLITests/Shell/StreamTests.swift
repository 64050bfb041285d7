import Foundation
import TestSupport
import Testing

@testable import eventmill

/// Standard streams and signals.
@Suite struct StreamTests {
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
    let process = Process()
    let (output, errors) = (Pipe(), Pipe())
    process.executableURL = RunProcess.program
    process.arguments = Self.endless.split(separator: " ").map(String.init)
    process.standardOutput = output
    process.standardError = errors
    process.environment = RunProcess.inherited
    try process.run()
    // Once it writes, it listens.
    #expect(!output.fileHandleForReading.availableData.isEmpty)
    kill(process.processIdentifier, signal.rawValue)
    _ = try output.fileHandleForReading.readToEnd()
    let words = try errors.fileHandleForReading.readToEnd().map {
      String(decoding: $0, as: UTF8.self)
    }
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == signal.exitCode.rawValue)
    #expect(words?.contains("nothing was published") == true)
  }
}
