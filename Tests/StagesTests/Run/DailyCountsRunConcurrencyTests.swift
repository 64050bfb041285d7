import Foundation
@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// `daily_counts.ndjson` against a recount of the lines of the logs, and chains of nights with and
/// without days.
@Suite struct DailyCountsRunConcurrencyTests {
  /// 2024-03-28: weeks, months, and a leap year's spring.
  private static let start = 1_711_584_000_000

  /// Lines of v1 about people, their installations, an unlinked installation, and no identity. Some
  /// lines are repeated.
  private static func lines(
    _ count: Int, days: Range<Int>, _ random: inout RepeatableRandom
  ) -> [String] {
    var lines: [String] = []
    for number in 0..<count {
      let who = Int.random(in: 0..<12, using: &random)
      let identity =
        switch who {
        case 0..<6: "\"custom_id\":\"u\(who)\","
        // Each of these installations belongs to one person from some time on.
        case 6, 7: "\"custom_id\":\"u\(who - 6)\",\"installation_id\":\"i\(who)\","
        case 8, 9: "\"installation_id\":\"i\(who - 2)\","
        case 10: "\"installation_id\":\"alone\","
        default: ""
        }
      let time =
        start + Int.random(in: days, using: &random) * 86_400_000
        + Int.random(in: 0..<86_400_000, using: &random)
      let name = ["a", "b_2", "zz"][Int.random(in: 0..<3, using: &random)]
      let id = Bool.random(using: &random) ? "\"id\":\"e\(days.lowerBound)-\(number)\"," : ""
      lines.append("{\(id)\(identity)\"name\":\"\(name)\",\"time\":\(time)}")
      if !id.isEmpty, Int.random(in: 0..<4, using: &random) == 0 {
        lines.append(lines[lines.count - 1])
      }
    }
    return lines
  }

  /// The counts of the lines, by the texts of days: events by name, people, and people by first
  /// day.
  private struct Recount: Equatable {
    var events: [String: Int] = [:]
    var active: [String: Int] = [:]
    var new: [String: Int] = [:]
    var cohorts: [String: Int] = [:]

    init() {}

    mutating func add(event name: String, at time: Int) {
      events["\(DayNumber.text(DayNumber.of(time))) \(name)", default: 0] += 1
    }

    mutating func add(person days: Set<String>) {
      let first = days.min() ?? ""
      new[first, default: 0] += 1
      for day in days {
        active[day, default: 0] += 1
        cohorts["\(day) \(first)", default: 0] += 1
      }
    }

    init(_ lines: [String]) throws {
      var seen: Set<String> = []
      var people: [String: Set<String>] = [:]
      for line in lines {
        let json = try NaiveJSON(parsing: Array(line.utf8))
        if json["id"] != nil, !seen.insert(line).inserted { continue }
        let time = try #require(json["time"]?.integer)
        let date = Date(timeIntervalSince1970: Double(time / 1000))
        let day = String(date.formatted(.iso8601).prefix(10))
        events["\(day) \(json["name"]?.text ?? "")", default: 0] += 1
        var person = json["custom_id"]?.text.map { "custom:\($0)" }
        if let installation = json["installation_id"]?.text, person == nil {
          person = ["i6": "custom:u0", "i7": "custom:u1"][installation] ?? installation
        }
        if let person { people[person, default: []].insert(day) }
      }
      for days in people.values { add(person: days) }
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

  @Test func itSaysWhatTheLogsSay() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = RepeatableRandom(seed: seed)
    let runs = try PartialRuns()
    let fixture = runs.fixture
    var all: [String] = []
    var names: [String] = []
    var previous: String?
    for night in 0..<3 {
      // Some come late.
      let lines = Self.lines(150, days: max(0, night * 20 - 5)..<night * 20 + 20, &random)
      names += [try fixture.log(lines, "night-\(night)/log.ndjson")]
      all += lines
      try fixture.run(["night-\(night)"], to: "out-\(night)") {
        $0.snapshot.dedupeDays = 100
        $0.merge.previous = previous
        $0.snapshot.partitions = 2
      }
      previous = fixture.scratch("out-\(night)")
    }
    let expected = try Recount(all)
    let last = try fixture.lines("out-2/daily_counts.ndjson")
    #expect(Recount(last) == expected, "seed \(seed)")
    try fixture.run(["night-2", "night-0", "night-1"], to: "whole") {
      $0.snapshot.dedupeDays = 100
      $0.snapshot.partitions = 2
      $0.read.jobs = 3
      $0.read.memory = 16 << 20
    }
    #expect(
      try fixture.text("whole/daily_counts.ndjson") == fixture.text("out-2/daily_counts.ndjson"),
      "seed \(seed)")
    for night in 0..<3 {
      try runs.partial(["night-\(night)"], to: "partial-\(night)") { $0.snapshot.partitions = 2 }
    }
    try runs.mergeAll(["partial-2", "partial-0", "partial-1"], partitions: 2, to: "merged") {
      $0.snapshot.dedupeDays = 100
    }
    try runs.expectSame("merged", "whole", "seed \(seed)")
  }

  /// A night without days discards them. A later night has the first and the last day of each name,
  /// and reports since when its days are complete.
  @Test func nightsWithoutDays() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = RepeatableRandom(seed: seed)
    let fixture = try RunFixture()
    var all: [String] = []
    var previous: String?
    for (night, withDays) in [true, false, true, true].enumerated() {
      let lines = Self.lines(120, days: night * 10..<night * 10 + 10, &random)
      try fixture.log(lines, "night-\(night)/log.ndjson")
      all += lines
      try fixture.run(["night-\(night)"], to: "out-\(night)") {
        $0.snapshot.withDays = withDays
        $0.snapshot.dedupeDays = 100
        $0.merge.previous = previous
      }
      previous = fixture.scratch("out-\(night)")
    }
    let none = try fixture.scratch.files(below: "out-1")
    #expect(!none.contains(RunFiles.dailyCounts))
    #expect(try fixture.json("out-1/manifest.json")["options"]?["days"]?.text == nil)
    #expect(
      !String(decoding: try fixture.text("out-1/state/totals.ndjson.zst"), as: UTF8.self)
        .contains("days"))
    let expected = try Recount(all)
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

  /// After the last valid day of events no night is complete; the output is sound.
  @Test func completeFromTheEndOfTime() throws {
    let fixture = try RunFixture()
    try fixture.log([#"{"custom_id":"u","name":"a","time":"2099-12-31T23:59:59Z"}"#], "a.ndjson")
    try fixture.log([Sample.event("u", "b")], "b.ndjson")
    try fixture.run(["a.ndjson"], to: "1") { $0.snapshot.withDays = false }
    for (night, log) in [(2, ["b.ndjson"]), (3, [])] {
      try fixture.run(log, to: "\(night)", after: "\(night - 1)") { $0.read.allowEmpty = true }
      let lines = try fixture.lines("\(night)/daily_counts.ndjson")
      #expect(lines[0]["complete_from"]?.text == "2100-01-01")
    }
  }

  /// Requests with a time, against a recount of the lines. Days after that of the time stay, also
  /// those of names that are removed because they began before it, for everybody who is still
  /// published; so an erased profile may be new before anything that is left of it.
  @Test func daysOfRemovedEvents() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = RepeatableRandom(seed: seed)
    let fixture = try RunFixture()
    let time = { (_ random: inout RepeatableRandom) in
      Self.start + Int.random(in: 0..<6 * 86_400_000, using: &random)
    }
    let steps = (0..<90).map { _ in
      Step(
        kind: .event, key: "u\(Int.random(in: 0..<12, using: &random))",
        name: "n\(Int.random(in: 0..<4, using: &random))", time: time(&random))
    }
    var marks: [String: Int] = [:]
    for who in 0..<10 { marks["u\(who)"] = time(&random) }
    try fixture.log(
      steps.map { "{\"custom_id\":\"\($0.key)\",\"name\":\"\($0.name)\",\"time\":\($0.time)}" },
      "log.ndjson")
    let requests = try fixture.log(
      marks.map { "{\"custom_id\":\"\($0)\",\"time\":\"\(Timestamp.text($1))\"}" },
      "requests.ndjson")
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
    for (output, counted, people) in [
      ("erased", steps, living + nextDays), ("judged", later, later),
    ] {
      var expected = Recount()
      for step in counted { expected.add(event: step.name, at: step.time) }
      for steps in Dictionary(grouping: people, by: \.key).values {
        expected.add(person: Set(steps.map { DayNumber.text(DayNumber.of($0.time)) }))
      }
      let found = Recount(try fixture.lines("\(output)/daily_counts.ndjson"))
      #expect(found == expected, "\(output), seed \(seed)")
    }
    // In both, what is left decides when a person was first seen.
    for (output, left) in [("erased", living), ("judged", later)] {
      let seen = try fixture.lines(of: "profiles", in: output).map {
        "\($0["id"]?.text ?? "") \($0["first_seen"]?.text ?? "")"
      }
      let expected = Dictionary(grouping: left, by: \.key).map { key, steps in
        "\(key) \(Timestamp.text(steps.map(\.time).min() ?? 0))"
      }
      #expect(seen.sorted() == expected.sorted(), "\(output), seed \(seed)")
    }
  }

  /// The day of a mark goes, whatever of it is left; what is erased from outside takes a person's
  /// days along, and no event's.
  @Test func erasedPeople() throws {
    let fixture = try RunFixture()
    let day = { (day: Int, hour: Int) in "2024-05-0\(day)T0\(hour):00:00Z" }
    func event(_ who: String, _ name: String, _ time: String) -> String {
      "{\"identifiers\":{\(who)},\"events\":[{\"name\":\"\(name)\",\"time\":\"\(time)\"}]}"
    }
    let (device, person) = ("\"installation_id\":\"i\"", "\"custom_id\":\"u\"")
    try fixture.log(
      [
        event(device, "a", day(1, 1)), event(device, "b", day(2, 5)), event(device, "c", day(3, 1)),
        "{\"identifiers\":{\(device)},\"time\":\"\(day(2, 3))\",\"erase\":true}",
        event(person, "a", day(1, 1)), event(person, "a", day(3, 1)),
      ], "log.ndjson")
    try fixture.run(["log.ndjson"], to: "out")
    let lines = { (output: String) in
      try fixture.lines("\(output)/daily_counts.ndjson").compactMap { line in
        line["new"] == nil ? nil : "\(line["day"]?.text ?? "") \(line["active"]?.integer ?? 0)"
      }
    }
    #expect(try lines("out") == ["2024-05-01 1", "2024-05-02 0", "2024-05-03 2"])
    let requests = try fixture.log([#"{"custom_id":"u"}"#], "requests.ndjson")
    try fixture.log([], "none.ndjson")
    try fixture.run(["none.ndjson"], to: "erased", after: "out") {
      $0.merge.erasureRequests = requests
    }
    #expect(try lines("erased") == ["2024-05-01 0", "2024-05-02 0", "2024-05-03 1"])
    #expect(try fixture.lines("erased/event_counts.ndjson")[0]["count"]?.integer == 3)
  }
}
