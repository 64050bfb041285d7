@testable import Jobs
import TestSupport
import Testing

@testable import Stages

@Suite struct TimeBinTests {
  /// 2024-06-01T00:00:00Z, a Saturday, as hours since 1970.
  private static let june = 477_000

  private func hours(_ events: [(hour: Int, events: Int)]) -> [HourCounts.Hour] {
    events.map { HourCounts.Hour(number: Self.june + $0.hour, events: $0.events) }
  }

  @Test func daysBeginAtMidnight() {
    let bins = TimeBin.fold(hours([(-1, 1), (0, 2), (23, 3), (48, 4)]), by: 24)
    let day = 24 * HourCounts.milliseconds
    let june = Self.june * HourCounts.milliseconds
    #expect(
      bins == [
        TimeBin(start: june - day, end: june, events: 1),
        TimeBin(start: june, end: june + day, events: 5),
        TimeBin(start: june + 2 * day, end: june + 3 * day, events: 4),
      ])
  }

  @Test func weeksBeginOnMondays() {
    let bins = TimeBin.fold(hours([(47, 1), (48, 1)]), by: 7 * 24)
    #expect(bins.map(\.start) == [-5, 2].map { (Self.june + $0 * 24) * HourCounts.milliseconds })
  }

  @Test func aChartShowsHoursWithoutEvents() {
    let bins = TimeBin.cover(hours([(0, 5), (3, 1)]), atMost: 200)
    #expect(bins.map(\.events) == [5, 0, 0, 1])
    #expect(TimeBin.cover([], atMost: 200).isEmpty)
  }

  /// Whatever the time that is covered, the bins follow each other, hold all events and are few.
  @Test func anyTimeFitsIntoAChart() {
    var random = RepeatableRandom(seed: 5)
    for most in [3, 50, 200] {
      for length in [1, 2, 199, 200, 201, 24 * 200, 24 * 366 * 10, HourCounts.range.count] {
        let start = HourCounts.range.upperBound - length
        var numbers: Set<Int> = [start, start + length - 1]
        for _ in 0..<20 { numbers.insert(start + Int.random(in: 0..<length, using: &random)) }
        let hours = numbers.sorted().map { HourCounts.Hour(number: $0, events: 2) }
        let bins = TimeBin.cover(hours, atMost: most)
        #expect(bins.count <= most, "\(length) hours")
        #expect(bins.reduce(0) { $0 + $1.events } == 2 * hours.count)
        #expect(zip(bins, bins.dropFirst()).allSatisfy { $0.end == $1.start })
        #expect(bins.first.map { $0.start <= start * HourCounts.milliseconds } == true)
      }
    }
  }
}
