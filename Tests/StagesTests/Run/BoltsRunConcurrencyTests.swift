@testable import Jobs
import TestSupport
import Testing

@testable import Stages

/// Events that know no time and have names of their own, from measurement lines to the outputs.
@Suite struct BoltsRunConcurrencyTests {
  private static let notification = "com.parse.bolts.measurement_event"

  /// A measurement line with further fields of its envelope.
  private static func line(_ name: String, _ envelope: String = "", args: String = "{}") -> String {
    "{\"name\":\"\(notification)\",\"userInfo\":{\"event_name\":\"\(name)\",\"event_args\":\(args)}"
      + "\(envelope.isEmpty ? "" : ",")\(envelope)}"
  }

  private static let person = "\"custom_id\":\"u\""
  private static let time = "\"timestamp\":1714641300000"
  private static let id = "\"event_id\":\"0f8fad5b-d9cb-469f-a165-70867728950e\""

  private static let first = [
    line("Nav/In", person), line("Nav/In", "\(person),\(time)", args: "{\"a\":1}"),
    line("nav in", person, args: "{\"a\":9}"), line("nav_in"),
    line("Open", "\(person),\(id)"), line("Open", "\(person),\(id)"),
  ]
  private static let second = [
    line("NAV-IN", person), line("Nav.In"), line("nav!in"), line("nav+in", person),
    line("Open", "\(person),\(id)"), line("al_nav", "\"install_id\":\"i\""),
  ]

  @Test func countsTellWhatSourcesCallThem() throws {
    let fixture = try RunFixture()
    try fixture.log(Self.first + Self.second, "a.ndjson")
    let summary = try fixture.run(["a.ndjson"], to: "out")
    #expect(summary.ledger.accepted == 10 && summary.ledger.duplicates == 2)
    let text = String(decoding: try fixture.text("out/event_counts.ndjson"), as: UTF8.self)
    #expect(
      text == #"""
        {"name":"al_nav","count":1,"profiles":1,"duplicates":0,"dialects":{"bolts":1}}
        {"name":"nav_in","count":8,"first_seen":"2024-05-02T09:15:00.000Z",\#
        "last_seen":"2024-05-02T09:15:00.000Z","profiles":1,"duplicates":0,"dialects":{"bolts":8},\#
        "source_names":["NAV-IN","Nav.In","Nav/In","nav in","nav!in"]}
        {"name":"open","count":1,"profiles":1,"duplicates":2,"dialects":{"bolts":3},"source_names":["Open"]}

        """#)
    #expect(
      try fixture.text("out/profiles/part-00000-of-00001.ndjson.zst")
        == Array(
          (#"{"id":"u","kind":"person","identifiers":{"custom_id":"u"},"events":{"nav_in":{"count":5,"#
            + #""first_seen":"2024-05-02T09:15:00.000Z","last_seen":"2024-05-02T09:15:00.000Z","#
            + #""value":{"a":1}},"open":{"count":1}},"first_seen":"2024-05-02T09:15:00.000Z","#
            + #""last_seen":"2024-05-02T09:15:00.000Z"}"# + "\n"
            + #"{"id":"i","kind":"installation","identifiers":{"installation_id":"i"},"#
            + #""events":{"al_nav":{"count":1}}}"# + "\n")
            .utf8))
    let report = try fixture.json("out/report.json")
    #expect(report["losses"]?["missing_time"]?["count"]?.integer == 11)
    #expect(report["untimed_events"]?.integer == 11)
    var options = fixture.options(["a.ndjson"], to: "")
    options.read.jobs = 3
    let counted = try CountJob(options.read, control: JobControl()).run().lines.rows
    #expect(
      counted.map(\.sourceNames.names)
        == [[], ["NAV-IN", "Nav.In", "Nav/In", "nav in", "nav!in"], ["Open"]])
  }

  /// In any order of the lines and nights, in parts or at once.
  @Test func anyWayGivesTheSame() throws {
    let runs = try PartialRuns()
    let fixture = runs.fixture
    try fixture.log(Self.first, "a.ndjson")
    try fixture.log(Self.second, "b.ndjson")
    let change: (inout RunOptions) -> Void = {
      $0.snapshot.partitions = 2
      $0.snapshot.dedupeDays = 7
    }
    try fixture.run(["a.ndjson", "b.ndjson"], to: "whole", change)
    let same = try runs.repeatable("whole").filter {
      $0.key.hasPrefix("state/") || $0.key.hasPrefix("profiles/") || $0.key.contains("counts")
    }
    for nights in [["a", "b"], ["b", "a"]] {
      var previous: String?
      for night in nights {
        let output = "\(nights.joined())-\(night)"
        try fixture.run(["\(night).ndjson"], to: output, after: previous) { change(&$0) }
        previous = output
      }
      for (path, bytes) in same {
        #expect(
          try fixture.scratch.bytes("\(previous ?? "")/\(path)") == bytes, "\(nights) \(path)")
      }
    }
    for name in ["a", "b"] { try runs.partial(["\(name).ndjson"], to: name, change) }
    try runs.mergeAll(["b", "a"], partitions: 2, to: "merged", change)
    try runs.expectSame("merged", "whole", "two partials")
  }

  /// Canonical logs lack only the names that sources give to events.
  @Test func migratingAndRunningIsRunningButForSourceNames() throws {
    let fixture = try RunFixture()
    try fixture.log(Self.first + Self.second, "a.ndjson")
    try fixture.migrate(["a.ndjson"], to: "archive", verifies: true)
    try fixture.run(["a.ndjson"], to: "out")
    try fixture.run(["archive"], to: "again")
    let profiles = "profiles/part-00000-of-00001.ndjson.zst"
    #expect(try fixture.text("again/\(profiles)") == fixture.text("out/\(profiles)"))
    #expect(
      try fixture.scratch.bytes("again/event_counts.csv")
        == fixture.scratch.bytes("out/event_counts.csv"))
    let counts = try fixture.lines("again/event_counts.ndjson")
    #expect(counts.allSatisfy { $0["source_names"] == nil && $0["dialects"]?.names == ["v2"] })
  }
}
