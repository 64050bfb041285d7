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
