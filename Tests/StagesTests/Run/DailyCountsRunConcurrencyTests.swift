@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// `daily_counts.ndjson` against a recount of the logs, where nights have no days and where people
/// are erased. ``NaiveMerge`` counts the rest.
@Suite struct DailyCountsRunConcurrencyTests {
  private let fixture: RunFixture

  init() throws { fixture = try RunFixture() }

  /// 2024-03-28: weeks, months, and a leap year's spring.
  private static let start = 1_711_584_000_000

  /// Events of some people on these days.
  private static func steps(
    _ count: Int, days: Range<Int>, _ random: inout RepeatableRandom
  ) -> [Step] {
    (0..<count).map { _ in
      Step(
        kind: .event, key: "u\(Int.random(in: 0..<12, using: &random))",
        name: "n\(Int.random(in: 0..<4, using: &random))", time: time(days, &random))
    }
  }

  private static func time(_ days: Range<Int>, _ random: inout RepeatableRandom) -> Int {
    start
      + Int.random(in: days.lowerBound * 86_400_000..<days.upperBound * 86_400_000, using: &random)
  }

  private static func lines(_ steps: [Step]) -> [String] {
    steps.map { "{\"custom_id\":\"\($0.key)\",\"name\":\"\($0.name)\",\"time\":\($0.time)}" }
  }

  /// The counts of the lines, by the texts of days: events by name, people, and people by first
  /// day.
  private struct Recount: Equatable {
    var events: [String: Int] = [:]
    var active: [String: Int] = [:]
    var new: [String: Int] = [:]
    var cohorts: [String: Int] = [:]

    /// The counts of `events`, and of the days of the owners of `people`.
    init(_ events: [Step], people: [Step]) {
      let day = { (step: Step) in DayNumber.text(DayNumber.of(step.time)) }
      for step in events { self.events["\(day(step)) \(step.name)", default: 0] += 1 }
      for steps in Dictionary(grouping: people, by: \.key).values {
        let days = Set(steps.map(day))
        let first = days.min() ?? ""
        new[first, default: 0] += 1
        for day in days {
          active[day, default: 0] += 1
          cohorts["\(day) \(first)", default: 0] += 1
        }
      }
    }

    /// The counts of an output.
    init(_ lines: [NaiveJSON]) {
      for line in lines {
        guard let day = line["day"]?.text else { continue }
        if let name = line["event"]?.text {
          events["\(day) \(name)"] = line["count"]?.integer
        } else if let first = line["first"]?.text {
          cohorts["\(day) \(first)"] = line["active"]?.integer
        } else {
          if let people = line["active"]?.integer, people > 0 { active[day] = people }
          if let people = line["new"]?.integer, people > 0 { new[day] = people }
        }
      }
    }
  }

  /// A night without days discards them. A later night has the first and the last day of each name,
  /// and reports since when its days are complete.
  @Test func nightsWithoutDays() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = RepeatableRandom(seed: seed)
    var all: [Step] = []
    for (night, withDays) in [true, false, true, true].enumerated() {
      let steps = Self.steps(120, days: night * 10..<night * 10 + 10, &random)
      // In some nights three people are known by their installations only.
      var lines = Self.lines(steps)
      if night % 2 == 1 {
        lines = lines.map { $0.replacing("\"custom_id\":\"u1", with: "\"installation_id\":\"i1") }
      } else {
        lines += ["", "0", "1"].map {
          #"{"identifiers":{"custom_id":"u1\#($0)","installation_id":"i1\#($0)"},"#
            + #""time":"2024-03-28T00:00:00Z"}"#
        }
      }
      try fixture.log(lines, "night-\(night)/log.ndjson")
      all += steps
      let previous = night == 0 ? nil : "out-\(night - 1)"
      try fixture.run(["night-\(night)"], to: "out-\(night)", after: previous) {
        ($0.snapshot.withDays, $0.snapshot.dedupeDays) = (withDays, 100)
      }
    }
    #expect(!fixture.scratch.has("out-1/\(RunFiles.dailyCounts)"))
    #expect(try fixture.json("out-1/manifest.json")["options"]?["days"]?.text == nil)
    #expect(
      !String(decoding: try fixture.text("out-1/state/totals.ndjson.zst"), as: UTF8.self)
        .contains("days"))
    let expected = Recount(all, people: all)
    for output in ["out-2", "out-3"] {
      let lines = try fixture.lines("\(output)/daily_counts.ndjson")
      let start = try #require(lines[0]["complete_from"]?.text)
      let found = Recount(lines)
      #expect(start <= "2024-04-17", "seed \(seed)")
      // First days are known anyway.
      if output == "out-3" { #expect(found.new == expected.new, "seed \(seed)") }
      for (key, count) in found.active
      where key >= start && (output == "out-3" || key < "2024-04-27") {
        #expect(count == expected.active[key], "seed \(seed), \(key)")
      }
      for (key, count) in found.events where key >= start {
        #expect(count == expected.events[key], "seed \(seed), \(key)")
      }
      let events = lines.filter { $0["event"] != nil }.compactMap { $0["count"]?.integer }
      let counts = try fixture.lines("\(output)/event_counts.ndjson")
      #expect(events.reduce(0, +) == counts.compactMap { $0["count"]?.integer }.reduce(0, +))
    }
  }

  /// Requests, all but one with a time. Days after that of the time stay, also those of names that
  /// are removed because they began before it, for everybody who is still published; so an erased
  /// profile may be new before anything that is left of it. No event counts less.
  @Test func daysOfRemovedEvents() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = RepeatableRandom(seed: seed)
    let steps = Self.steps(90, days: 0..<6, &random)
    var marks: [String: Int] = [:]
    for who in 1..<10 { marks["u\(who)"] = Self.time(0..<6, &random) }
    try fixture.log(Self.lines(steps), "log.ndjson")
    let requests = try fixture.log(
      marks.map { "{\"custom_id\":\"\($0)\",\"time\":\"\(Timestamp.text($1))\"}" }
        + [#"{"custom_id":"u0"}"#], "requests.ndjson")
    marks["u0"] = .max
    // What is left of the state, and of the log.
    let first = Dictionary(steps.map { ("\($0.key) \($0.name)", $0.time) }, uniquingKeysWith: min)
    let mark = { (step: Step) in marks[step.key] ?? .min }
    let living = steps.filter { first["\($0.key) \($0.name)"] ?? .min > mark($0) }
    let later = steps.filter { $0.time > mark($0) }
    let published = Set(living.map(\.key))
    let nextDays = steps.filter {
      published.contains($0.key)
        && (mark($0) == .min || DayNumber.of($0.time) > DayNumber.of(mark($0)))
    }
    try fixture.run(["log.ndjson"], to: "out")
    try fixture.log([], "none.ndjson")
    try fixture.run(["none.ndjson"], to: "erased", after: "out") {
      $0.merge.erasureRequests = requests
    }
    try fixture.run(["log.ndjson"], to: "judged") { $0.merge.erasureRequests = requests }
    // In both, what is left decides when a person was first seen.
    for (output, counted, people, left) in [
      ("erased", steps, living + nextDays, living), ("judged", later, later, later),
    ] {
      let found = Recount(try fixture.lines("\(output)/daily_counts.ndjson"))
      #expect(found == Recount(counted, people: people), "\(output), seed \(seed)")
      let seen = try fixture.lines(of: "profiles", in: output).map {
        "\($0["id"]?.text ?? "") \($0["first_seen"]?.text ?? "")"
      }
      let expected = Dictionary(grouping: left, by: \.key).map { key, steps in
        "\(key) \(Timestamp.text(steps.map(\.time).min() ?? 0))"
      }
      #expect(seen.sorted() == expected.sorted(), "\(output), seed \(seed)")
    }
  }
}
