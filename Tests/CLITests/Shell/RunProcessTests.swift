import Foundation
import TestSupport
import Testing

/// What the tests of commands stand on.
@Suite struct RunProcessTests {
  /// The guides show `zstd … | head`, and a `zstd` that was told to ignore the signal complains.
  @Test func aClosedPipeEndsAChildThoughThisProcessIgnoresTheSignal() throws {
    signal(SIGPIPE, SIG_IGN)
    let result = try RunProcess.bash("yes | head -1; echo ${PIPESTATUS[0]}")
    #expect(result.lines == ["y", "\(128 + SIGPIPE)"])
    #expect(result.errors.isEmpty)
  }
}
