import Foundation
@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// Every system call of an erasure, and of a run that reads its inputs twice, fails once, is
/// interrupted, or transfers fewer bytes than requested. The result is either the same bytes, or a
/// failure that leaves the earlier output unchanged. An erasure is never partial.
@Suite struct EraseFaultTests {
  private enum Job: String, CaseIterable {
    case erase
    case honorOptOut = "honor"
  }

  private static let errors = [EIO, ENOSPC, EMFILE, ENOMEM, EACCES]
  private static let names = ["earlier", "logs", "night", "requests.ndjson"]

  private let fixture: RunFixture
  private let earlier: [String: [UInt8]]
  private var expected: [Job: [String: [UInt8]]] = [:]

  init() throws {
    fixture = try RunFixture()
    try fixture.log([Sample.event("u", "old")], "logs/a.ndjson")
    try fixture.run(["logs"], to: "earlier")
    earlier = try fixture.bytes(of: "earlier")
    func word(_ phone: Int, _ isOut: Bool) -> String {
      "{\"identifiers\":{\"installation_id\":\"phone-\(phone)\"},\"time\":\"2024-05-02T00:00:00Z\","
        + "\"opted_out\":\(isOut)}"
    }
    try fixture.log(
      (0..<20).map {
        "{\"identifiers\":{\"custom_id\":\"user-\($0 % 7)\",\"installation_id\":\"phone-\($0 % 5)\"},"
          + "\"events\":[{\"name\":\"e\($0 % 3)\",\"time\":\"2024-05-0\(1 + $0 % 4)T00:00:00Z\"}]}"
      } + [word(1, true), word(2, true), word(2, false), #"{"custom_id":"user-1""#, "{"],
      "logs/a.ndjson")
    try fixture.compressedLog(Array("\(Sample.event("user-1", "z"))\n".utf8), "logs/b.ndjson.zst")
    try fixture.log(
      [#"{"custom_id":"user-1"}"#, #"{"installation_id":"phone-2","forever":true}"#],
      "requests.ndjson")
    try fixture.run(["logs"], to: "night") { $0.snapshot.partitions = 2 }
    for job in Job.allCases {
      try run(job, to: "expected", JobControl())
      expected[job] = try repeatable("expected")
      try fixture.scratch.remove("expected")
    }
  }

  private func repeatable(_ output: String) throws -> [String: [UInt8]] {
    try fixture.bytes(of: output).filter { !RunFiles.reports.contains($0.key) }
  }

  @discardableResult
  private func run(
    _ job: Job, to output: String, _ control: JobControl, jobs: Int = 1
  ) throws(Failure) -> Failure? {
    var options = fixture.options([job == .erase ? "night" : "logs"], to: output)
    options.publish.replace = true
    options.read.jobs = jobs
    guard job == .erase else {
      options.merge.honorsOptOut = true
      return try fixture.run(options, control: control).warning
    }
    options.merge.erasureRequests = fixture.scratch("requests.ndjson")
    return try EraseJob(
      fixture.scratch("night"), options: options, control: control
    ).run().warnings.first
  }

  /// Does the job with the faults that `fault` gives for the number of each call, and returns how
  /// many calls there were.
  @discardableResult
  private func attempt(
    _ job: Job, _ label: String, mustSucceed: Bool = false, lasts: Bool = false, jobs: Int = 1,
    _ fault: @escaping @Sendable (Int) -> System.Fault?
  ) throws -> Int {
    if !fixture.scratch.has("out") {
      try FileManager.default.copyItem(
        atPath: fixture.scratch("earlier"), toPath: fixture.scratch("out"))
    }
    let calls = Locked<[System.Call]>([])
    let system = System(recording: calls, fault)
    var warning: Failure?
    var failure: Failure?
    do throws(Failure) {
      warning = try run(job, to: "out", JobControl(system: system), jobs: jobs)
    } catch {
      failure = error
    }
    let text = "\(job.rawValue), \(label): \(failure?.message ?? "done")"
    if let failure {
      #expect(!mustSucceed, "\(text)")
      #expect(failure.kind == .io && failure.path != nil && !failure.advice.isEmpty, "\(text)")
      let isStuck = lasts && failure.advice.contains("is the new output and complete")
      #expect(
        try isStuck ? repeatable("out") == expected[job] : fixture.bytes(of: "out") == earlier,
        "\(text)")
    } else {
      #expect(try repeatable("out") == expected[job], "\(text)")
      try fixture.scratch.remove("out")
    }
    let left = Set(try fixture.scratch.names()).subtracting(Self.names).subtracting(["out"])
    #expect(lasts || left.isSubset(of: [".out.lock"]) || warning != nil, "\(text) \(left.sorted())")
    for name in left { try fixture.scratch.remove(name) }
    return calls.withLock { $0.count }
  }

  @Test(arguments: ["erase", "honor"])
  func anErrorAtEveryCall(name: String) throws {
    let job = try #require(Job(rawValue: name))
    let count = try attempt(job, "undisturbed", mustSucceed: true) { _ in nil }
    #expect(count > 50)
    let seed = Int.random(in: 0..<Self.errors.count)
    for number in Effort.numbers(below: count, every: 5) {
      let error = Self.errors[(number + seed) % Self.errors.count]
      try attempt(job, "call \(number), seed \(seed)") { $0 == number ? .error(error) : nil }
    }
    // The disk is full, or gone, for good.
    for number in stride(from: seed, to: count, by: Effort.isFull ? 17 : 85) {
      try attempt(job, "from call \(number) on", lasts: true) {
        $0 >= number ? .error(number % 2 == 0 ? ENOSPC : EIO) : nil
      }
    }
  }

  @Test(arguments: [1, 3])
  func interruptionsAndShortTransfers(jobs: Int) throws {
    for job in Job.allCases {
      for turn in 0...1 {
        try attempt(job, "interrupted, turn \(turn)", mustSucceed: true, jobs: jobs) {
          $0 % 2 == turn ? .error(EINTR) : nil
        }
      }
      for length in [1, 100] {
        try attempt(job, "\(length) bytes at a time", mustSucceed: true, jobs: jobs) { _ in
          .short(length)
        }
      }
    }
  }
}
