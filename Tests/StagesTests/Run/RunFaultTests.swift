@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// Faults of the system during a whole run, and during each step of its two halves
/// (docs/reference/file-formats.md).
///
/// In processes of their own, so that open files and children can be counted.
@Suite struct RunFaultTests {
  /// A run that reads a plain, a gzip and a zstd log, continues from a previous output, and
  /// replaces an earlier one.
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

  enum Fault: CaseIterable, Codable { case once, forGood, interruption }

  @Test(arguments: Fault.allCases)
  func faultsOfARun(_ fault: Fault) async {
    await #expect(processExitsWith: .success) { [fault] in
      let job = try RunFaultTests.job()
      switch fault {
      case .once: try job.failOnce(every: 5)
      case .forGood: try job.failForGood(every: 35)
      case .interruption: for jobs in [1, 3] { try job.interrupt(jobs: jobs) }
      }
      try job.expectNothingOpen()
    }
  }

  enum Step: CaseIterable, Codable { case partial, installations, unchanged, people, finish }

  @Test(arguments: Step.allCases)
  func faultsOfAStep(_ step: Step) async {
    await #expect(processExitsWith: .success) { [step] in
      let job = try RunFaultTests.job(step)
      try job.failOnce(every: step == .partial ? 5 : 15)
      try job.failForGood(every: 90)
      try job.interrupt(lengths: [7])
      try job.expectNothingOpen()
    }
  }

  /// A step on small logs that replaces its result for an earlier one. The last step replaces
  /// the partitions instead.
  private static func job(_ step: Step) throws -> FaultyJob {
    let runs = try PartialRuns()
    let fixture = runs.fixture
    try fixture.log([Sample.event("u", "old", id: "7")], "night.ndjson")
    try fixture.run(["night.ndjson"], to: "night") { $0.snapshot.dedupeDays = 3 }
    try fixture.log(
      (0..<9).map { Sample.event("user-\($0 % 4)", "event_\($0 % 2)", id: "\($0)") } + ["{"],
      "a.ndjson")
    try fixture.compressedLog(Array("\(Sample.event("u", "from_b"))\n".utf8), "b.ndjson.zst")
    try fixture.log([Sample.event("u", "earlier", id: "8")], "earlier.ndjson")
    let inputs = ["a.ndjson", "b.ndjson.zst"]
    func merge(
      _ step: MergeStep, _ partial: String, to output: String, control: JobControl = JobControl()
    ) throws(Failure) -> Failure? {
      try runs.merge(0, step: step, [partial], to: output, control: control) {
        $0.merge.previous = fixture.scratch("night")
        $0.snapshot.dedupeDays = 3
      }.warning
    }
    try runs.partial(["earlier.ndjson"], to: "earlier-partial")
    try runs.partial(inputs, to: "partial")
    _ = try merge(.installations, "earlier-partial", to: "earlier-installations")
    _ = try merge(.installations, "partial", to: "earlier-people")
    try fixture.scratch.copy("earlier-people", to: "earlier-unchanged")
    _ = try merge(.unchanged, "partial", to: "earlier-people")
    try fixture.scratch.copy("earlier-people", to: "earlier-finish")
    _ = try merge(.people, "partial", to: "earlier-finish")
    return try FaultyJob(fixture, replacing: "earlier-\(step)") { control, _ throws(Failure) in
      switch step {
      case .partial:
        try runs.partial(inputs, to: "out", control: control) { $0.publish.replace = true }.warning
      case .installations: try merge(.installations, "partial", to: "out", control: control)
      case .unchanged: try merge(.unchanged, "partial", to: "out", control: control)
      case .people: try merge(.people, "partial", to: "out", control: control)
      case .finish:
        try runs.finish("out", control: control) { $0.publish.replace = true }?.warning
      }
    }
  }
}
