import Pipeline
import TestSupport
import Testing

@Suite struct NewlineScanTests {
  @Test(arguments: [51, 52] as [UInt64]) func agreesWithAByteLoop(seed: UInt64) {
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
