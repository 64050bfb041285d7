@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// When and where a run was, and how it differs from the night before.
@Suite struct NightBeforeTests {
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

  /// Clock, host, command line and the name of the output are in the reports and nowhere else.
  @Test func onlyReportsTellWhenAndWhere() throws {
    let fixture = try RunFixture()
    for name in ["0", "1"] { try fixture.log([Sample.event("u", name)], "\(name).ndjson") }
    try fixture.run(["0.ndjson"], to: "first")
    let control = JobControl(command: ["eventmill", "run", "--a-word-of-the-command-line"])
    try fixture.run(
      fixture.options(["1.ndjson"], to: "second", after: "first"), control: control)
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
    let words = ["eventmill", "--a=b", "it's", "two words", "", "é", "a\nb"]
    #expect(stamp(words).commandText == "eventmill --a=b 'it'\\''s' 'two words' '' 'é' $'a\\012b'")
    #expect(stamp([], started: .min / 2000).text.hasPrefix("0001-01-01T"))
  }
}
