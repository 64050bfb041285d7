import Foundation
@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// Every system call of a whole run fails once, is interrupted, or transfers fewer bytes than
/// requested (docs/reference/file-formats.md). The result is either the same bytes, or a failure
/// that leaves the earlier output unchanged.
///
/// In processes of their own, so that open files and children can be counted.
@Suite struct RunFaultTests {
  @Test func anErrorAtEveryCall() async {
    await #expect(processExitsWith: .success) {
      let runs = try FaultyRuns()
      let seed = Int.random(in: 0..<FaultyRuns.errors.count)
      for number in Effort.numbers(below: try runs.undisturbed(), every: 5) {
        let error = FaultyRuns.errors[(number + seed) % FaultyRuns.errors.count]
        try runs.run("call \(number), seed \(seed)") { $0 == number ? .error(error) : nil }
      }
      try runs.expectNothingOpen()
    }
  }

  /// The disk fails permanently. The next run removes what this one could not remove.
  @Test func anErrorThatLasts() async {
    await #expect(processExitsWith: .success) {
      let runs = try FaultyRuns()
      let step = Effort.isFull ? 7 : 35
      for number in stride(from: Int.random(in: 0..<step), to: try runs.undisturbed(), by: step) {
        try runs.run("from call \(number) on", lasts: true) { $0 >= number ? .error(EIO) : nil }
        _ = try runs.undisturbed()
      }
      try runs.expectNothingOpen()
    }
  }

  @Test func interruptionsAndShortTransfers() async {
    await #expect(processExitsWith: .success) {
      let runs = try FaultyRuns()
      for jobs in [1, 3] {
        for turn in 0...1 {
          try runs.run("interrupted, turn \(turn)", jobs: jobs, mustSucceed: true) {
            $0 % 2 == turn ? .error(EINTR) : nil
          }
        }
        for length in [1, 7, 100] {
          try runs.run("\(length) bytes at a time", jobs: jobs, mustSucceed: true) { _ in
            .short(length)
          }
        }
      }
      try runs.expectNothingOpen()
    }
  }
}

/// Runs of one small job under faults of the system. The job reads a plain, a gzip and a zstd log,
/// continues from a previous output, and replaces an earlier one.
private final class FaultyRuns {
  /// What a call fails with; its number and a seed say which.
  static let errors = [EIO, ENOSPC, EMFILE, ENOMEM, EACCES]

  private static let names = ["earlier", "logs", "out", "previous"]

  private let fixture: RunFixture
  /// The files of the output before a run, and after one that succeeds.
  private let earlier: [String: [UInt8]]
  private let expected: [String: [UInt8]]
  private let openBefore: [String]
  /// The calls of the run under way.
  private let calls = Locked<[System.Call]>([])

  init() throws {
    fixture = try RunFixture()
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
    earlier = try fixture.bytes(of: "earlier")
    try fixture.run(FaultyRuns.options(fixture, "expected", jobs: 1))
    expected = try FaultyRuns.repeatable(fixture.bytes(of: "expected"))
    try fixture.scratch.remove("expected")
    openBefore = try FaultyRuns.openFiles()
  }

  private static func options(_ fixture: RunFixture, _ output: String, jobs: Int) -> RunOptions {
    var options = fixture.options(["logs"], to: output)
    options.merge.previous = fixture.scratch("previous")
    options.publish.replace = true
    options.snapshot.dedupeDays = 3
    options.read.jobs = jobs
    return options
  }

  /// All files but those that no two runs have in common.
  private static func repeatable(_ files: [String: [UInt8]]) -> [String: [UInt8]] {
    files.filter { !RunFiles.reports.contains($0.key) }
  }

  /// Runs without a fault, and returns how many calls that took.
  func undisturbed() throws -> Int {
    try run("undisturbed", mustSucceed: true) { _ in nil }
    return calls.withLock { $0.count }
  }

  /// Runs with the faults that `fault` gives for the number of each call, and checks what is left.
  /// - Parameter lasts: whether what is left can be as little removed as anything else.
  func run(
    _ label: String, jobs: Int = 1, mustSucceed: Bool = false, lasts: Bool = false,
    _ fault: @escaping @Sendable (Int) -> System.Fault?
  ) throws {
    if !fixture.scratch.has("out") {
      try FileManager.default.copyItem(
        atPath: fixture.scratch("earlier"), toPath: fixture.scratch("out"))
    }
    calls.withLock { $0 = [] }
    let calls = calls
    let faulty = Locked<System.Call?>(nil)
    let system = System { call in
      let number = calls.withLock { calls in
        calls.append(call)
        return calls.count - 1
      }
      guard let fault = fault(number) else { return nil }
      faulty.withLock { $0 = $0 ?? call }
      return fault
    }
    let options = FaultyRuns.options(fixture, "out", jobs: jobs)
    var warning: Failure?
    var failure: Failure?
    do throws(Failure) {
      warning = try fixture.run(options, control: JobControl(system: system)).warning
    } catch {
      failure = error
    }
    let call = faulty.withLock { $0 }
    let text = "\(label), \(call.map { "\($0)" } ?? "no fault"): \(failure?.message ?? "done")"
    if let failure {
      #expect(!mustSucceed, "\(text)")
      #expect(failure.kind == .io && failure.path != nil && !failure.advice.isEmpty, "\(text)")
      let files = try fixture.bytes(of: "out")
      // A published output that could not be rolled back is the new output; the message says so.
      let isStuck = lasts && failure.advice.contains("is the new output and complete")
      #expect(isStuck ? FaultyRuns.repeatable(files) == expected : files == earlier, "\(text)")
    } else {
      let isExpected = try FaultyRuns.repeatable(fixture.bytes(of: "out")) == expected
      #expect(isExpected, "\(text)")
      try fixture.scratch.remove("out")
    }
    let left = Set(try fixture.scratch.names()).subtracting(FaultyRuns.names)
    guard !left.isEmpty, !lasts else { return }
    // An unused lock file may be left. A replaced output may be left with a warning.
    let isLock =
      left == [".out.lock"]
      && (call == .removeFile || call == .status || failure?.doing == "locking")
    #expect(isLock || warning != nil, "\(text); left: \(left.sorted())")
    for name in left { try fixture.scratch.remove(name) }
  }

  /// Checks that no run has left a file open or a child uncollected.
  func expectNothingOpen() throws {
    // The last threads of a run may still be letting go of what they held.
    var open = try FaultyRuns.openFiles()
    for _ in 0..<100_000 where open.count > openBefore.count {
      sched_yield()
      open = try FaultyRuns.openFiles()
    }
    let more = open.filter { !openBefore.contains($0) }
    #expect(
      open.count <= openBefore.count, "\(open.count) instead of \(openBefore.count); new: \(more)")
    #expect(waitpid(-1, nil, WNOHANG) == -1 && errno == ECHILD)
  }

  /// What the open files of this process are, sorted.
  private static func openFiles() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
    }.filter { !$0.hasPrefix("/proc/") }.map { $0.prefix { $0 != ":" } }.map(String.init).sorted()
  }
}
