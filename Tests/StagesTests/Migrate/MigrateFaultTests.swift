import Foundation
@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// Every system call of a migration fails once, is interrupted, or moves less than it was asked to:
/// the result is the same bytes, or a failure that leaves the earlier output as it was.
@Suite struct MigrateFaultTests {
  private static let errors = [EIO, ENOSPC, EMFILE, ENOMEM, EACCES]

  private let fixture: RunFixture
  private let earlier: [String: [UInt8]]
  private let expected: [String: [UInt8]]

  init() throws {
    fixture = try RunFixture()
    try fixture.log([Sample.event("u", "old")], "old/x.ndjson")
    try fixture.migrate(["old"], to: "earlier")
    earlier = try fixture.bytes(of: "earlier")
    try fixture.log((0..<20).map { Sample.event("u-\($0)", "e") } + ["{"], "logs/a/a.ndjson")
    try fixture.compressedLog(Array("\(Sample.event("u", "z"))\n".utf8), "logs/b.ndjson.zst")
    try fixture.migrate(["logs"], to: "expected")
    expected = try fixture.repeatable("expected")
    try fixture.scratch.remove("expected")
    try fixture.scratch.remove("old")
  }

  /// Migrates with the faults that `fault` gives for the number of each call, and returns how many
  /// calls there were.
  @discardableResult
  private func migrate(
    _ label: String, mustSucceed: Bool = false, jobs: Int = 1,
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
      warning = try fixture.migrate(
        ["logs"], to: "out", control: JobControl(system: system)
      ) { options in
        options.publish.replace = true
        options.read.jobs = jobs
      }.warning
    } catch {
      failure = error
    }
    let text = "\(label): \(failure?.message ?? "done")"
    if let failure {
      #expect(!mustSucceed, "\(text)")
      #expect(failure.kind == .io && failure.path != nil && !failure.advice.isEmpty, "\(text)")
      #expect(try fixture.bytes(of: "out") == earlier, "\(text)")
    } else {
      #expect(try fixture.repeatable("out") == expected, "\(text)")
      try fixture.scratch.remove("out")
    }
    // A checkpoint stays when the migration failed, and what could not be removed.
    let left = Set(try fixture.scratch.names()).subtracting(["earlier", "logs", "out"])
    #expect(left.isSubset(of: [".out.resume", ".out.lock"]) || warning != nil, "\(text) \(left)")
    #expect(failure != nil || warning != nil || !left.contains(".out.resume"), "\(text)")
    for name in left { try fixture.scratch.remove(name) }
    return calls.withLock { $0.count }
  }

  @Test func anErrorAtEveryCall() throws {
    let count = try migrate("undisturbed", mustSucceed: true) { _ in nil }
    let seed = Int.random(in: 0..<Self.errors.count)
    for number in Effort.numbers(below: count, every: 5) {
      let error = Self.errors[(number + seed) % Self.errors.count]
      try migrate("call \(number), seed \(seed)") { $0 == number ? .error(error) : nil }
    }
  }

  @Test(arguments: [1, 3])
  func interruptionsAndShortTransfers(jobs: Int) throws {
    for turn in 0...1 {
      try migrate("interrupted, turn \(turn)", mustSucceed: true, jobs: jobs) {
        $0 % 2 == turn ? .error(EINTR) : nil
      }
    }
    for length in [1, 7, 100] {
      try migrate("\(length) bytes at a time", mustSucceed: true, jobs: jobs) { _ in
        .short(length)
      }
    }
  }

  /// Where a file can have one name only, it is moved.
  @Test func aFileSystemWithoutLinks() throws {
    let system = System { $0 == .link ? .error(EPERM) : nil }
    try fixture.migrate(["logs"], to: "moved", control: JobControl(system: system))
    #expect(try fixture.repeatable("moved") == expected)
    try fixture.scratch.remove("moved")
    #expect(try fixture.scratch.names() == ["earlier", "logs"])
  }
}
