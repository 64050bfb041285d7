import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct ActivePeopleTests {
  private static func set(_ days: some Sequence<Int>) -> DaySet {
    var set = DaySet()
    for day in days { set.insert(day * DayNumber.milliseconds) }
    return set
  }

  /// The years of weeks are not always those of their days (ISO 8601).
  @Test func whoIsActiveCountsOncePerDayWeekAndMonth() {
    var active = ActivePeople()
    // 2020-12-31 to 2021-01-05, and the 1st and the 3rd of January.
    active.add(1, Self.set(18_627...18_632))
    active.add(1, Self.set([18_628, 18_630]))
    let days = [
      "2020-12-31 1", "2021-01-01 2", "2021-01-02 1", "2021-01-03 2", "2021-01-04 1",
      "2021-01-05 1",
    ]
    for (period, text, expected) in [
      (.days, { DayNumber.text($0) }, days),
      (.weeks, { DayNumber.text(week: $0) }, ["2020-W53 2", "2021-W01 1"]),
      (.months, { DayNumber.text(month: $0) }, ["2020-12 1", "2021-01 2"]),
    ] as [(ActivePeople.Period, (Int) -> String, [String])] {
      #expect(active.counts(by: period).map { "\(text($0.number)) \($0.count)" } == expected)
    }
    #expect(active.cohortCounts.map(\.first) == [18_627, 18_628])
    #expect(active.cohortCounts[1].active.map(\.number) == [18_628, 18_630])
  }

  @Test func whatIsTakenBackIsGone() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = RepeatableRandom(seed: seed)
    var sets = (0..<30).map { _ in
      Self.set((0..<9).map { _ in Int.random(in: DayNumber.range, using: &random) })
    }
    var (all, parts, back) = (ActivePeople(), [ActivePeople(), ActivePeople()], ActivePeople())
    for set in sets {
      all.add(1, set)
      parts[Int.random(in: 0...1, using: &random)].add(1, set)
    }
    back.merge(parts[1])
    back.merge(parts[0])
    #expect(back == all, "seed \(seed)")
    sets.shuffle(using: &random)
    for set in sets { back.add(-1, set) }
    #expect(back == ActivePeople(), "seed \(seed)")
  }

  /// Of people of one first day those of the same day of the next year are known, and a month more.
  @Test func firstDaysAreFollowedForAWhile() {
    var active = ActivePeople()
    active.add(1, Self.set([19_000, 19_000 + 399, 19_000 + 400]))
    #expect(active.cohortCounts[0].active.map(\.number) == [19_000, 19_399])
    #expect(active.counts(by: .days).map(\.number) == [19_000, 19_399, 19_400])
    active.add(1, Self.set([DayNumber.range.upperBound - 1]))
    #expect(active.cohortCounts.count == 2)
  }

  @Test func daysAreReadAsTheyAreWritten() {
    for day in [DayNumber.range.lowerBound, 19_844, DayNumber.range.upperBound - 1] {
      #expect(withByteView(of: DayNumber.text(day)) { DayNumber.parse($0) } == day)
    }
    for text in ["1999-12-31", "2100-01-01", "2024-02-30", "2024-5-1", "24-05-01", "2024-05-01T"] {
      #expect(withByteView(of: text) { DayNumber.parse($0) } == nil, "\(text)")
    }
  }
}
