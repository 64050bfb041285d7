import Foundation
import Pipeline
import TestSupport
import Testing

@testable import Jobs

/// A job that replaces an earlier output, done under faults of the system: each call fails once, or
/// all from one on, is interrupted, or transfers fewer bytes than requested. The job publishes what
/// it publishes undisturbed, or it fails and leaves the earlier output unchanged.
final class FaultyJob {
  typealias Job = (_ control: JobControl, _ jobs: Int) throws(Failure) -> Failure?

  private static let errors = [EIO, ENOSPC, EMFILE, ENOMEM, EACCES]

  private let fixture: RunFixture
  private let earlier: String
  private let resumes: [String]
  private let job: Job
  private let names: [String]
  private let openBefore: [String]
  private let before: [String: [UInt8]]
  private var expected: [String: [UInt8]] = [:]
  private let seed = Int.random(in: 0..<FaultyJob.errors.count)

  init(
    _ fixture: RunFixture, replacing earlier: String = "earlier", leaving resumes: [String] = [],
    _ job: @escaping Job
  ) throws {
    (self.fixture, self.earlier, self.resumes, self.job) = (fixture, earlier, resumes, job)
    names = try fixture.scratch.names()
    openBefore = try Self.openFiles()
    before = try fixture.bytes(of: earlier)
    try fixture.scratch.copy(earlier, to: "out")
    #expect(try job(JobControl(), 1) == nil)
    expected = try repeatable("out")
    try fixture.scratch.remove("out")
  }

  /// Files that are the same each time; what a merge has hidden among them is checked separately.
  private func repeatable(_ output: String) throws -> [String: [UInt8]] {
    try fixture.repeatable(output).filter { !$0.key.hasPrefix(".") }
  }

  // MARK: - Faults

  /// One call fails: in an ordinary run of the tests every `step`-th is tried.
  func failOnce(every step: Int) throws {
    let count = try attempt("undisturbed", mustSucceed: true) { _ in nil }
    #expect(count > 50)
    for number in Effort.numbers(below: count, every: step) {
      let error = Self.errors[(number + seed) % Self.errors.count]
      try attempt("call \(number), seed \(seed)") { $0 == number ? .error(error) : nil }
    }
  }

  /// The disk is full, or gone, for good. The next job removes what the failed one has left.
  func failForGood(every step: Int) throws {
    let count = try attempt("undisturbed", mustSucceed: true) { _ in nil }
    let step = Effort.isFull ? step / 5 : step
    for number in stride(from: Int.random(in: 0..<step), to: count, by: step) {
      try attempt("from call \(number) on", lasts: true) {
        $0 >= number ? .error(number % 2 == 0 ? ENOSPC : EIO) : nil
      }
      try attempt("after the fault from call \(number) on", mustSucceed: true) { _ in nil }
    }
  }

  /// Every second call is interrupted, or each transfers fewer bytes.
  func interrupt(jobs: Int = 1, lengths: [Int] = [1, 7, 100]) throws {
    for turn in 0...1 {
      try attempt("interrupted, turn \(turn)", mustSucceed: true, jobs: jobs) {
        $0 % 2 == turn ? .error(EINTR) : nil
      }
    }
    for length in lengths {
      try attempt("\(length) bytes at a time", mustSucceed: true, jobs: jobs) { _ in
        .short(length)
      }
    }
  }

  /// Does the job with the faults that `fault` gives for the number of each call, and checks what
  /// is left. Returns how many calls there were.
  @discardableResult
  private func attempt(
    _ label: String, mustSucceed: Bool = false, lasts: Bool = false, jobs: Int = 1,
    _ fault: @escaping @Sendable (Int) -> System.Fault?
  ) throws -> Int {
    try fixture.scratch.copy(earlier, to: "out")
    let calls = Locked<(count: Int, faulty: System.Call?)>((0, nil))
    let system = System { call in
      calls.withLock { calls in
        let fault = fault(calls.count)
        calls.count += 1
        if fault != nil { calls.faulty = calls.faulty ?? call }
        return fault
      }
    }
    var (warning, failure): (Failure?, Failure?)
    do throws(Failure) {
      warning = try job(JobControl(system: system), jobs)
    } catch {
      failure = error
    }
    let (count, call) = calls.withLock { $0 }
    let text =
      "\(label), \(call.map { "\($0)" } ?? "no fault"): \(failure?.message ?? "done")"
    let isPublished = try repeatable("out") == expected
    if let failure {
      #expect(!mustSucceed, "\(text)")
      #expect(failure.kind == .io && failure.path != nil && !failure.advice.isEmpty, "\(text)")
      // A published output that could not be rolled back is the new output; the message says so.
      let isStuck = lasts && failure.advice.contains("is the new output and complete")
      let isEarlier = try fixture.bytes(of: "out").filter { !$0.key.hasPrefix(".") } == before
      #expect(isStuck ? isPublished : isEarlier, "\(text)")
    } else {
      #expect(isPublished, "\(text)")
    }
    let left = try hidden()
    if !lasts {
      // An unused lock file may be left, and what could not be removed is warned of.
      let mayLock = call == .removeFile || call == .status || failure?.doing == "locking"
      let unnamed = left.filter { name in
        !(mayLock && name.hasSuffix(".lock")) && !(failure != nil && resumes.contains(name))
      }
      #expect(unnamed.isEmpty || warning != nil, "\(text); left: \(unnamed)")
      for name in left { try fixture.scratch.remove(name) }
    }
    try fixture.scratch.remove("out")
    return count
  }

  /// What the job has left beside its output, and hidden in it.
  private func hidden() throws -> [String] {
    let inside = try FileManager.default.contentsOfDirectory(atPath: fixture.scratch("out"))
      .filter { $0.hasPrefix(".") }.map { "out/\($0)" }
    return try fixture.scratch.names().filter { $0 != "out" && !names.contains($0) } + inside
  }

  // MARK: - Open files

  /// Checks that no job has left a file open or a child uncollected, in a process of its own.
  func expectNothingOpen() throws {
    // The last threads of a job may still be releasing what they held.
    var open = try Self.openFiles()
    for _ in 0..<100_000 where open.count > openBefore.count {
      sched_yield()
      open = try Self.openFiles()
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
