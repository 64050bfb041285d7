import Pipeline
import Stages
import TestSupport
import Testing

@testable import Jobs

/// Faults of the system during an export.
@Suite struct ExportFaultTests {
  private func job() throws -> FaultyJob {
    let fixture = try RunFixture()
    func export(
      _ output: String, to tables: String, control: JobControl, jobs: Int = 1
    ) throws(Failure) -> Failure? {
      var options = fixture.options([], to: tables)
      options.publish.replace = true
      options.read.jobs = jobs
      return try ExportJob(
        fixture.scratch(output), format: .csv, options: options, control: control
      ).run().warning
    }
    try fixture.log([Sample.event("u", "old")], "log.ndjson")
    try fixture.run(["log.ndjson"], to: "old")
    try fixture.log((0..<20).map { Sample.event("u-\($0)", "e") }, "log.ndjson")
    try fixture.run(["log.ndjson"], to: "night") { $0.snapshot.partitions = 2 }
    _ = try export("old", to: "earlier", control: JobControl())
    return try FaultyJob(fixture) { control, jobs throws(Failure) in
      try export("night", to: "out", control: control, jobs: jobs)
    }
  }

  @Test func anErrorAtEveryCall() throws { try job().failOnce(every: 5) }

  @Test(arguments: [1, 3])
  func interruptionsAndShortTransfers(jobs: Int) throws {
    try job().interrupt(jobs: jobs, lengths: [1, 100])
  }
}
