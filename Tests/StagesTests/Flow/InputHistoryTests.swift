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

  @Test func ofTooManyTheFirstPathsAreForgotten() {
    let list = InputHistory((0..<9).map { input("2024-06-0\($0)", hash: $0) }, most: 4)
    #expect(list.inputs.map(\.facts.xxh64) == [5, 6, 7, 8])
  }
}
