import Pipeline
import TestSupport
import Testing

@Suite struct LineCursorTests {
  static func lines(of bytes: [UInt8]) -> [Range<Int>] {
    withByteView(of: bytes) { view in
      var cursor = LineCursor(bytes: view)
      var lines: [Range<Int>] = []
      while let line = cursor.next() { lines.append(line) }
      #expect(cursor.next() == nil, "the end stays the end")
      return lines
    }
  }

  static func naive(_ bytes: [UInt8]) -> [Range<Int>] {
    let lines = bytes.indices.split(omittingEmptySubsequences: false) { bytes[$0] == 0x0A }
    return lines.last?.isEmpty == true ? Array(lines.dropLast()) : lines
  }

  @Test(arguments: [31, 32] as [UInt64]) func blankLinesArePassedOver(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    for round in 0..<600 {
      let blank = (0..<Int.random(in: 0..<300, using: &random)).map { _ in
        Array(" \t\r\n\n\n".utf8).randomElement(using: &random) ?? 0x0A
      }
      let bytes = blank + (round % 3 == 0 ? [] : Array("x \n\n".utf8))
      let limit = round % 2 == 0 ? bytes.count : Int.random(in: 1...400, using: &random)
      let most = min(limit, blank.count)
      let feeds = blank[..<most].count { $0 == 0x0A }
      withByteView(of: bytes) { view in
        var cursor = LineCursor(bytes: view)
        #expect(cursor.skipBlankLines(within: limit) == feeds, "seed \(seed), round \(round)")
        let start = blank[..<most].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let next = Self.naive(Array(bytes[start...])).first.map { $0.lowerBound + start }
        #expect(cursor.next()?.lowerBound == next, "seed \(seed), round \(round)")
      }
    }
  }

  @Test(arguments: [21, 22, 23] as [UInt64]) func agreesWithAByteLoop(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    for round in 0..<600 {
      let count = round < 300 ? round : Int.random(in: 0..<700, using: &random)
      let meanLength = [2, 20, 100, 400][round % 4]
      let bytes: [UInt8] = (0..<count).map { _ in
        if Int.random(in: 0..<meanLength, using: &random) == 0 { return 0x0A }
        return Int.random(in: 0..<90, using: &random) == 0 ? 0xC3 : 0x61
      }
      #expect(Self.lines(of: bytes) == Self.naive(bytes), "seed \(seed), round \(round)")
    }
  }

  @Test(arguments: [51, 52] as [UInt64]) func feedsAreCountedAsByAByteLoop(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    for count in 0..<300 {
      let rarity = [1, 3, 40, 1000][count % 4]
      let bytes: [UInt8] = (0..<count).map { _ in
        Int.random(in: 0..<rarity, using: &random) == 0
          ? 0x0A : UInt8.random(in: 11...255, using: &random)
      }
      let start = Int.random(in: 0...count, using: &random)
      withByteView(of: bytes) { view in
        let scan = NewlineScan(view, from: start)
        #expect(scan.count == bytes[start...].filter { $0 == 0x0A }.count, "seed \(seed), \(count)")
        #expect(scan.last == bytes[start...].lastIndex(of: 0x0A), "seed \(seed), \(count)")
      }
    }
  }

  /// A lane of the kernel counts to 255 before it is added up.
  @Test(arguments: [255 * 16, 255 * 32, 255 * 64, 20_000])
  func countsMoreLineFeedsThanALaneHolds(most: Int) {
    for count in most - 65...most + 65 {
      withByteView(of: [UInt8](repeating: 0x0A, count: count)) { view in
        #expect(NewlineScan(view).count == count)
        #expect(NewlineScan(view).last == count - 1)
      }
    }
  }
}
