@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// The scales of charts, with round numbers, round times and few marks, and the bins they show.
@Suite struct ChartTests {
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
    let busy = hours((0..<48).map { ($0, 100) })
    let stray = hours([(-100_000, 3), (-50, 2)]) + busy + hours([(9000, 1)])
    #expect(HourWindow(stray).hours == busy)
    // Also too many to be left out, and too near to be worth it.
    for all in [[], busy, hours([(-200, 50)]) + busy, hours([(-5, 1)]) + busy] {
      #expect(HourWindow(all).hours == all)
    }
  }

  @Test func columnsAreDrawnToScale() {
    let bins = [2, 4].enumerated().map { index, events in
      let start = Self.june + index * Self.hour
      return TimeBin(start: start, end: start + Self.hour, events: events)
    }
    var html = HTMLWriter()
    ColumnChart(bins: bins, title: "t").write(to: &html)
    let buffer = html.finish()
    let text = buffer.view.text
    for part in [
      "6 events from 1 Jun 2024 00:00 to 1 Jun 2024 02:00 UTC. Most, 4, are those of "
        + "1 Jun 2024 01:00–02:00 UTC.",
      #"<line class="grid" x1="0%" y1="25.000%" x2="100%" y2="25.000%"></line>"#
        + #"<text x="-8" y="25.000%" dy="4" text-anchor="end">3</text>"#,
      "<title>1 Jun 2024 00:00–01:00 UTC: 2 events</title>"
        + #"<rect class="over" x="0.000%" y="0.000%" width="50.000%" height="100.000%"></rect>"#
        + #"<rect class="column" x="5.000%" y="50.000%" width="40.000%" height="50.000%"></rect>"#,
      #"<rect class="column" x="55.000%" y="0.000%" width="40.000%" height="100.000%"></rect>"#,
      #"<g class="second"><svg x="50.000%" y="100%" overflow="visible"><line class="tick""#,
    ] { #expect(text.contains(part), "\(part)") }
  }

  // MARK: - Bins

  private static let firstHour = june / hour

  private func hours(_ events: [(hour: Int, events: Int)]) -> [HourCounts.Hour] {
    events.map { HourCounts.Hour(number: Self.firstHour + $0.hour, events: $0.events) }
  }

  @Test func daysBeginAtMidnightAndWeeksOnMondays() {
    for (events, length, expected) in [
      ([(-1, 1), (0, 2), (23, 3), (48, 4)], 1, [(-1, 1), (0, 5), (2, 4)]),
      ([(47, 1), (48, 1)], 7, [(-5, 1), (2, 1)]),
    ] as [([(Int, Int)], Int, [(day: Int, events: Int)])] {
      let bins = expected.map { day, events in
        let start = Self.june + day * 24 * Self.hour
        return TimeBin(start: start, end: start + length * 24 * Self.hour, events: events)
      }
      #expect(TimeBin.fold(hours(events), by: 24 * length) == bins)
    }
  }

  /// What few events make longer is left out only if that shortens it by half.
  @Test(arguments: [(1, 3), (0, 2)]) func aFewEarlyEventsAreLeftOut(hour: Int, shown: Int) {
    #expect(HourWindow(hours([(hour, 1), (2, 200), (3, 200)])).hours.count == shown)
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
        #expect(bins.first.map { $0.start <= start * Self.hour } == true)
      }
    }
  }
}
