import Pipeline
import TestSupport
import Testing

@testable import Stages

/// The newest time (data-model 12.3): what one wrong clock must not decide.
@Suite struct ReadDaysTests {
  /// Events of days from 2024-05-01, all at noon.
  private static func days(_ counts: [Int: Int]) -> ReadDays {
    var days = ReadDays()
    for (number, events) in counts {
      days.add(ReadDays.Day(events: events, last: noon(number)), of: first + number)
    }
    return days
  }

  private static let first = 19_844

  private static func noon(_ number: Int) -> Int {
    (first + number) * DayNumber.milliseconds + DayNumber.milliseconds / 2
  }

  @Test(arguments: [
    ([0: 1], 0), ([0: 1, 5: 1], 5), ([0: 2, 5: 1], 0), ([0: 99, 5: 98], 0),
    ([0: 99, 5: 100], 5), ([0: 100, 5: 99], 0), ([0: 5000, 5: 100], 5), ([0: 5000, 5: 99], 0),
    ([0: 10_000, 5: 100], 5), ([0: 10_001, 5: 100], 0), ([0: 10_001, 5: 101, 6: 100], 5),
    ([0: 3, 13_000: 1, 20_000: 2], 0),
  ])
  func theNewestDayHasEnoughEvents(_ counts: [Int: Int], newest: Int) {
    #expect(Self.days(counts).newest == Self.noon(newest))
  }

  @Test func withoutEventsThereIsNone() {
    var days = ReadDays()
    days.add(ReadDays.Day(), of: Self.first)
    #expect(days.newest == nil && days.likelyDays == nil && days.isEmpty)
    #expect(days.far(of: days) == ReadDays.FarEvents())
  }

  @Test func farEventsAreThoseOfTheRunBeyondBothBounds() {
    let all = Self.days([0: 200, 3: 150, 34: 1, 35: 2, -3650: 4, -3651: 8])
    #expect(all.newest == Self.noon(3))
    #expect(all.far(of: all) == ReadDays.FarEvents(ahead: 2, behind: 8))
    #expect(all.far(of: Self.days([3: 150, 35: 1])) == ReadDays.FarEvents(ahead: 1))
  }
}
