import TestSupport
import Testing

@testable import Stages

@Suite struct EventDaysTests {
  private static func counts(_ days: PackedDays) -> [EventDay: Int] {
    var counts: [EventDay: Int] = [:]
    days.forEach { counts[$0] = $1 }
    return counts
  }

  /// More pairs than are kept unpacked. Some are subtracted again. The two parts number their names
  /// differently.
  @Test func manyPairsAddUp() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = RepeatableRandom(seed: seed)
    var expected: [EventDay: Int] = [:]
    var parts = [EventDays(), EventDays()]
    for _ in 0..<300_000 {
      let name = UInt32.random(in: 0..<500, using: &random)
      let day = UInt16.random(in: 19_000..<19_300, using: &random)
      let count = Int.random(in: -1...2, using: &random)
      expected[EventDay(name: name, day: day), default: 0] += count
      let isOther = Bool.random(using: &random)
      parts[isOther ? 1 : 0].add(count, EventDay(name: isOther ? 499 - name : name, day: day))
    }
    expected = expected.filter { $0.value != 0 }
    var all = EventDays()
    all.merge(parts[1], renumbered: (0..<500).reversed())
    all.merge(parts[0])
    let packed = all.packed
    #expect(Self.counts(packed) == expected && packed.count == expected.count, "seed \(seed)")
    let byName = PackedDays.ByName(packed)
    for name in UInt32(0)..<502 {
      let days = expected.filter { $0.key.name == name }.map { (Int($0.key.day), $0.value) }
      let found = byName[name].map { Array($0) } ?? []
      #expect(found.elementsEqual(days.sorted { $0.0 < $1.0 }, by: ==), "seed \(seed)")
    }
    var others = EventDays()
    others.merge(parts[0])
    others.merge(parts[1], renumbered: (0..<500).reversed())
    #expect(others == all, "seed \(seed)")
  }

  /// A dictionary took a hundred bytes for each.
  @Test func pairsTakeAFewBytes() {
    var days = EventDays()
    for name in UInt32(0)..<300 {
      for day in UInt16(19_000)..<19_300 { days.add(Int(day % 50), EventDay(name: name, day: day)) }
    }
    #expect(days.packed.count == 88_200 && days.packed.bytes.count < 3 * 88_200)
  }

  @Test(arguments: [11, 200_000]) func tooManyPairs(_ most: Int) {
    for extra in 0...1 {
      var days = EventDays(limit: most)
      for number in 0..<most + extra { days.add(1, EventDay(name: UInt32(number), day: 19_000)) }
      days.add(1, EventDay(name: 0, day: 19_000))
      var sum = EventDays(limit: most)
      sum.merge(days)
      #expect(sum.isOverfull() == (extra == 1) && days.isOverfull() == (extra == 1))
    }
  }
}
