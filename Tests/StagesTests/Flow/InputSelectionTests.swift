import Foundation
@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// Each log is read once, however it is named, packed or delivered: what manifests and reports say
/// of it (docs/reference/file-formats.md; docs/guides/nightly.md).
///
/// ``ReadOncePropertyConcurrencyTests`` is about what is read.
@Suite struct InputSelectionTests {
  private let fixture: RunFixture

  init() throws { fixture = try RunFixture() }

  @Test func aCancelledRunStopsHashing() throws {
    try fixture.log([Sample.event("u", "a")], "logs/a.ndjson")
    try fixture.run(["logs"], to: "one")
    let control = JobControl()
    control.cancel(Failure(.interrupted, doing: "waiting", why: "enough"))
    let failure = fixture.failure(["logs"], to: "two", after: "one", control: control)
    #expect(failure?.kind == .interrupted)
    try fixture.expectOnly(["logs", "one"])
  }

  /// Whenever a log is replaced, a run reads all of the one or of the other, or it fails: one that
  /// has grown, and one that is read twice.
  @Test(arguments: ["one", nil]) func aReplacedLog(previous: String?) throws {
    let line = { DeviceHistory.record(nil, "phone", 1, event: $0) }
    let optOut = DeviceHistory.record(nil, "phone", 0, "\"opted_out\":true")
    let logs = [
      [line("old"), line("more")], [optOut] + (0..<9).map { line("fresh_\($0)") },
    ]
    try fixture.log([line("old")], "in/a.ndjson")
    try fixture.run(["in"], to: "one")
    func run(_ system: System = .real) -> Failure? {
      fixture.failure(
        ["in"], to: "out", after: previous, control: JobControl(system: system)
      ) { $0.merge.honorsOptOut = previous == nil }
    }
    let expected = try logs.map { log in
      try fixture.log(log, "in/a.ndjson")
      #expect(run() == nil)
      defer { try? fixture.scratch.remove("out") }
      return try fixture.repeatable("out")
    }
    let (new, path) = (fixture.scratch("new"), fixture.scratch("in/a.ndjson"))
    var reached: [Failure.Kind?] = []
    while true {
      try fixture.log(logs[0], "in/a.ndjson")
      try fixture.log(logs[1], "new")
      let calls = Locked(0)
      let replaced = reached.count
      let failure = run(
        System { _ in
          calls.withLock { calls in
            if calls == replaced { unsafe rename(new, path) }
            calls += 1
          }
          return nil
        })
      if fixture.scratch.has("new") { break }
      reached.append(failure?.kind)
      #expect([nil, .io, .usage].contains(failure?.kind), "call \(replaced)")
      #expect(fixture.scratch.has("out") == (failure == nil))
      guard failure == nil else { continue }
      let isWhole = try expected.contains(fixture.repeatable("out"))
      #expect(isWhole, "call \(replaced)")
      try fixture.scratch.remove("out")
    }
    #expect(reached.count > 50 && reached.contains(.io))
  }

  private func input(_ path: String, bytes: Int = 10, hash: UInt64) -> ManifestInput {
    ManifestInput(
      path: path, facts: FileHash(bytes: bytes, xxh64: hash), lines: 1,
      content: ContentFacts(bytes: bytes, xxh64: hash, firstLine: 0))
  }

  @Test func theHistoryListsEachContentOncePerPathInOrder() {
    let list = InputHistory([
      input("b", hash: 9), input("a", hash: 7), input("b", hash: 3), input("B", hash: 8),
      input("b", hash: 9), input("a", hash: 3), input("b", bytes: 11, hash: 9),
      // Nothing of these was read.
      ManifestInput(path: "a", isLost: true), input("c", bytes: 0, hash: 2),
    ])
    #expect(list.inputs.map(\.path) == ["B", "a", "a", "b", "b", "b"])
    #expect(list.inputs.map(\.facts.xxh64) == [8, 3, 7, 3, 9, 9])
  }

  @Test func whatChangedWhileItWasReadIsNotRemembered() {
    for kind in [Failure.Kind.corrupt, .io] {
      let outcome = InputOutcome(
        file: InputFile(path: "a", size: 10),
        summary: InputSummary(
          compression: .none, compressedBytes: 10, hash: 1, decompressedBytes: 10, lines: 1,
          content: ContentFacts(bytes: 10, xxh64: 1, firstLine: 0)),
        lost: Failure(kind, doing: "reading", path: "a", offset: 10, why: "x"))
      #expect((outcome.known != nil) == (kind == .corrupt))
    }
  }

  @Test func ofTooManyTheFirstPathsAreForgotten() {
    let list = InputHistory((0..<9).map { input("2024-06-0\($0)", hash: $0) }, most: 4)
    #expect(list.inputs.map(\.facts.xxh64) == [5, 6, 7, 8])
  }
}
