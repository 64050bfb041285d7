@testable import Pipeline
import TestSupport
import Testing

@Suite struct ExtentArenaTests {
  @Test func sizesHoldWhatWasAskedForAndLittleMore() {
    for lines in Array(1...5000) + [1 << 20, 1 << 20 + 1, 1 << 25 - 1] {
      let size = Extent.lines(ofClass: Extent.sizeClass(lines: lines))
      #expect(size >= lines && size <= lines + max(lines / 4, 0) + 1, "\(lines) lines")
    }
    for sizeClass in 0..<UInt8(Extent.classCount) {
      #expect(Extent.sizeClass(lines: Extent.lines(ofClass: sizeClass)) == sizeClass)
    }
    let extent = Extent(line: 0xFEDC_BA98, sizeClass: 77)
    #expect(Extent(word: extent.word).line == extent.line)
    #expect(Extent(word: extent.word).sizeClass == 77)
    #expect(Extent(word: Extent.none.word).isNone)
    #expect(Extent.none.capacity == 0)
  }

  /// Every extent holds a pattern of its own; none is disturbed by what happens to the others.
  @Test(arguments: [1, 2] as [UInt64])
  func extentsDoNotOverlap(seed: UInt64) {
    struct Held {
      let extent: Extent
      let bytes: [UInt8]
    }
    var random = RepeatableRandom(seed: seed)
    var arena = ExtentArena()
    var held: [Held] = []
    for number in 0..<4000 {
      if !held.isEmpty, Int.random(in: 0..<5, using: &random) < 2 {
        let position = Int.random(in: 0..<held.count, using: &random)
        let old = held.remove(at: position)
        #expect(arena[old.extent, old.bytes.count].array == old.bytes, "seed \(seed)")
        arena.free(old.extent)
      } else {
        let isLong = Int.random(in: 0..<200, using: &random) == 0
        let count = Int.random(in: 16..<(isLong ? 3 << 20 : 900), using: &random)
        let extent = arena.allocate(count)
        #expect(extent.capacity >= count, "seed \(seed)")
        var text = ByteBuffer()
        let byte = UInt8(truncatingIfNeeded: number)
        while text.count < count - 16 { text.append(byte) }
        let word = UInt64(byte) * 0x0101_0101_0101_0101
        arena.write((word, word), text.view, to: extent, at: 0)
        held.append(Held(extent: extent, bytes: Array(repeating: byte, count: count)))
      }
    }
    for one in held {
      #expect(arena[one.extent, one.bytes.count].array == one.bytes, "seed \(seed)")
    }
  }

  @Test func whatIsFreedIsUsedAgain() {
    var arena = ExtentArena()
    var extents: [Extent] = []
    for _ in 0..<10_000 { extents.append(arena.allocate(300)) }
    let footprint = arena.footprint
    for _ in 0..<20 {
      for extent in extents { arena.free(extent) }
      extents = extents.map { _ in arena.allocate(300) }
    }
    #expect(arena.footprint == footprint)
    #expect(Set(extents.map(\.line)).count == extents.count)
  }

  @Test func theRestOfAChunkIsUsedForSmallerExtents() {
    var arena = ExtentArena()
    for _ in 0..<10 { _ = arena.allocate(700_000) }
    let footprint = arena.footprint
    for _ in 0..<10 { _ = arena.allocate(100_000) }
    #expect(arena.footprint == footprint)
  }

  @Test func writingBeyondAnExtentTraps() async {
    await #expect(processExitsWith: .failure) {
      var arena = ExtentArena()
      let extent = arena.allocate(64)
      arena.write((1, 2), "x", to: extent, at: 48)
    }
  }
}
