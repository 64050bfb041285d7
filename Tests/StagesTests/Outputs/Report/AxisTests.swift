@testable import Jobs
import TestSupport
import Testing

@testable import Stages

/// The scales of charts: round numbers, round times, few marks.
@Suite struct AxisTests {
  @Test(arguments: [
    (0, [1]), (1, [1]), (4, [1, 2, 3, 4]), (5, [2, 4, 6]), (8, [2, 4, 6, 8]), (9, [5, 10]),
    (100, [50, 100]), (299, [100, 200, 300]), (1001, [500, 1000, 1500]),
    (19_500, [5000, 10_000, 15_000, 20_000]),
  ])
  func ticksAreRound(_ greatest: Int, _ ticks: [Int]) {
    #expect(Array(AxisScale(upTo: greatest).ticks) == ticks)
  }

  @Test func anyNumberFitsBelowTheTop() {
    var random = RepeatableRandom(seed: 3)
    for bits in 0..<58 {
      let greatest = Int.random(in: 1 << bits..<1 << (bits + 1), using: &random)
      let scale = AxisScale(upTo: greatest)
      #expect(scale.top >= greatest && scale.top - greatest < scale.step)
      #expect(1...5 ~= scale.top / scale.step, "\(greatest)")
    }
  }

  /// 2024-06-01T00:00:00Z, a Saturday.
  private static let june = 1_717_200_000_000
  private static let hour = HourCounts.milliseconds

  @Test(arguments: [
    (1, ["1 Jun"]), (6, ["1 Jun", "01:00", "02:00", "03:00", "04:00", "05:00"]),
    (24, ["1 Jun", "06:00", "12:00", "18:00"]),
    (72, ["1 Jun", "12:00", "2 Jun", "12:00", "3 Jun", "12:00"]),
    (30 * 24, ["1 Jun", "8 Jun", "15 Jun", "22 Jun", "29 Jun"]),
    (365 * 24, ["Jun 2024", "Aug 2024", "Nov 2024", "Mar 2025", "May 2025"]),
    (6 * 366 * 24, ["2024", "2025", "2026", "2027", "2028", "2029", "2030"]),
  ])
  func timesAreRound(_ hours: Int, _ labels: [String]) {
    let axis = TimeAxis(from: Self.june, to: Self.june + hours * Self.hour)
    #expect(axis.ticks.map(\.label) == labels)
  }

  @Test func anyTimeHasFewMarksWithinIt() {
    for hours in Array(1...500) + [9000, 100_000, HourCounts.range.count - 1] {
      let start = Rules.earliestTime + Self.hour
      let ticks = TimeAxis(from: start, to: start + hours * Self.hour).ticks
      #expect(1...TimeAxis.most ~= ticks.count || hours < 3, "\(hours) hours")
      #expect(ticks.allSatisfy { $0.time >= start && $0.time < start + hours * Self.hour })
    }
  }

  @Test func strayEventsDoNotStretchTheWindow() {
    func hour(_ number: Int, _ events: Int) -> HourCounts.Hour {
      HourCounts.Hour(number: 477_000 + number, events: events)
    }
    let busy = (0..<48).map { hour($0, 100) }
    #expect(HourWindow(busy).hours == busy)
    #expect(HourWindow([hour(-100_000, 3), hour(-50, 2)] + busy + [hour(9000, 1)]).hours == busy)
    let spread = [hour(-200, 50)] + busy
    #expect(HourWindow(spread).hours == spread, "too many to be left out")
    let near = [hour(-5, 1)] + busy
    #expect(HourWindow(near).hours == near, "too near to be worth it")
    #expect(HourWindow([]).hours.isEmpty)
  }
}
