import Pipeline
import TestSupport
import Testing

@testable import Jobs

/// Days, the nights that are to be made, and those that are kept.
@Suite struct NightCalendarTests {
  private static func day(_ text: String) throws -> Day { try #require(Day(text)) }

  @Test func daysFollowEachOther() throws {
    for (text, next) in [
      ("2024-02-28", "2024-02-29"), ("2024-02-29", "2024-03-01"), ("2023-12-31", "2024-01-01"),
      ("0001-01-01", "0001-01-02"), ("1969-12-31", "1970-01-01"),
    ] {
      let day = try Self.day(text)
      #expect(day.text == text)
      #expect(day.advanced(by: 1).text == next)
      #expect(Day(of: day.advanced(by: 1).start - 1) == day)
    }
    for text in ["2023-02-29", "0000-01-01", "2024-13-01"] { #expect(Day(text) == nil) }
    #expect(
      try Self.day("1970-01-01").number == 0 && Self.day("2024-06-01").start == 1_717_200_000_000)
    // Monday begins a week.
    let weeks = try ["2024-06-02", "2024-06-03", "2024-06-09"].map { try Self.day($0).week }
    #expect(weeks == [weeks[0], weeks[0] + 1, weeks[0] + 1])
  }

  @Test func nightsThatAreMissingAreMadeInOrder() throws {
    let days = (0..<5).map { Day(of: 1_717_200_000_000).advanced(by: $0) }
    for (published, first, last, again, previous, missing) in [
      ([0, 1], nil, 4, nil, 1, [2, 3, 4]), ([0, 1, 2, 3, 4], nil, 4, nil, 4, []),
      // A removed night is not a gap.
      ([0, 3], nil, 4, nil, 3, [4]),
      ([0, 1, 2, 3, 4], nil, 4, 3, 2, [3, 4]), ([], 0, 1, nil, nil, [0, 1]),
    ] as [([Int], Int?, Int, Int?, Int?, [Int])] {
      let plan = try NightPlan(
        published: published.map { days[$0] }, first: first.map { days[$0] }, last: days[last],
        again: again.map { days[$0] })
      #expect(plan.previous == previous.map { days[$0] }, "\(published)")
      #expect(plan.missing == missing.map { days[$0] }, "\(published)")
    }
  }

  @Test func nothingBeginsByItself() throws {
    let (early, late) = (try Self.day("2024-06-01"), try Self.day("2024-06-05"))
    for (published, first, last, words) in [
      ([], nil, late, "--from-night"), ([early], late, late, "leave --from-night out"),
      ([], late, early, "is after 2024-06-01"), ([late], nil, early, "the first night"),
      ([early, late], nil, early.advanced(by: 1), "2024-06-05 is published"),
      ([early, late], nil, early, "2024-06-05 is published"),
      ([early], nil, early.advanced(by: 5000), "5,000 nights are missing"),
    ] as [([Day], Day?, Day, String)] {
      let failure = #expect(throws: Failure.self) {
        try NightPlan(published: published, first: first, last: last)
      }
      #expect(failure?.kind == .usage)
      #expect(failure?.message.contains(words) == true, "\(failure?.message ?? "none")")
    }
  }

  /// By the newest seven nights of known size: at least as long as the shortest.
  @Test func aNightTakesAsLongAsThoseBeforeIt() throws {
    func night(_ seconds: Int, _ inputs: Int, _ bytes: Int?) throws -> ListedNight {
      var night = ListedNight(Day(of: 0), .good)
      night.figures = try withByteView(of: "{\"time\":{\"seconds\":\(seconds)}}") {
        NightFigures(try JSONDocument($0).root)
      }
      (night.inputBytes, night.bytes) = (inputs, bytes)
      return night
    }
    let nights = try (0..<7).map { try night(10, 100, 5 + $0) }
    let estimate = NightEstimate(
      [try night(1000, 1, 9000)] + nights + [try night(1, 1, nil)])
    #expect([1000, 100, 1].map { estimate.seconds(for: $0) } == [100, 10, 10])
    #expect(estimate.bytes == 11 && NightEstimate([]).seconds(for: 5) == nil)
  }

  // MARK: - Retention

  /// Nights without logs do not push out others.
  @Test func emptyNightsAreKeptBesideOthers() throws {
    let start = try Self.day("2024-01-01")
    let nights = (0..<182).map { start.advanced(by: $0) }
    let empty = Retention(daily: 2).kept(of: nights, empty: Set(nights.suffix(30)))
    #expect(empty.sorted().map(\.text) == ["2024-05-30", "2024-05-31", "2024-06-29", "2024-06-30"])
  }

  private struct Chain: RandomChoices {
    var random: RepeatableRandom

    /// Nights with gaps, and how many are kept.
    mutating func next() -> (nights: [Day], retention: Retention) {
      let start = Day(of: 0).advanced(by: Int.random(in: -20_000...20_000, using: &random))
      let gap = pick([0, 10, 60])
      let nights = (0..<Int.random(in: 1...120, using: &random)).map { start.advanced(by: $0) }
        .filter { _ in !chance(gap) }
      return (
        nights,
        Retention(daily: pick([0, 1, 7]), weekly: pick([0, 2, 5]), monthly: pick([0, 1, 12]))
      )
    }
  }

  /// Those that are kept, counted in another way: each rule walks back from the newest night.
  private static func naive(_ nights: [Day], _ retention: Retention) -> Set<Day> {
    func newest(_ count: Int, _ period: (Day) -> String) -> [Day] {
      var latest: [String: Day] = [:]
      for night in nights { latest[period(night)] = max(night, latest[period(night)] ?? night) }
      return Array(latest.values.sorted().suffix(count))
    }
    if retention == Retention() { return Set(nights) }
    var kept = newest(max(1, retention.daily)) { $0.text }
    kept += newest(retention.weekly) { monday(before: $0).text }
    kept += newest(retention.monthly) { String($0.text.prefix(7)) }
    return Set(kept)
  }

  /// The Monday of a day's week; 2024-06-03 is one.
  private static func monday(before day: Day) -> Day {
    var monday = day
    while (monday.number - 19_877) % 7 != 0 { monday = monday.advanced(by: -1) }
    return monday
  }

  @Test func whatIsKeptIsWhatTheRulesSay() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var chain = Chain(random: RepeatableRandom(seed: seed))
    for round in 0..<300 {
      let (nights, retention) = chain.next()
      let kept = retention.kept(of: nights.shuffled(using: &chain.random))
      #expect(kept == Self.naive(nights, retention), "seed \(seed), round \(round)")
      #expect(retention.kept(of: kept) == kept, "seed \(seed), round \(round)")
    }
  }
}
