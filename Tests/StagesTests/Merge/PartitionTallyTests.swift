@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct PartitionTallyTests {
  /// The text of the tally of a partition.
  private static let written = PartitionTally(
    TallyFixture.counted, .people, partition: 3,
    SnapshotNames(TallyFixture.names(["z", "y", "x", "unused"]))
  ).text().text

  private static func read(_ text: String) throws -> PartitionTally {
    try withByteView(of: text) { try PartitionTally(JSONDocument($0).root) }
  }

  /// Names have other numbers in the process that finishes.
  @Test func theCountsOfPartitionsAddUpAsTheyWereWritten() throws {
    let tally = try Self.read(Self.written)
    #expect(tally.partition == 3 && tally.counts.hot == TallyFixture.counted.hot)
    #expect(tally.profiles.map(\.name) == ["y", "z"] && tally.profiles.map(\.count) == [-3, 7])
    let others = TallyFixture.names(["x", "y", "z"])
    var sum = SnapshotTally()
    var cache = NameCache(of: others.events)
    for _ in 0..<2 { #expect(tally.add(to: &sum, &cache, known: 3)) }
    #expect((0..<3).map { sum.profiles(with: $0) } == [0, -6, 14])
    var duplicates: [EventDay: Int] = [:]
    sum.duplicates.events.packed.forEach { duplicates[$0] = $1 }
    #expect(sum.arrayOverflow == 8 && duplicates.values.reduce(0, +) == 10)
    #expect(duplicates[EventDay(name: 0, day: 19_844)] == 4)
    #expect(sum.active.counts(by: .weeks).map(\.count) == [-2, 4])
    #expect(sum.active.cohortCounts.map(\.active.first?.count) == [-2, 4])
    #expect(sum.duplicates.total == 10 && sum.duplicates.pairs.count == 2)
    #expect(sum.hot.events.entries.map(\.count) == [5, 5, 4, 4])
    var few = NameCache(of: TallyFixture.names(["x", "y"]).events)
    #expect(!tally.add(to: &sum, &few, known: 2), "z is in no partial")
  }

  @Test(arguments: [
    (#""y":-3"#, #""a b":-3"#, "it has what is not the name of an event"),
    (#""y":-3"#, #""y":4398046511104"#, "profiles.y exceeds what logs can hold"),
    (#""y":-3"#, #""y":-9223372036854775808"#, "profiles.y is not a count"),
    (#""19844":["#, #""+19844":["#, "active is not active people per day, week and month"),
    (
      "[[19840,-1]]", "[[19840,4398046511104]]",
      "active is not active people per day, week and month"
    ),
    (
      "[[0,3],[19844,2]]", "[[0,3],[\(DayNumber.range.upperBound),2]]",
      "duplicates is not counts by number, in order"
    ),
  ])
  func whatNobodyHasWrittenIsRefused(_ part: String, _ other: String, _ why: String) throws {
    let damage = #expect(throws: DocumentDamage.self) {
      try Self.read(Self.written.replacing(part, with: other))
    }
    #expect(damage?.why == why)
  }

  /// Whatever they count, those of as many partitions as there can be still fit an integer.
  @Test func sumsOfAllPartitionsFit() {
    #expect(
      !PartitionTally.mostCounted.multipliedReportingOverflow(
        by: StateHeader.maximumPartitions
      ).overflow)
  }
}
