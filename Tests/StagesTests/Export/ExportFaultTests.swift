import Foundation
import Pipeline
import Stages
import TestSupport
import Testing

@testable import Jobs

/// Every system call of an export fails once, is interrupted, or moves less than it was asked to:
/// the result is the same bytes, or a failure that leaves the earlier tables as they were.
@Suite struct ExportFaultTests {
  private static let errors = [EIO, ENOSPC, EMFILE, ENOMEM, EACCES]

  private let fixture: RunFixture
  private let earlier: [String: [UInt8]]
  private let expected: [String: [UInt8]]

  init() throws {
    fixture = try RunFixture()
    try fixture.log([Sample.event("u", "old")], "log.ndjson")
    try fixture.run(["log.ndjson"], to: "old")
    try fixture.log((0..<20).map { Sample.event("u-\($0)", "e") }, "log.ndjson")
    try fixture.run(["log.ndjson"], to: "out") { $0.snapshot.partitions = 2 }
    for (output, tables) in [("old", "earlier"), ("out", "expected")] {
      _ = try ExportJob(
        fixture.scratch(output), format: .csv, options: fixture.options([], to: tables),
        control: JobControl()
      ).run()
    }
    earlier = try fixture.bytes(of: "earlier")
    expected = try fixture.bytes(of: "expected")
  }

  /// Exports with the faults that `fault` gives for the number of each call, and returns how many
  /// calls there were.
  @discardableResult
  private func export(
    _ label: String, mustSucceed: Bool = false, jobs: Int = 1,
    _ fault: @escaping @Sendable (Int) -> System.Fault?
  ) throws -> Int {
    if !fixture.scratch.has("tables") {
      try FileManager.default.copyItem(
        atPath: fixture.scratch("earlier"), toPath: fixture.scratch("tables"))
    }
    let calls = Locked<[System.Call]>([])
    let system = System(recording: calls, fault)
    var options = fixture.options([], to: "tables")
    options.publish.replace = true
    options.read.jobs = jobs
    var (warning, failure): (Failure?, Failure?)
    do throws(Failure) {
      warning = try ExportJob(
        fixture.scratch("out"), format: .csv, options: options, control: JobControl(system: system)
      ).run().warning
    } catch {
      failure = error
    }
    let text = "\(label): \(failure?.message ?? "done")"
    if let failure {
      #expect(!mustSucceed && failure.kind == .io && failure.path != nil, "\(text)")
      #expect(try fixture.bytes(of: "tables") == earlier, "\(text)")
    } else {
      #expect(try fixture.bytes(of: "tables") == expected, "\(text)")
      try fixture.scratch.remove("tables")
    }
    let left = Set(try fixture.scratch.names()).subtracting(
      ["log.ndjson", "old", "out", "earlier", "expected", "tables"])
    #expect(left.isSubset(of: [".tables.lock"]) || warning != nil, "\(text) \(left)")
    for name in left { try fixture.scratch.remove(name) }
    return calls.withLock { $0.count }
  }

  @Test func anErrorAtEveryCall() throws {
    let count = try export("undisturbed", mustSucceed: true) { _ in nil }
    let seed = Int.random(in: 0..<Self.errors.count)
    for number in Effort.numbers(below: count, every: 5) {
      let error = Self.errors[(number + seed) % Self.errors.count]
      try export("call \(number), seed \(seed)") { $0 == number ? .error(error) : nil }
    }
  }

  @Test(arguments: [1, 3])
  func interruptionsAndShortTransfers(jobs: Int) throws {
    for turn in 0...1 {
      try export("interrupted, turn \(turn)", mustSucceed: true, jobs: jobs) {
        $0 % 2 == turn ? .error(EINTR) : nil
      }
    }
    for length in [1, 100] {
      try export("\(length) bytes at a time", mustSucceed: true, jobs: jobs) { _ in
        .short(length)
      }
    }
  }
}
