import Foundation
@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// Every system call of the two halves of a run fails once, is interrupted, or transfers fewer
/// bytes than requested. The result is either the same bytes, or a failure that leaves the earlier
/// files unchanged.
///
/// In processes of their own, so that open files can be counted.
@Suite struct PartialFaultTests {
  @Test func anErrorAtEveryCallOfAPartial() async {
    await #expect(processExitsWith: .success) { try FaultyHalves().check(.partial) }
  }

  @Test func anErrorAtEveryCallOfMergingInstallations() async {
    await #expect(processExitsWith: .success) { try FaultyHalves().check(.installations) }
  }

  @Test func anErrorAtEveryCallOfMergingPeople() async {
    await #expect(processExitsWith: .success) { try FaultyHalves().check(.people) }
  }

  @Test func anErrorAtEveryCallOfTheEnd() async {
    await #expect(processExitsWith: .success) { try FaultyHalves().check(.finish) }
  }
}

/// Runs of one step on small logs, under faults of the system. Each replaces the result of an
/// earlier one. The last step replaces the partitions instead.
private final class FaultyHalves {
  enum Step: CaseIterable { case partial, installations, people, finish }

  private static let errors = [EIO, ENOSPC, EMFILE, ENOMEM, EACCES]

  private let runs: PartialRuns
  private var fixture: RunFixture { runs.fixture }

  init() throws {
    runs = try PartialRuns()
    try fixture.log([Sample.event("u", "old", id: "7")], "night.ndjson")
    try runs.fixture.run(["night.ndjson"], to: "night") { $0.snapshot.dedupeDays = 3 }
    try fixture.log(
      (0..<9).map { Sample.event("user-\($0 % 4)", "event_\($0 % 2)", id: "\($0)") } + ["{"],
      "a.ndjson")
    try fixture.compressedLog(Array("\(Sample.event("u", "from_b"))\n".utf8), "b.ndjson.zst")
    // The earlier contents of the outputs of the steps, and what the steps publish.
    try fixture.log([Sample.event("u", "earlier", id: "8")], "earlier.ndjson")
    try runs.partial(["earlier.ndjson"], to: "earlier-partial")
    try runs.partial(["a.ndjson", "b.ndjson.zst"], to: "partial")
    try merge(.installations, "earlier-partial", to: "earlier-installations")
    try merge(.installations, "partial", to: "installations")
    try copy("installations", to: "earlier-people")
    try merge(.unchanged, "partial", to: "earlier-people")
    try copy("earlier-people", to: "people")
    try merge(.people, "partial", to: "people")
    try copy("people", to: "finish")
    try copy("people", to: "earlier-finish")
    try runs.finish("finish")
  }

  private func merge(
    _ step: MergeStep, _ partial: String, to output: String, control: JobControl = JobControl()
  ) throws(Failure) {
    try runs.merge(0, step: step, [partial], to: output, control: control) {
      $0.merge.previous = runs.fixture.scratch("night")
      $0.snapshot.dedupeDays = 3
    }
  }

  private func copy(_ name: String, to other: String) throws {
    try FileManager.default.copyItem(atPath: fixture.scratch(name), toPath: fixture.scratch(other))
  }

  /// Where the step publishes to, and the directory in which that stands.
  private func run(_ step: Step, control: JobControl) throws(Failure) {
    switch step {
    case .partial:
      try runs.partial(["a.ndjson", "b.ndjson.zst"], to: "out", control: control) {
        $0.publish.replace = true
      }
    case .installations: try merge(.installations, "partial", to: "out", control: control)
    case .people: try merge(.people, "partial", to: "out", control: control)
    case .finish:
      var options = fixture.options([], to: "out")
      options.publish.replace = true
      _ = try FinishJob(options, control: control).run()
    }
  }

  func check(_ what: Step) throws {
    let open = try Self.openFiles()
    let seed = Int.random(in: 0..<Self.errors.count)
    let count = try attempt(what, "undisturbed") { _ in nil }
    #expect(count > 50)
    for number in Effort.numbers(below: count, every: what == .partial ? 5 : 15) {
      let error = Self.errors[(number + seed) % Self.errors.count]
      try attempt(what, "call \(number), seed \(seed)") { $0 == number ? .error(error) : nil }
    }
    for number in stride(from: seed, to: count, by: Effort.isFull ? 9 : 90) {
      try attempt(what, "from call \(number) on", lasts: true) { $0 >= number ? .error(EIO) : nil }
    }
    for turn in 0...1 {
      try attempt(what, "interrupted, turn \(turn)", mustSucceed: true) {
        $0 % 2 == turn ? .error(EINTR) : nil
      }
    }
    try attempt(what, "7 bytes at a time", mustSucceed: true) { _ in .short(7) }
    try expectOpen(open)
  }

  /// Runs the step with the faults that `fault` gives for the number of each call, and checks what
  /// is left. Returns how many calls there were.
  @discardableResult
  private func attempt(
    _ step: Step, _ label: String, mustSucceed: Bool = false, lasts: Bool = false,
    _ fault: @escaping @Sendable (Int) -> System.Fault?
  ) throws -> Int {
    try copy("earlier-\(step)", to: "out")
    let before = Set(try fixture.scratch.names())
    let calls = Locked<[System.Call]>([])
    let system = System(recording: calls, fault)
    let failure = runs.failure { () throws(Failure) in
      try run(step, control: JobControl(system: system))
    }
    let text = "\(step), \(label): \(failure?.message ?? "done")"
    // Hidden files are checked below.
    let found = try runs.repeatable("out").filter { !$0.key.hasPrefix(".") }
    if let failure {
      #expect(!mustSucceed, "\(text)")
      #expect(failure.kind == .io && failure.path != nil && !failure.advice.isEmpty, "\(text)")
      let isStuck = failure.advice.contains("is the new output and complete")
      #expect(try found == runs.repeatable(isStuck ? "\(step)" : "earlier-\(step)"), "\(text)")
    } else {
      #expect(try found == runs.repeatable("\(step)"), "\(text)")
    }
    if !lasts { try expectNothingLeft(before, calls.withLock { $0 }, text) }
    for name in try fixture.scratch.names() where !before.contains(name) {
      try fixture.scratch.remove(name)
    }
    try fixture.scratch.remove("out")
    return calls.withLock { $0.count }
  }

  /// Checks that no hidden file is left except an unused lock and files whose removal failed.
  private func expectNothingLeft(
    _ before: Set<String>, _ calls: [System.Call], _ text: String
  ) throws {
    let hidden = try FileManager.default.contentsOfDirectory(atPath: fixture.scratch("out"))
      .filter { $0.hasPrefix(".") }
    let left = Set(try fixture.scratch.names()).subtracting(before).union(hidden)
    #expect(
      left.allSatisfy { $0.hasSuffix(".lock") } || calls.contains(.removeFile), "\(text); \(left)")
  }

  /// Nothing is open that was not before.
  private func expectOpen(_ before: [String]) throws {
    // The last threads of a job may still be letting go of what they held.
    var open = try Self.openFiles()
    for _ in 0..<100_000 where open.count > before.count {
      sched_yield()
      open = try Self.openFiles()
    }
    let more = open.filter { !before.contains($0) }
    #expect(open.count <= before.count, "\(open.count) instead of \(before.count); new: \(more)")
  }

  /// What the open files of this process are, sorted.
  private static func openFiles() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
    }.filter { !$0.hasPrefix("/proc/") }.map { $0.prefix { $0 != ":" } }.map(String.init).sorted()
  }
}
