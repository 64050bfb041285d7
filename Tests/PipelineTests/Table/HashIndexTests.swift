import Pipeline
import TestSupport
import Testing

@Suite struct HashIndexTests {
  /// Hashes that leave few tags, so that entries share tags, homes and long runs.
  private static func poor(_ key: Int) -> UInt64 { UInt64(key % 37) << 27 | UInt64(key & 1) << 50 }

  @Test(arguments: [1, 2, 3] as [UInt64]) func behavesLikeADictionary(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    var index = HashIndex()
    var keys: [Int] = []
    var model: [Int: UInt32] = [:]
    for _ in 0..<6000 {
      let key = Int.random(in: 0..<3000, using: &random)
      let hash = seed == 3 ? Self.poor(key) : UInt64(key) &* 0x9E37_79B9_7F4A_7C15
      let found = index.find(hash) { keys[Int($0)] == key }
      #expect(found == model[key], "seed \(seed), key \(key)")
      if Bool.random(using: &random) {
        let next = UInt32(keys.count)
        let (number, isNew) = index.findOrInsert(hash, next) { keys[Int($0)] == key }
        #expect(number == model[key] ?? next, "seed \(seed), key \(key)")
        #expect(isNew == (model[key] == nil), "seed \(seed), key \(key)")
        if isNew {
          keys.append(key)
          model[key] = number
        }
      }
    }
    #expect(index.count == model.count)
  }

  /// Few entries leave their room behind, many do not; nothing of either is found again.
  @Test(arguments: [0, 1, 40, 3000, 20_000]) func whatIsForgottenIsNotFound(count: Int) {
    var index = HashIndex()
    for round in 0..<3 {
      for number in 0..<UInt32(count) {
        let hash = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
        let isNew = index.findOrInsert(hash, number) { $0 == number }.isNew
        #expect(isNew, "round \(round)")
      }
      let filled = index.count
      #expect(filled == count)
      index.removeAll()
      let (left, found) = (index.count, index.find(0) { _ in true })
      #expect(left == 0 && found == nil)
    }
  }
}
