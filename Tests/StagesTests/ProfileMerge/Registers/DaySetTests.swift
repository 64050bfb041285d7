import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct DaySetTests {
  private static func set(_ days: some Sequence<Int>) -> DaySet {
    var set = DaySet()
    for day in days { set.insert(day * DayNumber.milliseconds + day % DayNumber.milliseconds) }
    return set
  }

  private static func merged(_ sets: DaySet...) -> DaySet {
    sets.dropFirst().reduce(into: sets[0]) { $0.merge($1) }
  }

  private static func random(_ random: inout RepeatableRandom) -> Set<Int> {
    // Of all years, or of a few weeks, in which most days follow each other.
    let span = Bool.random(using: &random) ? DayNumber.range : 19_840..<19_880
    return Set(
      (0..<Int.random(in: 0...40, using: &random)).map { _ in
        Int.random(in: span, using: &random)
      })
  }

  @Test func whatIsWrittenIsReadAndMergedInAnyOrder() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = RepeatableRandom(seed: seed)
    for _ in 0..<200 {
      let days = (0..<3).map { number in
        number > 0
          ? Self.random(&random)
          : Self.random(&random).union([Int.random(in: DayNumber.range, using: &random)])
      }
      let (a, b, c) = (Self.set(days[0]), Self.set(days[1]), Self.set(days[2]))
      #expect(Self.merged(a, b) == Self.merged(b, a), "seed \(seed)")
      #expect(Self.merged(a, b, c) == Self.merged(a, Self.merged(b, c)), "seed \(seed)")
      #expect(Self.merged(a, a) == a, "seed \(seed)")
      #expect(Self.merged(a, b).days == days[0].union(days[1]).sorted(), "seed \(seed)")
      var others = DaySet()
      others.set(to: b, without: a)
      #expect(others.days == days[1].subtracting(days[0]).sorted(), "seed \(seed)")
      var gaps = ByteBuffer()
      a.appendGaps(to: &gaps)
      #expect(DaySet.isSound(a.first, gaps.view), "seed \(seed)")
      #expect(gaps.count <= 3 * (a.days.count - 1), "seed \(seed)")
      for (before, after) in [(DaySet(), a), (b, Self.merged(a, b))] {
        var read = before
        read.insert(a.first, gaps.view)
        #expect(read == after, "seed \(seed)")
      }
      let mark = Int.random(in: DayNumber.range, using: &random) * DayNumber.milliseconds
      var later = DaySet()
      later.insert(a.first, gaps.view, from: DaySet.earliest(after: mark))
      var left = a
      left.remove(through: mark + 5)
      #expect(later == left, "seed \(seed)")
    }
  }

  @Test func daysThatFollowEachOtherAreZeros() {
    var gaps = ByteBuffer()
    Self.set([19_840, 19_841, 19_842, 19_971, 20_100]).appendGaps(to: &gaps)
    #expect(gaps.view.array == [0, 0, 0x80, 0x01, 0x80, 0x01])
    #expect(Self.set([]).isEmpty)
  }

  @Test(
    arguments: [
      (10_956, []), (47_482, []), (47_481, [0]), (10_957, [0x80]), (10_957, [0, 0xFF]),
      (10_957, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]),
      (10_957, [0xFF, 0xFF, 0x7F]),
    ] as [(Int, [UInt8])])
  func whatNobodyHasWrittenIsNotSound(first: Int, bytes: [UInt8]) {
    #expect(!withByteView(of: bytes) { DaySet.isSound(first * DayNumber.milliseconds, $0) })
    #expect(
      !withByteView(of: [] as [UInt8]) { DaySet.isSound(19_840 * DayNumber.milliseconds + 1, $0) })
  }
}
