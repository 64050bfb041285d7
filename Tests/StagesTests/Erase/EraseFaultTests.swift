import Foundation
@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// Faults of the system during an erasure, which is never partial, and during a run that reads its
/// inputs twice.
@Suite struct EraseFaultTests {
  enum Job: CaseIterable { case erase, honorOptOut }

  private func fixture() throws -> RunFixture {
    let fixture = try RunFixture()
    try fixture.log([Sample.event("u", "old")], "logs/a.ndjson")
    try fixture.run(["logs"], to: "earlier")
    let words = [(1, true), (2, true), (2, false)].map { phone, isOut in
      DeviceHistory.record(nil, "phone-\(phone)", 24, "\"opted_out\":\(isOut)")
    }
    try fixture.log(
      (0..<20).map {
        "{\"identifiers\":{\"custom_id\":\"user-\($0 % 7)\",\"installation_id\":\"phone-\($0 % 5)\"},"
          + "\"events\":[{\"name\":\"e\($0 % 3)\",\"time\":\"2024-05-0\(1 + $0 % 4)T00:00:00Z\"}]}"
      } + words + [#"{"custom_id":"user-1""#, "{"],
      "logs/a.ndjson")
    try fixture.compressedLog(Array("\(Sample.event("user-1", "z"))\n".utf8), "logs/b.ndjson.zst")
    try fixture.log(
      [#"{"custom_id":"user-1"}"#, #"{"installation_id":"phone-2","forever":true}"#],
      "requests.ndjson")
    try fixture.run(["logs"], to: "night") { $0.snapshot.partitions = 2 }
    return fixture
  }

  private func job(_ job: Job) throws -> FaultyJob {
    let fixture = try fixture()
    return try FaultyJob(fixture) { control, jobs throws(Failure) in
      var options = fixture.options([job == .erase ? "night" : "logs"], to: "out")
      options.publish.replace = true
      options.read.jobs = jobs
      guard job == .erase else {
        options.merge.honorsOptOut = true
        return try fixture.run(options, control: control).warning
      }
      options.merge.erasureRequests = fixture.scratch("requests.ndjson")
      return try EraseJob(fixture.scratch("night"), options: options, control: control)
        .run().warnings.first
    }
  }

  @Test(arguments: Job.allCases)
  func anErrorAtEveryCall(_ job: Job) throws {
    let job = try self.job(job)
    try job.failOnce(every: 5)
    try job.failForGood(every: 85)
  }

  @Test(arguments: Job.allCases)
  func interruptionsAndShortTransfers(_ job: Job) throws {
    let job = try self.job(job)
    for jobs in [1, 3] { try job.interrupt(jobs: jobs, lengths: [1, 100]) }
  }

  /// Before all copies are complete none has its name, and later each one is whole.
  @Test func anErrorAtEveryCallWithTwoOutputs() throws {
    let fixture = try fixture()
    let names = ["night", "other"]
    try fixture.scratch.copy(names[0], to: names[1])
    let before = try fixture.scratch.names()
    func erase(_ control: JobControl) -> Failure? {
      var options = fixture.options([], to: "out")
      options.merge.erasureRequests = fixture.scratch("requests.ndjson")
      let job = EraseJob(
        names.map { EraseJob.Target(fixture.scratch($0), to: fixture.scratch("out/\($0)")) },
        in: fixture.scratch("out"), options: options, control: control)
      return Failure.of(try job.run())
    }
    let calls = Locked(0)
    let counting = System { _ in
      calls.withLock { $0 += 1 }
      return nil
    }
    #expect(erase(JobControl(system: counting)) == nil)
    let count = calls.withLock { $0 }
    let expected = try fixture.repeatable("out/night")
    #expect(count > 200 && !expected.isEmpty)
    for number in Effort.numbers(below: count, every: 5) {
      try? fixture.scratch.remove("out")
      calls.withLock { $0 = -1 }
      let control = JobControl(
        system: System { _ in
          calls.withLock { calls in
            calls += 1
            return calls == number ? .error(EIO) : nil
          }
        })
      let failure = erase(control)
      let published = names.filter { fixture.scratch.has("out/\($0)") }
      for name in published { #expect(try fixture.repeatable("out/\(name)") == expected) }
      if failure == nil {
        #expect(published == names, "call \(number)")
      } else {
        #expect(
          published.isEmpty || control.isPublishing, "call \(number): \(failure?.message ?? "")")
        // An unused lock file may be left.
        #expect(
          !published.isEmpty || !fixture.scratch.has("out") || failure?.doing == "locking",
          "call \(number): \(failure?.message ?? "")")
      }
    }
    try? fixture.scratch.remove("out")
    #expect(try fixture.scratch.names() == before)
  }
}
