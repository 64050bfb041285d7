import Stages
import Testing

@testable import Jobs

@Suite struct ActivityTests {
  private static let hour = HourCounts.milliseconds

  @Test func columnsCoverTheHours() {
    var counts = HourCounts()
    for (time, events) in [(480_000, 3), (480_002, 1), (480_005, 9)] {
      for _ in 0..<events { counts.add(time: time * Self.hour) }
    }
    let activity = RunReport.Activity(counts.hours, atMost: 20)
    #expect(activity?.counts == [3, 0, 1, 0, 0, 9])
    #expect(activity?.start == 480_000 * Self.hour && activity?.end == 480_006 * Self.hour)
    #expect(RunReport.Activity(counts.hours, atMost: 3)?.counts == [4, 9])
    #expect(RunReport.Activity([], atMost: 20) == nil)
  }

  /// A clock that is years ahead, or behind, changes nothing about the picture.
  @Test func rareTimesAreLeftOut() {
    var counts = HourCounts()
    for time in 0..<1000 { counts.add(time: (480_000 + time % 10) * Self.hour) }
    let usual = RunReport.Activity(counts.hours, atMost: 40)
    for time in [300_000, 300_001, 600_000, 700_000] { counts.add(time: time * Self.hour) }
    #expect(RunReport.Activity(counts.hours, atMost: 40) == usual)
    #expect(usual?.counts == Array(repeating: 100, count: 10))
  }
}
