import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct DirtyPersonFilterTests {
  /// How many of `hashes` are not in the filter.
  private static func missing(_ hashes: [UInt64], in persons: DirtyPersonFilter) -> Int {
    hashes.count { !persons.contains($0) }
  }

  /// At the sizes a filter grows to, and beyond the largest one that keeps marks.
  @Test(arguments: [255, 257, 2_100, 1_100_000])
  func nobodyIsForgotten(count: Int) throws {
    var random = RepeatableRandom(seed: UInt64(count))
    let hashes = (0..<count).map { _ in random.next() }
    var persons = DirtyPersonFilter()
    #expect(persons.isEmpty && !persons.contains(hashes[0]))
    for hash in hashes { persons.insert(hash) }
    #expect(!persons.isEmpty && Self.missing(hashes, in: persons) == 0)
    var bytes = ByteBuffer()
    persons.append(to: &bytes)
    let read = try #require(DirtyPersonFilter(bytes.view))
    #expect(Self.missing(hashes, in: read) == 0)
    var merged = DirtyPersonFilter()
    merged.insert(1)
    merged.merge(persons)
    #expect(merged.contains(1) && Self.missing(hashes, in: merged) == 0)
  }

  /// 16 bits for each, and few are taken for others, at whatever size and from however many parts.
  @Test(arguments: [1, 16])
  func fewAreFoundInVain(parts: Int) {
    var random = RepeatableRandom(seed: 9)
    var persons = DirtyPersonFilter()
    for _ in 0..<parts {
      var part = DirtyPersonFilter()
      // As many as a filter takes before it grows.
      for _ in 0..<16_384 / parts { part.insert(random.next()) }
      persons.merge(part)
    }
    let wrong = (0..<20_000).count { _ in persons.contains(random.next()) }
    #expect(wrong < 600)
  }

  /// What is handed to other partitions is as long as what is in it.
  @Test func fewPeopleTakeFewBytes() {
    var persons = DirtyPersonFilter()
    var bytes = ByteBuffer()
    persons.append(to: &bytes)
    #expect(bytes.count == 0)
    for hash in [7, 7, 3, 7, 9, 3] as [UInt64] { persons.insert(hash) }
    persons.append(to: &bytes)
    #expect(bytes.array == [3, 0, 0, 0, 7, 0, 0, 0, 9, 0, 0, 0])
    #expect(DirtyPersonFilter(ByteView("abc")) == nil)
  }
}
