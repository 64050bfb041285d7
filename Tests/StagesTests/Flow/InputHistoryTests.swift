@testable import Jobs
import Pipeline
import Testing

@Suite struct InputHistoryTests {
  private func input(
    _ path: String, bytes: Int = 10, hash: UInt64, lines: Int = 2, isLost: Bool = false
  ) -> ManifestInput {
    ManifestInput(
      path: path, facts: FileHash(bytes: bytes, xxh64: hash), lines: lines, isLost: isLost)
  }

  @Test func theyAreSortedByPathThenHash() {
    let list = InputHistory([
      input("b", hash: 9), input("a", hash: 7), input("b", hash: 3), input("B", hash: 8),
    ])
    #expect(list.inputs.map(\.path) == ["B", "a", "b", "b"])
    #expect(list.inputs.map(\.facts.xxh64) == [8, 7, 3, 9])
  }

  @Test func equalContentIsListedOnce() {
    let list = InputHistory([
      input("b", hash: 1), input("a", hash: 1), input("c", bytes: 11, hash: 1),
    ])
    #expect(list.inputs.map(\.path) == ["b", "c"])
    #expect(list.input(FileHash(bytes: 10, xxh64: 1))?.path == "b")
  }

  @Test func lostInputsWereNotIngested() {
    #expect(InputHistory([input("a", hash: 1, isLost: true)]).inputs.isEmpty)
  }

  @Test func onlyLengthAndHashTogetherTell() {
    let list = InputHistory([input("a", hash: 1)])
    #expect(list.hasInput(ofBytes: 10) && !list.hasInput(ofBytes: 11))
    #expect(list.input(FileHash(bytes: 10, xxh64: 2)) == nil)
    #expect(list.input(FileHash(bytes: 11, xxh64: 1)) == nil)
  }

  @Test func anInputWithoutLinesIsNeverFound() {
    let list = InputHistory([input("a", bytes: 0, hash: 1, lines: 0)])
    #expect(list.inputs.count == 1 && !list.hasInput(ofBytes: 0))
    #expect(list.input(FileHash(bytes: 0, xxh64: 1)) == nil)
  }

  @Test func aSingleLineMayBeWrittenTwice() {
    let list = InputHistory([input("a", hash: 1, lines: 1)])
    #expect(list.inputs.count == 1 && list.input(FileHash(bytes: 10, xxh64: 1)) == nil)
  }

  @Test func ofTooManyTheFirstPathsAreForgotten() {
    let list = InputHistory((0..<9).map { input("2024-06-0\($0)", hash: $0) }, most: 4)
    #expect(list.inputs.map(\.facts.xxh64) == [5, 6, 7, 8])
  }
}
