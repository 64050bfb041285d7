import Foundation
import TestSupport
import Testing

/// The process runner that the tests of commands use.
@Suite struct RunProcessTests {
  /// The guides show `zstd … | head`, and a `zstd` that was told to ignore the signal complains.
  @Test func aClosedPipeEndsAChildThoughThisProcessIgnoresTheSignal() throws {
    signal(SIGPIPE, SIG_IGN)
    let result = try RunProcess.bash("yes | head -1; echo ${PIPESTATUS[0]}")
    #expect(result.lines == ["y", "\(128 + SIGPIPE)"])
    #expect(result.errors.isEmpty)
  }
}
