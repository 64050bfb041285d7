@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// Faults of the system during a whole run that reads a plain, a gzip and a zstd log, continues
/// from a previous output, and replaces an earlier one (docs/reference/file-formats.md).
///
/// In processes of their own, so that open files and children can be counted.
@Suite struct RunFaultTests {
  private static func job() throws -> FaultyJob {
    let fixture = try RunFixture()
    try fixture.log([Sample.event("u", "old", id: "7")], "logs/a.ndjson")
    try fixture.run(["logs"], to: "previous") { $0.snapshot.dedupeDays = 3 }
    try fixture.run(["logs"], to: "earlier")
    let lines = (0..<30).map { Sample.event("user-\($0 % 9)", "event_\($0 % 4)", id: "\($0)") }
    try fixture.log(lines + ["{"], "logs/a.ndjson")
    try fixture.log([Sample.event("user-1", "from_b"), "no JSON"], "logs/b.ndjson")
    let zipped = try RunProcess.bash("gzip logs/b.ndjson", directory: fixture.scratch)
    try #require(zipped.status == 0)
    try fixture.compressedLog(
      Array("\(Sample.event("user-2", "from_c"))\n".utf8), "logs/c.ndjson.zst")
    return try FaultyJob(fixture) { control, jobs throws(Failure) in
      var options = fixture.options(["logs"], to: "out", after: "previous")
      options.publish.replace = true
      options.snapshot.dedupeDays = 3
      options.read.jobs = jobs
      return try fixture.run(options, control: control).warning
    }
  }

  @Test func anErrorAtEveryCall() async {
    await #expect(processExitsWith: .success) {
      let job = try RunFaultTests.job()
      try job.failOnce(every: 5)
      try job.expectNothingOpen()
    }
  }

  @Test func anErrorThatLasts() async {
    await #expect(processExitsWith: .success) {
      let job = try RunFaultTests.job()
      try job.failForGood(every: 35)
      try job.expectNothingOpen()
    }
  }

  @Test func interruptionsAndShortTransfers() async {
    await #expect(processExitsWith: .success) {
      let job = try RunFaultTests.job()
      for jobs in [1, 3] { try job.interrupt(jobs: jobs) }
      try job.expectNothingOpen()
    }
  }
}
