@testable import Jobs
import Pipeline
import Testing

@Suite struct InputHistoryTests {
  private func input(_ path: String, bytes: Int = 10, hash: UInt64) -> ManifestInput {
    ManifestInput(
      path: path, facts: FileHash(bytes: bytes, xxh64: hash), lines: 1,
      content: ContentFacts(bytes: bytes, xxh64: hash, firstLine: 0))
  }

  @Test func theyAreSortedByPathThenHash() {
    let list = InputHistory([
      input("b", hash: 9), input("a", hash: 7), input("b", hash: 3), input("B", hash: 8),
    ])
    #expect(list.inputs.map(\.path) == ["B", "a", "b", "b"])
    #expect(list.inputs.map(\.facts.xxh64) == [8, 7, 3, 9])
  }

  @Test func equalContentIsListedOncePerPath() {
    let list = InputHistory([
      input("b", hash: 1), input("a", hash: 1), input("b", hash: 1), input("b", bytes: 11, hash: 1),
    ])
    #expect(list.inputs.map(\.path) == ["a", "b", "b"])
  }

  @Test func inputsOfWhichNothingWasReadAreNotRemembered() {
    #expect(
      InputHistory([ManifestInput(path: "a", isLost: true), input("b", bytes: 0, hash: 2)])
        .inputs.isEmpty)
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
