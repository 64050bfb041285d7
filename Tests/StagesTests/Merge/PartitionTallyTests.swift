@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct PartitionTallyTests {
  private static func read(_ text: String) throws -> PartitionTally {
    var bytes = ByteBuffer()
    bytes.append(text: text)
    return try PartitionTally(JSONDocument(bytes.view).root)
  }

  private static func names(_ texts: [String]) -> RunNames {
    let names = RunNames(limit: 100)
    var cache = NameCache(of: names.events)
    for text in texts { _ = cache.id(ofText: text) }
    return names
  }

  private static let nobody = #""active":{"days":[],"months":[],"weeks":[]}"#

  private static var counted: SnapshotTally {
    var tally = SnapshotTally()
    tally.add(7, 0)
    tally.add(-3, 1)
    tally.arrayOverflow = 4
    tally.duplicates.add(3, EventDay(name: 2, day: 0))
    tally.duplicates.add(2, EventDay(name: 2, day: 19_844))
    tally.active.add(2, by: .weeks, 2_835)
    tally.active.add(-1, firstDay: 19_840, 19_844)
    let (a, b) = (InputSourceID(path: "a"), InputSourceID(path: "b"))
    tally.duplicates.add(2, .init(dropped: a, counted: b, isEarlier: true))
    tally.duplicates.add(3, .init(dropped: a, counted: b, isEarlier: false))
    tally.hot.events.add(.init(key: Array("custom:u".utf8), count: 4))
    tally.hot.events.add(.init(key: Array("install:u".utf8), count: 5))
    tally.hot.people.add(.init(key: Array("install:u".utf8), count: 2))
    return tally
  }

  @Test func whatIsReadIsWhatWasWritten() throws {
    let names = SnapshotNames(Self.names(["z", "y", "x", "unused"]))
    let tally = PartitionTally(Self.counted, .people, partition: 3, names)
    let text = tally.json().view.text
    let read = try Self.read(text)
    #expect(read.json().view.text == text && read.partition == 3)
    #expect(read.hot == Self.counted.hot && read.hot.events.entries.map(\.count) == [5, 4])
    #expect(read.profiles.map(\.name) == ["y", "z"] && read.profiles.map(\.count) == [-3, 7])
  }

  /// Names have other numbers in the process that finishes.
  @Test func theCountsOfPartitionsAddUp() throws {
    let names = SnapshotNames(Self.names(["z", "y", "x"]))
    let tally = PartitionTally(Self.counted, .people, partition: 0, names)
    let others = Self.names(["x", "y", "z"])
    var sum = SnapshotTally()
    var cache = NameCache(of: others.events)
    for _ in 0..<2 { #expect(tally.add(to: &sum, &cache, known: 3)) }
    #expect((0..<3).map { sum.profiles(with: $0) } == [0, -6, 14])
    var duplicates: [EventDay: Int] = [:]
    sum.duplicates.events.packed.forEach { duplicates[$0] = $1 }
    #expect(sum.arrayOverflow == 8 && duplicates.values.reduce(0, +) == 10)
    #expect(duplicates[EventDay(name: 0, day: 19_844)] == 4)
    #expect(sum.active.counts(by: .weeks).map(\.count) == [4])
    #expect(sum.active.cohortCounts.map(\.active.first?.count) == [-2])
    #expect(sum.duplicates.total == 10 && sum.duplicates.pairs.count == 2)
    var few = NameCache(of: Self.names(["x", "y"]).events)
    #expect(!tally.add(to: &sum, &few, known: 2), "z is in no partial")
  }

  @Test(arguments: [
    "{}", #"{"eventmill_tally":1,"partition":0,"array_overflow":0}"#,
    #"{"eventmill_tally":\#(PartialFile.formatVersion),"step":"people","lines":1,"array_overflow":0,"erased_straddling":0}"#,
    #"{"eventmill_tally":\#(PartialFile.formatVersion),"step":"people","lines":1,"partition":0,"array_overflow":-1,"erased_straddling":0}"#,
    #"{"eventmill_tally":\#(PartialFile.formatVersion),"step":"people","lines":1,"partition":0,"array_overflow":9223372036854775807,"#
      + #""erased_straddling":0}"#,
    #"{"eventmill_tally":\#(PartialFile.formatVersion),"step":"people","lines":1,"partition":0,"array_overflow":0,"#
      + #""erased_straddling":0,"profiles":{"a":-9223372036854775808}}"#,
    #"{"eventmill_tally":\#(PartialFile.formatVersion),"step":"people","lines":1,"partition":0,"array_overflow":0,"#
      + #""erased_straddling":0,"profiles":{"a b":1}}"#,
    #"{"eventmill_tally":\#(PartialFile.formatVersion),"step":"people","lines":1,"partition":0,"array_overflow":0,"#
      + #""erased_straddling":0,\#(nobody),"duplicates":{"a":[[0,-1]]}}"#,
    #"{"eventmill_tally":\#(PartialFile.formatVersion),"step":"people","lines":1,"partition":0,"array_overflow":0,"#
      + #""erased_straddling":0,"active":{"days":[[1,1]],"months":[],"weeks":[]}}"#,
    #"{"eventmill_tally":\#(PartialFile.formatVersion),"step":"people","lines":1,"partition":0,"array_overflow":0,"#
      + #""erased_straddling":0,"active":{"days":[]}}"#,
    #"{"eventmill_tally":\#(PartialFile.formatVersion),"step":"people","lines":1,"partition":0,"array_overflow":0,"#
      + #""erased_straddling":0,\#(nobody),"duplicates_of":[[1]]}"#,
    #"{"eventmill_tally":\#(PartialFile.formatVersion),"step":"people","lines":1,"partition":0,"array_overflow":4398046511104,"#
      + #""erased_straddling":0,"profiles":{"a":-1}}"#,
  ])
  func whatNobodyHasWrittenIsRefused(_ text: String) {
    #expect(throws: FactsDamage.self) { try Self.read(text) }
  }

  /// Whatever they count, those of as many partitions as there can be still fit an integer.
  @Test func sumsOfAllPartitionsFit() {
    #expect(
      !PartitionTally.mostCounted.multipliedReportingOverflow(
        by: StateHeader.maximumPartitions
      ).overflow)
  }

  @Test func changedTalliesAreRefusedOrAddUp() throws {
    let names = Self.names(["z", "y", "x"])
    let tally = PartitionTally(Self.counted, .people, partition: 3, SnapshotNames(names))
    let text = Array(tally.json().view.text.utf8)
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = RepeatableRandom(seed: seed)
    for _ in 0..<2000 {
      let changed = String(decoding: Mutations.mutate(text, &random), as: UTF8.self)
      guard let other = try? Self.read(changed) else { continue }
      var sum = Self.counted
      var cache = NameCache(of: names.events)
      _ = other.add(to: &sum, &cache, known: 3)
      #expect(
        try Self.read(other.json().view.text).json().view.text == other.json().view.text,
        "seed \(seed)")
    }
  }
}
