@testable import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct KeyFoldTests {
  /// The earlier items that `fold` finds for each of `keys`.
  private func earlier(
    _ keys: [String], _ fold: KeyFold, tag: (String) -> KeyFold.Tag
  ) -> [Int?] {
    fold.begin()
    return keys.indices.map { index in
      fold.add(tag(keys[index]), item: index) { keys[$0] == keys[index] }
    }
  }

  private func tag(_ key: String) -> KeyFold.Tag { withByteView(of: key) { KeyFold.tag($0) } }

  /// Objects of all sizes one after the other. Tags only speed the search up: it is right even if
  /// all are equal, or nearly.
  @Test(arguments: 0..<6 as Range<UInt64>, [nil, 1, 3, 50] as [UInt64?])
  func agreesWithADictionary(seed: UInt64, tags: UInt64?) {
    var random = RepeatableRandom(seed: seed)
    let fold = KeyFold()
    let sizes = [1, 2, 23, 24, 25, 26, 63, 64, 65, 128, 129] + (tags == nil ? [700, 3000] : [200])
    for size in (sizes + sizes).shuffled(using: &random) {
      let names = Int.random(in: 1...2 * size, using: &random)
      let keys = (0..<size).map { _ in "key\(Int.random(in: 0..<names, using: &random))" }
      let found = earlier(keys, fold) { key in
        tag(tags.map { "\(key.utf8.reduce(0) { $0 + UInt64($1) } % $0)" } ?? key)
      }
      var last: [String: Int] = [:]
      let expected = keys.indices.map { last.updateValue($0, forKey: keys[$0]) }
      #expect(found == expected, "seed \(seed), size \(size), \(names) names")
    }
  }

  /// Different keys have different tags, also those with one XXH64 and those whose case is ignored.
  @Test(arguments: [true, false]) func differentKeysAreNotCompared(ignoringCase: Bool) {
    let fold = KeyFold()
    var comparisons = 0
    fold.begin()
    for (item, key) in EqualHashes.texts(20_000).enumerated() {
      let tag = withByteView(of: key) {
        ignoringCase ? KeyFold.tag(ignoringCase: $0) : KeyFold.tag($0)
      }
      let found = fold.add(tag, item: item) { _ in
        comparisons += 1
        return false
      }
      #expect(found == nil)
    }
    #expect(comparisons == 0)
  }

  /// However often keys are repeated, each is compared with few others: a line of 16 MiB may hold
  /// one key millions of times.
  @Test(arguments: [1, 10, 24, 25, 300]) func repeatedKeysAreComparedOnce(different: Int) {
    let fold = KeyFold()
    let total = 20_000
    var comparisons = 0
    fold.begin()
    for item in 0..<total {
      let key = item % different
      let found = fold.add(tag("key\(key)"), item: item) {
        comparisons += 1
        return $0 % different == key
      }
      #expect(found == (item < different ? nil : item - different))
    }
    #expect(comparisons < 2 * total, "\(comparisons) comparisons")
  }

  /// The numbers of objects must not make the tags of a name consecutive: where the runs of two
  /// names met, each search walked through both.
  @Test func keysOfManyObjectsAreSpread() throws {
    var random = RepeatableRandom(seed: 1)
    for round in 0..<40 {
      let secret = TableHash.Secret(
        first: random.next() | 1, second: random.next() | 1, third: random.next() | 1)
      let fold = KeyFold()
      fold.begin()
      var item = 0
      for object in 0..<4_000 as Range<Int32> {
        for name in ["sku", "qty"] {
          let tag = withByteView(of: name) { KeyFold.tag($0, of: object, by: secret) }
          #expect(fold.add(tag, item: item) { _ in false } == nil)
          item += 1
        }
      }
      #expect(fold.index.farthest < 512, "round \(round)")
    }
  }
}

extension HashIndex {
  /// Greatest distance of an entry from its home, in slots.
  fileprivate var farthest: Int {
    (0..<1 << logarithm).reduce(0) { farthest, position in
      let slot = slots[position]
      if UInt32(truncatingIfNeeded: slot) == .max { return farthest }
      return max(farthest, (position - home(slot >> 32)) & (1 << logarithm - 1))
    }
  }
}
