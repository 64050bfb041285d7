import Pipeline
import TestSupport
import Testing

@Suite struct WideSetTests {
  private struct Wide: Hashable {
    let low: UInt64
    let high: UInt64
  }

  @Test(arguments: [1, 2] as [UInt64])
  func behavesLikeASet(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    var set = WideSet()
    var model: Set<Wide> = []
    for _ in 0..<5000 {
      // Few low words and, with seed 2, few high words: long runs, members with a zero half.
      let low = random.next() % 50
      let high = seed == 2 ? random.next() % 50 << 62 | 1 : random.next() % 97 << 57
      if low | high == 0 { continue }
      let isNew = set.insert(low: low, high: high)
      #expect(isNew == model.insert(Wide(low: low, high: high)).inserted, "seed \(seed)")
    }
    #expect(set.count == model.count)
  }

  @Test func zeroTraps() async {
    await #expect(processExitsWith: .failure) {
      var set = WideSet()
      _ = set.insert(low: 0, high: 0)
    }
  }
}
