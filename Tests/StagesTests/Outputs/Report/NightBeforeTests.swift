@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// When and where a run was, and how it differs from the night before.
@Suite struct NightBeforeTests {
  private static let nights = [
    [
      Sample.event("u", "opened"), Sample.event("u", "opened", day: 2), Sample.event("u", "closed"),
      "{",
    ],
    [Sample.event("v", "opened", day: 3), Sample.event("w", "bought", day: 3)],
  ]

  /// Runs two nights. The second has the first as `previous`.
  private func run(
    _ fixture: RunFixture, control: JobControl = JobControl(), between: () throws -> Void = {}
  ) throws -> RunReport {
    for (number, lines) in Self.nights.enumerated() { try fixture.log(lines, "\(number).ndjson") }
    try fixture.run(["0.ndjson"], to: "first")
    try between()
    var options = fixture.options(["1.ndjson"], to: "second")
    options.merge.previous = fixture.scratch("first")
    return try fixture.run(options, control: control)
  }

  /// The changes are those that `diff` finds, also if the number of partitions changes.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func changesOfProfilesAreThoseOfDiff(_ seed: UInt64) throws {
    let fixture = try RunFixture()
    var log = RandomLog(seed: seed, tellsPrivacy: true)
    try fixture.log(log.lines(200), "0.ndjson")
    try fixture.log(log.lines(20), "1.ndjson")
    try fixture.run(["0.ndjson"], to: "first") { $0.snapshot.partitions = 2 }
    for partitions in [2, 1] {
      let name = "second-\(partitions)"
      try fixture.run(["1.ndjson"], to: name, after: "first") { options in
        options.snapshot.partitions = partitions
      }
      let told = try fixture.json("\(name)/report.json")["night_before"]?["profile_changes"]
      let diff = DiffJob(fixture.scratch("first"), fixture.scratch(name), control: JobControl())
      let counts = try diff.run().profiles
      #expect(counts.differing > 0)
      #expect(told?.names == ["added", "gone", "changed", "equal"])
      let figures = [counts.added, counts.gone, counts.changed, counts.equal]
      #expect(told?.names.map { told?[$0]?.integer } == figures)
    }
  }

  /// The finish of a merge has no `--previous`: the partitions know what they continue.
  @Test(arguments: [true, false])
  func theFinishOfAMergeComparesAsARunDoes(_ hasReport: Bool) throws {
    let fixture = try RunFixture()
    _ = try run(fixture) { if !hasReport { try fixture.scratch.remove("first/report.json") } }
    let halves = PartialRuns(fixture)
    try halves.partial(["1.ndjson"], to: "p")
    try halves.mergeAll(["p"], partitions: 1, to: "merged") {
      $0.merge.previous = fixture.scratch("first")
    }
    if hasReport { #expect(try fixture.json("first/report.json")["night_before"] == nil) }
    let told = try #require(try fixture.json("merged/report.json")["night_before"])
    #expect(told == (try fixture.json("second/report.json")["night_before"]))
    #expect(told["night"]?.text == "first")
  }

  @Test func aReportThatCannotBeReadIsNotCompared() throws {
    for content in [nil, "", "{", "[]", #"{"ledger":{"lines":{"total":-1}},"top_events":7}"#] {
      let fixture = try RunFixture()
      let summary = try run(fixture) {
        try fixture.scratch.remove("first/report.json")
        if let content { try fixture.scratch.write(content, to: "first/report.json") }
      }
      let comparison = try #require(summary.comparison)
      #expect(comparison.rejects.isEmpty)
      #expect(comparison.night == "first" && comparison.figures.allSatisfy { $0.before == nil })
      // The state knows which names there were.
      #expect(comparison.newNames == ["bought"] && comparison.vanishedNames.isEmpty)
    }
  }

  /// Clock, host, command line and the name of the output are in the reports and nowhere else.
  @Test func onlyReportsTellWhenAndWhere() throws {
    let fixture = try RunFixture()
    let control = JobControl(command: ["eventmill", "run", "--a-word-of-the-command-line"])
    _ = try run(fixture, control: control)
    let told = try #require(try fixture.json("second/report.json")["run"])
    #expect(told["night"]?.text == "second" && told["host"]?.text == System.hostName)
    #expect(told["command"]?.items.last?.text == "--a-word-of-the-command-line")
    let (started, ended) = (told["started"]?.text ?? "", told["ended"]?.text ?? "")
    #expect(started.hasPrefix("20") && started.count == 20 && started <= ended)
    for (path, bytes) in try fixture.bytes(of: "second") {
      let isTold = String(decoding: bytes, as: UTF8.self).contains("a-word-of-the-command-line")
      #expect(isTold == RunFiles.reports.contains(path), "\(path)")
    }
  }

  /// A time before the first year or after the last one is shown as the nearest valid time.
  @Test func stampsAreShortAndPlain() {
    func stamp(_ words: [String], started: Int = 0) -> RunStamp {
      RunStamp(tool: .unversioned, started: started, command: words, output: "a/b/")
    }
    let long = stamp((0..<2000).map { "word-\($0)" })
    #expect(long.command.count == 1000 && long.omittedWords == 1000 && long.night == "b")
    #expect(stamp([Sample.text(40_000)]).omittedWords == 1)
    let words = ["eventmill", "--a=b", "it's", "two words", "", "é"]
    #expect(stamp(words).commandText == "eventmill --a=b 'it'\\''s' 'two words' '' 'é'")
    #expect(stamp([], started: .min / 2000).text.hasPrefix("0001-01-01T"))
  }

  /// A week of nights is known, and a night is compared with the first of them.
  @Test func aNightIsComparedWithTheOneSevenNightsBefore() throws {
    let fixture = try RunFixture()
    func verdict(
      _ night: Int, _ count: Int, _ name: String = "a", bad: Int = 0
    ) throws -> NaiveJSON? {
      let lines =
        (0..<count).map { Sample.event("u\($0)", name, day: night) }
        + Array(repeating: "{", count: bad)
      try fixture.log(lines, "\(night).ndjson")
      try fixture.run(["\(night).ndjson"], to: "n\(night)") {
        if night > 1 { $0.merge.previous = fixture.scratch("n\(night - 1)") }
      }
      return try fixture.json("n\(night)/report.json")["verdict"]
    }
    let nights = [(1, 40, "good"), (2, 10, "check it")] + (3...7).map { ($0, 10, "good") }
    for (night, count, level) in nights + [(8, 10, "check it")] {
      let found = try verdict(night, count)
      #expect(found?["level"]?.text == level, "\(night)")
      let before = night == 2 ? "the night" : "seven nights"
      let reasons = level == "good" ? nil : ["75.0 % fewer events than \(before) before"]
      #expect(found?["reasons"]?.items.map(\.text) == reasons, "\(night)")
    }
    #expect(try verdict(9, 9, bad: 1)?["level"]?.text == "check it")
    #expect(try verdict(10, 7, bad: 3)?["level"]?.text == "bad")
    #expect(try verdict(11, 9, "b")?["level"]?.text == "good")
    #expect(
      try fixture.json("n11/report.json")["recent_nights"]?.items.map { $0["events"]?.integer }
        == [10, 10, 10, 10, 9, 7, 9])
  }
}
