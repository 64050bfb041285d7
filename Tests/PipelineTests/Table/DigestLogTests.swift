@testable import Pipeline
import TestSupport
import Testing

@Suite struct DigestLogTests {
  private struct Digest: Hashable {
    let low: UInt64
    let high: UInt64
    let tag: UInt32
  }

  /// How often each repeated digest has gone, by tag; what is left replaces the first.
  private static func repeated(in log: inout DigestLog) -> [UInt32: Int] {
    var search = RepeatedDigests()
    var found: [UInt32: Int] = [:]
    for partition in 0..<DigestLog.partitions {
      var entries: [DigestLog.Entry] = []
      log.copy(partition, to: &entries)
      search.remove(from: &entries) { found[$0.tag, default: 0] += 1 }
      log.replace(partition, by: entries)
    }
    return found
  }

  @Test(arguments: Effort.first(2, of: [1, 2, 3, 4, 5, 6]) as [UInt64])
  func findsWhatASetFinds(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    let greatest = [0, 1, 79, 65_535, 999_999, UInt32.max].randomElement(using: &random)!
    var log = DigestLog(greatestTag: greatest)
    var known: [Digest] = []
    var members: Set<Digest> = []
    var expected: [UInt32: Int] = [:]
    for _ in 0..<20_000 {
      let old = random.next() % 5 == 0 ? known.randomElement(using: &random) : nil
      let digest =
        old
        ?? Digest(
          low: random.next(), high: random.next(),
          tag: UInt32(truncatingIfNeeded: random.next()) % max(greatest, 1))
      log.append(low: digest.low, high: digest.high, tag: digest.tag)
      if members.insert(digest).inserted {
        known.append(digest)
      } else {
        expected[digest.tag, default: 0] += 1
      }
    }
    let found = Self.repeated(in: &log)
    #expect(found == expected, "seed \(seed)")
  }

  /// Digests that agree in all but one of the bits that are kept are different ones.
  @Test func eachBitThatIsKeptCounts() {
    for tagBits in [0, 7, 20] {
      var log = DigestLog(greatestTag: tagBits == 0 ? 0 : 1 << UInt32(tagBits) - 1)
      log.append(low: 0, high: 0, tag: 0)
      for bit in 0..<UInt64(40 - tagBits) { log.append(low: 1 << bit, high: 0, tag: 0) }
      for bit in 0..<UInt64(64) { log.append(low: 0, high: 1 << bit, tag: 0) }
      // The first bit that is not kept.
      log.append(low: 1 << UInt64(40 - tagBits), high: 0, tag: 0)
      let found = Self.repeated(in: &log)
      #expect(found == [0: 1], "\(tagBits) bits of tag")
    }
  }

  @Test func aPartitionIsReplaced() {
    var log = DigestLog(greatestTag: 100)
    var most = 0
    for round in 0..<20 {
      for number in 0..<5_000 as Range<UInt64> {
        log.append(low: number &* 0x9E37_79B9, high: number, tag: UInt32(number % 100))
      }
      if round == 0 { most = log.footprint }
      let gone = Self.repeated(in: &log).values.reduce(0, +)
      let footprint = log.footprint
      #expect(gone == (round == 0 ? 0 : 5_000) && footprint == most)
    }
    var entries: [DigestLog.Entry] = []
    for partition in 0..<DigestLog.partitions { log.copy(partition, to: &entries) }
    #expect(entries.count == 5_000 && Set(entries.map(\.high)).count == 5_000)
    #expect(entries.allSatisfy { UInt64($0.tag) == $0.high % 100 })
  }

  @Test func aPartitionIsCopiedBehindOthers() {
    var entries: [DigestLog.Entry] = []
    for tag in 1...2 as ClosedRange<UInt32> {
      var log = DigestLog(greatestTag: 2)
      log.append(low: 0, high: 7, tag: tag)
      log.copy(0, to: &entries)
    }
    #expect(entries.map(\.tag) == [1, 2])
  }

  @Test func aDigestTakesThirteenBytesAtMost() {
    var random = RepeatableRandom(seed: 3)
    var log = DigestLog(greatestTag: 1000)
    for _ in 0..<200_000 { log.append(low: random.next(), high: random.next(), tag: 1) }
    #expect(log.footprint <= 2_600_000)
  }
}
