@testable import Pipeline
import TestSupport
import Testing

@Suite struct DigestSetTests {
  private struct Wide: Hashable {
    let low: UInt64
    let high: UInt64
  }

  /// A value that stands in the set as `word`, and in the bucket that its lowest bits tell, where
  /// addresses are mixed by ``plain``.
  private static func wide(low: UInt64, word: UInt64) -> Wide {
    let high = word ^ word >> 29 ^ word >> 58
    return Wide(low: low, high: high ^ high >> 32)
  }

  /// Numbers that mix as little as may be.
  private static let plain = TableHash.Secret(first: 0, second: 1, third: 1)

  /// How many of `values` were members already.
  private static func known(_ values: [Wide], in set: inout DigestSet) -> Int {
    values.reduce(0) { $0 + (set.insert(low: $1.low, high: $1.high) ? 0 : 1) }
  }

  /// Enough members for every bucket to be split, some of them twice.
  @Test(arguments: Effort.first(1, of: [1, 2]) as [UInt64])
  func behavesLikeASetWhileBucketsAreSplit(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    var set = DigestSet()
    var model: Set<Wide> = []
    var members: [Wide] = []
    var wrong = 0
    while model.count < 900_000 {
      // One in four is an old one.
      let old = random.next() % 4 == 0 ? members.randomElement(using: &random) : nil
      let value = old ?? Wide(low: random.next() & 0x3FFF, high: random.next())
      let isNew = set.insert(low: value.low, high: value.high)
      if isNew != model.insert(value).inserted { wrong += 1 }
      if isNew { members.append(value) }
    }
    #expect(wrong == 0, "seed \(seed)")
    #expect(set.count == model.count)
    #expect(set.bucketCount > 2 << 14)
    #expect(Self.known(members, in: &set) == members.count, "seed \(seed)")
  }

  /// Values that all fall into one bucket, and stay together when it is split.
  @Test(arguments: Effort.first(2, of: [31, 63, 1, 30, 32, 62, 1000]))
  func aBucketThatOverflowsKeepsEverything(count: Int) {
    var set = DigestSet(secret: Self.plain)
    let crowd = (0..<UInt64(count)).map { Self.wide(low: 5, word: $0 << 40) }
    #expect(Self.known(crowd, in: &set) == 0)
    #expect(Self.known(crowd, in: &set) == count)
    // As many others as it takes for the bucket to be split.
    let others = (0..<UInt64(1 << 14)).filter { $0 != 5 }.flatMap { bucket in
      (0..<27 as Range<UInt64>).map { Self.wide(low: bucket, word: $0 << 45 | 1) }
    }
    #expect(Self.known(others, in: &set) == 0)
    #expect(set.bucketCount > 1 << 14 + 6)
    #expect(Self.known(crowd, in: &set) == count)
    #expect(Self.known(others, in: &set) == others.count)
    #expect(set.count == count + others.count)
  }

  /// Values that were made up to fall to one bucket are spread as any others.
  @Test func nobodyCanFillOneBucket() {
    let set = DigestSet()
    let buckets = Set(
      (0..<20_000).map { set.number(set.mixed(5, UInt64($0) << 40).address) })
    #expect(buckets.count > 5000, "of 16,384")
  }

  @Test func seventyEightBitsTellMembersApart() {
    var set = DigestSet()
    let members = [
      Wide(low: 0, high: 0), Wide(low: 1 << 13, high: 0), Wide(low: 0, high: 1 << 63),
      Wide(low: 0, high: 1),
    ]
    #expect(Self.known(members, in: &set) == 0)
    // The bits of the low word beyond the implied ones are not kept.
    #expect(Self.known([Wide(low: 1 << 14, high: 0)], in: &set) == 1)
  }

  /// Over a whole doubling of the buckets.
  @Test func aMemberTakesFourteenBytesAtMost() {
    var random = RepeatableRandom(seed: 3)
    var set = DigestSet()
    var most = 0.0
    for count in 1...1_000_000 {
      _ = set.insert(low: random.next(), high: random.next())
      // Memory is got a MiB at a time, twice.
      if count > 410_000, count % 1000 == 0 {
        most = max(most, Double(set.footprint - 2 << 20) / Double(count))
      }
    }
    #expect(most <= 14)
  }
}
