@testable import Stages
import Foundation
@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// A migration that dies leaves what it has finished, and `--resume` continues from it.
@Suite struct ArchiveCheckpointConcurrencyTests {
  private let fixture: RunFixture

  init() throws {
    fixture = try RunFixture()
    for (number, name) in ["a", "b", "c"].enumerated() {
      try fixture.log(Sample.log(seed: UInt64(80 + number), count: 30), "logs/\(name).ndjson")
    }
    try fixture.migrate(["logs"], to: "expected")
  }

  /// Killed at any call, the migration continues from there, even after several kills.
  @Test func aKillAnywhereLosesNothing() throws {
    let calls = Locked(0)
    let counting = System { _ in
      calls.withLock { $0 += 1 }
      return nil
    }
    try fixture.migrate(["logs"], to: "out", control: JobControl(system: counting))
    try fixture.scratch.remove("out")
    for number in stride(from: 0, to: calls.withLock { $0 }, by: 11) {
      // From this call on every call fails, including those of the cleanup.
      let left = Locked(number)
      let dying = System { _ in
        left.withLock { left in
          left -= 1
          return left < 0 ? .error(EIO) : nil
        }
      }
      let failure = fixture.migrateFailure(["logs"], to: "out", control: JobControl(system: dying))
      guard failure != nil else {
        // It was published. Files that could not be removed cause a warning; the next run removes
        // them.
        try fixture.scratch.remove("out")
        continue
      }
      #expect(
        !fixture.scratch.has("out") || failure?.advice.contains("is the new output") == true,
        "call \(number): \(failure?.message ?? "")")
      if fixture.scratch.has("out") { try fixture.scratch.remove("out") }
      try fixture.migrate(["logs"], to: "out") { $0.publish.resumes = true }
      #expect(try fixture.repeatable("out") == fixture.repeatable("expected"), "call \(number)")
      try fixture.scratch.remove("out")
      #expect(try fixture.scratch.names() == ["expected", "logs"], "call \(number)")
    }
  }

  @Test func anotherVersionIsRefused() throws {
    try fixture.scratch.write([0x28, 0xB5, 0x2F, 0xFD, 0x20], to: "logs/c.ndjson")
    #expect(fixture.migrateFailure(["logs"], to: "out")?.kind == .corrupt)
    let other = ToolVersion(version: "9.9.9", commit: "", zstd: "")
    let failure = fixture.migrateFailure(["logs"], to: "out", control: JobControl(tool: other)) {
      $0.publish.resumes = true
    }
    #expect(failure?.kind == .usage)
    #expect(failure?.why.hasPrefix("it had version 0.0.0, this one has 9.9.9") == true)
  }
}
