import Foundation
@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// Faults of the system during a migration.
@Suite struct MigrateFaultTests {
  private let fixture: RunFixture

  init() throws {
    fixture = try RunFixture()
    try fixture.log([Sample.event("u", "old")], "old/x.ndjson")
    try fixture.migrate(["old"], to: "earlier")
    try fixture.log((0..<20).map { Sample.event("u-\($0)", "e") } + ["{"], "logs/a/a.ndjson")
    try fixture.compressedLog(Array("\(Sample.event("u", "z"))\n".utf8), "logs/b.ndjson.zst")
    try fixture.scratch.remove("old")
  }

  private func job() throws -> FaultyJob {
    // A checkpoint stays when the migration fails.
    try FaultyJob(fixture, leaving: [".out.resume"]) { [fixture] control, jobs throws(Failure) in
      try fixture.migrate(["logs"], to: "out", control: control) { options in
        options.publish.replace = true
        options.read.jobs = jobs
      }.warning
    }
  }

  @Test func anErrorAtEveryCall() throws { try job().failOnce(every: 5) }

  @Test(arguments: [1, 3])
  func interruptionsAndShortTransfers(jobs: Int) throws { try job().interrupt(jobs: jobs) }

  /// Where a file can have one name only, it is moved.
  @Test func aFileSystemWithoutLinks() throws {
    let system = System { $0 == .link ? .error(EPERM) : nil }
    try fixture.migrate(["logs"], to: "moved", control: JobControl(system: system))
    try fixture.migrate(["logs"], to: "linked")
    #expect(try fixture.repeatable("moved") == fixture.repeatable("linked"))
    #expect(try fixture.scratch.names() == ["earlier", "linked", "logs", "moved"])
  }

  /// A log that has moved is not kept: the second one cannot, and only its input is finished.
  @Test func aLogThatHasMovedIsNotKept() throws {
    let links = Locked(0)
    let system = System { call in
      links.withLock { links in
        if call == .link { links += 1 }
        return call == .link ? .error(EPERM) : call == .move && links == 2 ? .error(EIO) : nil
      }
    }
    let failure = fixture.migrateFailure(
      ["logs"], to: "moved", control: JobControl(system: system))
    #expect(failure?.advice.hasSuffix("are kept: 1; continue with --resume") == true)
    try fixture.migrate(["logs"], to: "moved") { $0.publish.resumes = true }
    try fixture.migrate(["logs"], to: "linked")
    #expect(try fixture.repeatable("moved") == fixture.repeatable("linked"))
  }
}
