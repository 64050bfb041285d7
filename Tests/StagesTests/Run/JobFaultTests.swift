import Foundation
@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// Faults of the system during an erasure, which is never partial, a run that reads its inputs
/// twice, a migration and an export.
@Suite struct JobFaultTests {
  enum Job: CaseIterable { case erase, honorOptOut, migrate, export }

  private let fixture: RunFixture

  /// Logs, an output of them, and requests about some of their people.
  init() throws {
    fixture = try RunFixture()
    try fixture.log([Sample.event("u", "old")], "old/x.ndjson")
    try fixture.run(["old"], to: "old-output")
    let words = [(1, true), (2, true), (2, false)].map { phone, isOut in
      DeviceHistory.record(nil, "phone-\(phone)", 24, "\"opted_out\":\(isOut)")
    }
    try fixture.log(
      (0..<20).map {
        "{\"identifiers\":{\"custom_id\":\"user-\($0 % 7)\",\"installation_id\":\"phone-\($0 % 5)\"},"
          + "\"events\":[{\"name\":\"e\($0 % 3)\",\"time\":\"2024-05-0\(1 + $0 % 4)T00:00:00Z\"}]}"
      } + words + [#"{"custom_id":"user-1""#, "{"],
      "logs/a/a.ndjson")
    try fixture.compressedLog(Array("\(Sample.event("user-1", "z"))\n".utf8), "logs/b.ndjson.zst")
    try fixture.log(
      [#"{"custom_id":"user-1"}"#, #"{"installation_id":"phone-2","forever":true}"#],
      "requests.ndjson")
    try fixture.run(["logs"], to: "night") { $0.snapshot.partitions = 2 }
  }

  private func faulty(_ job: Job) throws -> FaultyJob {
    switch job {
    case .erase, .honorOptOut: try fixture.scratch.copy("old-output", to: "earlier")
    case .migrate: try fixture.migrate(["old"], to: "earlier")
    case .export: _ = try export("old-output", to: "earlier", JobControl(), jobs: 1)
    }
    // A checkpoint stays when a migration fails.
    let resumes = job == .migrate ? [".out.resume"] : []
    return try FaultyJob(fixture, leaving: resumes, work(job))
  }

  private func work(_ job: Job) -> FaultyJob.Job {
    { [self] control, jobs throws(Failure) in
      var options = fixture.options(["logs"], to: "out")
      options.publish.replace = true
      options.read.jobs = jobs
      options.merge.honorsOptOut = job == .honorOptOut
      switch job {
      case .erase:
        options.merge.erasureRequests = fixture.scratch("requests.ndjson")
        return try EraseJob(fixture.scratch("night"), options: options, control: control)
          .run().warnings.first
      case .honorOptOut: return try fixture.run(options, control: control).warning
      case .migrate:
        return try fixture.migrate(["logs"], to: "out", control: control) {
          $0.publish.replace = true
          $0.read.jobs = jobs
        }.warning
      case .export: return try export("night", to: "out", control, jobs: jobs)
      }
    }
  }

  private func export(
    _ output: String, to tables: String, _ control: JobControl, jobs: Int
  ) throws(Failure) -> Failure? {
    var options = fixture.options([], to: tables)
    options.publish.replace = true
    options.read.jobs = jobs
    return try ExportJob(fixture.scratch(output), format: .csv, options: options, control: control)
      .run().warning
  }

  @Test(arguments: Job.allCases)
  func anErrorAtEveryCall(_ job: Job) throws {
    let faulty = try faulty(job)
    try faulty.failOnce(every: 5)
    if [.erase, .honorOptOut].contains(job) { try faulty.failForGood(every: 85) }
  }

  @Test(arguments: Job.allCases, [1, 3])
  func interruptionsAndShortTransfers(_ job: Job, jobs: Int) throws {
    try faulty(job).interrupt(jobs: jobs, lengths: job == .migrate ? [1, 7, 100] : [1, 100])
  }

  /// A job comes past the phases that it has planned, and the share of each but the last is known.
  @Test(arguments: Job.allCases)
  func progress(_ job: Job) throws {
    let running = Locked<JobControl?>(nil)
    let seen = Locked<[(phase: JobPhase, share: Double?)]>([])
    let control = JobControl(
      system: System { _ in
        if let control = running.withLock({ $0 }) {
          seen.withLock { seen in
            let (phase, share) = (control.phase, control.phaseShare)
            if seen.last?.phase != phase { seen.append((phase, nil)) }
            seen[seen.count - 1].share = share ?? seen[seen.count - 1].share
          }
        }
        return nil
      })
    running.withLock { $0 = control }
    _ = try work(job)(control, 1)
    running.withLock { $0 = nil }
    let phases = seen.withLock { $0 }
    #expect(phases.map(\.phase) == control.phases && control.phase == .publishing)
    #expect(phases.dropLast().allSatisfy { $0.share ?? 0 > 0.5 }, "\(phases)")
  }

  /// Where a file can have one name only, it is moved.
  @Test func aFileSystemWithoutLinks() throws {
    let names = try fixture.scratch.names()
    let system = System { $0 == .link ? .error(EPERM) : nil }
    try fixture.migrate(["logs"], to: "moved", control: JobControl(system: system))
    try fixture.migrate(["logs"], to: "linked")
    #expect(try fixture.repeatable("moved") == fixture.repeatable("linked"))
    try fixture.expectOnly(names + ["linked", "moved"])
  }

  /// Before all copies are complete none has its name, and later each one is whole.
  @Test func anErrorAtEveryCallWithThreeOutputs() throws {
    let names = ["night", "other", "third"]
    for name in names.dropFirst() { try fixture.scratch.copy(names[0], to: name) }
    let before = try fixture.scratch.names()
    func erase(_ control: JobControl) -> Failure? {
      var options = fixture.options([], to: "out")
      options.merge.erasureRequests = fixture.scratch("requests.ndjson")
      let job = EraseJob(
        names.map { (fixture.scratch($0), fixture.scratch("out/\($0)")) },
        inFolder: true, options: options, control: control)
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
    var failedAfter: Set<Int> = []
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
        if !published.isEmpty, published != names {
          let already =
            published.count > 1
            ? "out/third and 1 more are published already" : "out/third is published already"
          #expect(failure?.advice.contains(already) == true)
          failedAfter.insert(published.count)
        }
        // An unused lock file may be left.
        #expect(
          !published.isEmpty || !fixture.scratch.has("out") || failure?.doing == "locking",
          "call \(number): \(failure?.message ?? "")")
      }
    }
    #expect(failedAfter == [1, 2])
    try? fixture.scratch.remove("out")
    #expect(try fixture.scratch.names() == before)
  }

  /// Whenever an output is exchanged, a job reads all of the one or of the other. It may fail if
  /// that is not a link, which is followed once.
  @Test(arguments: [(Job.erase, true), (.export, true), (.erase, false)])
  func anExchangedOutput(_ job: Job, isLink: Bool) throws {
    let (scratch, link) = (fixture.scratch, fixture.scratch("night"))
    try scratch.move("night", to: "one")
    try fixture.run(["old"], to: "two", after: "one") { $0.snapshot.partitions = 2 }
    @Sendable func point(to name: String) throws {
      if !isLink, scratch.has("night") { try scratch.move("night", to: "gone") }
      if isLink { try scratch.link("new", to: name) } else { try scratch.copy(name, to: "new") }
      unsafe rename(scratch("new"), link)
    }
    let calls = Locked((count: 0, exchange: -1))
    let system = System { _ in
      calls.withLock { calls in
        if calls.count == calls.exchange { #expect(throws: Never.self) { try point(to: "two") } }
        calls.count += 1
      }
      return nil
    }
    /// What the job makes of `name`, which is exchanged at a call; nil if it fails.
    func result(_ name: String, exchange: Int) throws -> [String: [UInt8]]? {
      try point(to: name)
      calls.withLock { $0 = (0, exchange) }
      let failure = Failure.of(try work(job)(JobControl(system: system), 1))
      #expect(
        failure == nil || !isLink && exchange >= 0, "call \(exchange): \(failure?.message ?? "")")
      for name in ["gone", "night"] { try? scratch.remove(name) }
      defer { try? scratch.remove("out") }
      return failure == nil ? try fixture.bytes(of: "out") : nil
    }
    let expected = try ["two", "one"].map { try result($0, exchange: -1) }
    for number in Effort.numbers(below: calls.withLock { $0.count }, every: 3) {
      guard let made = try result("one", exchange: number) else { continue }
      let isWhole = expected.contains(made)
      #expect(isWhole, "call \(number)")
    }
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
