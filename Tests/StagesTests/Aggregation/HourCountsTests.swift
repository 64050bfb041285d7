import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct HourCountsTests {
  private static let hour = HourCounts.milliseconds

  private func counts(_ times: [Int]) -> HourCounts {
    var counts = HourCounts()
    for time in times { counts.add(time: time) }
    return counts
  }

  @Test func anHourIsFromItsBeginningToTheLastMillisecond() {
    let first = Rules.earliestTime
    let counts = counts([first, first + Self.hour - 1, first + Self.hour, Rules.endOfTime - 1])
    let number = HourCounts.range.lowerBound
    #expect(
      counts.hours == [
        .init(number: number, events: 2), .init(number: number + 1, events: 1),
        .init(number: HourCounts.range.upperBound - 1, events: 1),
      ])
    #expect(number * Self.hour == first && counts.events == 4)
  }

  @Test func theCountsAreThoseOfADictionaryInAnyOrderAndGrouping() {
    var random = RepeatableRandom(seed: 17)
    var parts = Array(repeating: HourCounts(), count: 4)
    var plain: [Int: Int] = [:]
    var times: [Int] = []
    for _ in 0..<3000 {
      // Half of them within some days, so that hours repeat.
      let range =
        Bool.random(using: &random)
        ? 1_717_200_000_000..<1_717_600_000_000
        : Rules.earliestTime..<Rules.endOfTime
      let time = Int.random(in: range, using: &random)
      parts[Int.random(in: 0..<4, using: &random)].add(time: time)
      plain[time / Self.hour, default: 0] += 1
      times.append(time)
    }
    let expected = plain.sorted { $0.key < $1.key }.map {
      HourCounts.Hour(number: $0.key, events: $0.value)
    }
    for order in [parts, parts.reversed()] {
      var sum = HourCounts()
      for part in order { sum.merge(part) }
      #expect(sum.hours == expected)
      #expect(sum == counts(times.shuffled(using: &random)))
      #expect(sum == counts(times.sorted(by: >)))
      #expect(sum.events == 3000)
    }
  }

  @Test func aTimeThatNoEventHasIsTrapped() async {
    await #expect(processExitsWith: .failure) { HourCounts.counting(Rules.endOfTime) }
    await #expect(processExitsWith: .failure) { HourCounts.counting(Rules.earliestTime - 1) }
  }

  // MARK: - As text

  /// What is read from the text of an array, or nil.
  private func read(_ text: String) -> HourCounts? {
    withByteView(of: text) { text in
      var reading = DocumentReading()
      return (try? JSONDocument(text)).flatMap { try? HourCounts.read($0.root, &reading) }
    }
  }

  @Test func whatWasWrittenIsReadBack() {
    let counts = counts([Rules.earliestTime, 1_717_200_000_000, 1_717_200_000_001])
    let text = JSONWriter.document { json in counts.write("hours", to: &json) }.text
    let array = "[[262968,1],[477000,2]]"
    #expect(text == "{\"hours\":\(array)}\n")
    #expect(read(array) == counts)
    #expect(read("[]") == HourCounts())
  }

  @Test(arguments: [
    "{}", "[3]", "[[477000]]", "[[477000,1,1]]", "[[477000,0]]", "[[477000,-1]]", "[[477000,1.0]]",
    "[[477000,1],[477000,1]]", "[[477001,1],[477000,1]]", "[[262967,1]]", "[[1139568,1]]",
    "[[477000,281474976710657]]", "[[477000,99999999999999999999]]", "[[\"477000\",1]]",
    "[[[477000,1],1]]", "null",
  ])
  func anythingElseIsRefused(_ text: String) { #expect(read(text) == nil) }

  // MARK: - Lateness

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
    #expect(lateness.buckets.map(\.under) == [1, 24, 168, 720, 8760, nil])
    #expect(lateness.buckets.map(\.from) == [nil, 1, 24, 168, 720, 8760])
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

extension HourCounts {
  fileprivate static func counting(_ time: Int) {
    var counts = HourCounts()
    counts.add(time: time)
  }
}
