import Testing

@testable import Stages

@Suite struct LatenessTests {
  private func lateness(_ late: [(hours: Int, events: Int)]) -> Lateness {
    let newest = 477_000
    return Lateness(
      late.sorted { $0.hours > $1.hours }
        .map { HourCounts.Hour(number: newest - $0.hours, events: $0.events) },
      before: newest * HourCounts.milliseconds + 5)
  }

  @Test func everyBoundBelongsToTheBucketAboveIt() {
    let lateness = lateness([
      (0, 1), (1, 10), (23, 10), (24, 100), (167, 100), (168, 1000), (719, 1000), (720, 10_000),
      (8759, 10_000), (8760, 100_000), (100_000, 100_000),
    ])
    #expect(lateness.newest == 477_000 * HourCounts.milliseconds)
    #expect(lateness.buckets.map(\.under) == ["1h", "1d", "7d", "30d", "365d", nil])
    #expect(lateness.buckets.map(\.from) == [nil, "1h", "1d", "7d", "30d", "365d"])
    #expect(lateness.buckets.map(\.events) == [1, 20, 200, 2000, 20_000, 200_000])
  }

  @Test func whatIsAfterTheNewestTimeIsNotLate() {
    #expect(lateness([(-300_000, 2), (0, 1)]).buckets.map(\.events) == [3, 0, 0, 0, 0, 0])
  }

  @Test func withoutEventsThereIsNoNewest() {
    let lateness = Lateness([], before: nil)
    #expect(lateness.newest == nil)
    #expect(lateness.buckets.map(\.events) == [0, 0, 0, 0, 0, 0])
  }
}
