import Foundation
import TestSupport
import Testing

@testable import Pipeline

@Suite struct SystemTests {
  @Test func descriptorsAreClosedToChildren() throws {
    let fixture = try InputFixture()
    let connection = try System.connection()
    let file = try Descriptor(reading: fixture.write("a"), doing: "testing")
    let input = try Descriptor.standardInput(doing: "testing")
    let numbers = [
      connection.ours.number, connection.theirs.number, file.number, input.number,
    ]
    for number in numbers {
      #expect(number >= Descriptor.firstFree)
      #expect(fcntl(number, F_GETFD) & FD_CLOEXEC == FD_CLOEXEC)
    }
  }

  @Test func errorsSayWhatWhereAndWhatNext() throws {
    let failure = #expect(throws: Failure.self) {
      _ = try System.status(of: "/nowhere/at all", doing: "looking at")
    }
    #expect(
      failure?.message
        == "looking at /nowhere/at all: No such file or directory; check the spelling of the path")
    #expect(SystemError(code: EACCES).words == "Permission denied")
  }

  @Test func namesMustBeUTF8() throws {
    let fixture = try InputFixture()
    try fixture.write("ok.json")
    #expect(try System.names(in: fixture.path, doing: "listing") == ["ok.json"])
    let bad = fixture.path.utf8CString.dropLast() + [0x2F, -1, 0]
    let opened = unsafe open(Array(bad), O_CREAT | O_WRONLY, 0o600)
    #expect(opened >= 0)
    close(opened)
    let failure = #expect(throws: Failure.self) {
      try System.names(in: fixture.path, doing: "listing")
    }
    #expect(failure?.kind == .io && failure?.advice == "rename that file")
  }

  @Test func closedEndIsToldWithoutASignal() throws {
    let connection = try System.connection()
    let ours = connection.keepOurs()
    #expect(try ours.offer(ByteView("x")) == nil)
  }

  @Test func childrenAreCollected() throws {
    let quiet = try System.connection()
    let child = try ChildProcess(
      "sh", ["-c", "exit 7"], input: quiet.theirs, output: quiet.theirs, errors: quiet.theirs)
    #expect(try child.wait() == .exit(7))
    var forgotten: ChildProcess? = try ChildProcess(
      "sleep", ["1000"], input: quiet.theirs, output: quiet.theirs, errors: quiet.theirs)
    let id = try #require(forgotten?.id)
    forgotten = nil
    #expect(kill(id, 0) == -1 && errno == ESRCH)
  }
}
