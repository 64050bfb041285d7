@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// The shape of `report.json` and `manifest.json` (docs/reference/file-formats.md).
@Suite struct RunReportTests {
  private func fixture() throws -> RunFixture {
    let fixture = try RunFixture()
    try fixture.log(
      [
        Sample.event("u", "a", id: "1"), Sample.event("u", "a", id: "1"), "{", "",
        #"{"name":"n","time":\#(Sample.time),"label":" ","extra":1}"#,
        #"{"identifiers":{"custom_id":"u"},"time":\#(Sample.time),"attributes":{"k":1,"-":2}}"#,
      ], "b.ndjson")
    try fixture.compressedLog(Array((Sample.event("v", "a") + "\n").utf8), "a.ndjson.zst")
    return fixture
  }

  @Test func theReport() throws {
    let fixture = try fixture()
    try fixture.run(["b.ndjson", "a.ndjson.zst"], to: "out") { $0.read.jobs = 2 }
    let report = try fixture.json("out/report.json")
    #expect(
      report.names == [
        "tool", "run", "verdict", "options", "ledger", "inputs", "passed_over", "rejects", "losses",
        "remarks",
        "duplicates",
        "unknown_fields", "dialects", "recent_nights", "profiles", "event_names", "array_overflow",
        "erased_straddling", "hot_ids", "events_per_hour", "lateness", "top_events", "time",
        "slowest_stage", "stages", "xxh64",
      ])
    #expect(report["options"]?["jobs"]?.integer == 2)
    #expect(
      report["ledger"]?["lines"]
        == .figures([("total", 7), ("blank", 1), ("records", 5), ("rejected_lines", 1)]))
    #expect(
      report["ledger"]?["events"]
        == .figures([
          ("total", 4), ("accepted", 3), ("rejected", 0), ("duplicates", 1), ("suppressed", 0),
        ]))
    #expect(
      report["ledger"]?["operations"] == .figures([("total", 2), ("applied", 1), ("refused", 1)]))
    let inputs = report["inputs"]?.items ?? []
    #expect(
      inputs.map { $0["path"]?.text } == [
        fixture.scratch("a.ndjson.zst"), fixture.scratch("b.ndjson"),
      ])
    #expect(inputs.map { $0["compression"]?.text } == ["zstd", "none"])
    #expect(inputs[0]["bytes"]?.integer == (try fixture.scratch.bytes("a.ndjson.zst").count))
    #expect(inputs.map { $0["ledger"]?["lines"]?["total"]?.integer } == [1, 6])
    #expect(
      report["rejects"]?["lines"]?.integer == 2 && report["rejects"]?["entries"]?.integer == 2)
    #expect(report["rejects"]?["reasons"] == .figures([("invalid_json", 1), ("bad_key", 1)]))
    #expect(report["rejects"]?["first"]?["bad_key"]?["line"]?.integer == 6)
    #expect(report["losses"]?["label_blank"]?["count"]?.integer == 1)
    #expect(
      report["losses"]?["label_blank"]?["samples"]?[0]?["source"]?.text
        == fixture.scratch("b.ndjson"))
    #expect(report["unknown_fields"] == .figures([("extra", 1)]))
    #expect(report["profiles"]?.integer == 2 && report["event_names"]?.integer == 2)
    #expect(
      report["stages"]?.items.map { $0["stage"]?.text }
        == [
          "decompress", "reader", "validator", "migration", "router", "quarantine", "merge",
          "aggregation", "finish", "publish",
        ])
  }

  /// Every stage reports how much it processed, and the busiest stage is named.
  @Test(arguments: [1, 3])
  func theStages(jobs: Int) throws {
    let fixture = try fixture()
    let summary = try fixture.run(["b.ndjson", "a.ndjson.zst"], to: "out") { $0.read.jobs = jobs }
    let report = try fixture.json("out/report.json")
    let stages = report["stages"]?.items ?? []
    for stage in stages {
      #expect(
        stage.names == [
          "stage", "seconds", "stalled_seconds", "units", "bytes", "records", "records_per_second",
          "megabytes_per_second", "share",
        ])
    }
    let inputs = report["inputs"]?.items ?? []
    let read = inputs.reduce(0) { $0 + ($1["decompressed_bytes"]?.integer ?? 0) }
    let named = Dictionary(uniqueKeysWithValues: stages.map { ($0["stage"]?.text ?? "", $0) })
    for name in [
      "decompress", "reader", "validator", "migration", "router", "quarantine", "finish",
    ] {
      #expect(named[name]?["units"]?.integer == 2, "a block per file: \(name)")
      #expect(named[name]?["bytes"]?.integer == read, "\(name)")
      #expect(named[name]?["records"]?.integer == 5, "\(name)")
    }
    // Every shard visits every unit, but processes only its own operations.
    #expect(named["merge"]?["units"]?.integer == 2 * jobs)
    #expect(named["merge"]?["records"]?.integer == named["aggregation"]?["records"]?.integer)
    let seconds = stages.compactMap { $0["seconds"]?.real }
    let shares = stages.compactMap { $0["share"]?.real }
    #expect(seconds.count == stages.count && abs(shares.reduce(0, +) - 1) < 1e-6)
    let slowest = report["slowest_stage"]?.text
    #expect(slowest != nil && named[slowest ?? ""]?["seconds"]?.real == seconds.max())
    #expect(summary.slowestStage?.name == slowest)
  }

  @Test func theManifest() throws {
    let fixture = try fixture()
    try fixture.run(["b.ndjson", "a.ndjson.zst"], to: "out") { $0.snapshot.partitions = 2 }
    let manifest = try fixture.json("out/manifest.json")
    #expect(
      manifest.names == ["eventmill_output", "tool", "options", "inputs", "outputs", "xxh64"])
    #expect(
      manifest["options"]?.names == [
        "v1", "dialect", "max_line", "raises_max_line", "foreign", "identity_keys",
        "realm_objects", "repair", "unknown_fields", "stitch", "dedupe_days", "values",
        "partitions", "level",
        "keep_going", "reingest", "days",
      ])
    let inputs = manifest["inputs"]?.items ?? []
    #expect(
      inputs.map { $0["path"]?.text } == [
        fixture.scratch("a.ndjson.zst"), fixture.scratch("b.ndjson"),
      ])
    #expect(inputs.map { $0["lines"]?.integer } == [1, 6])
    for input in inputs { try expect(input, is: try #require(input["path"]?.text), of: fixture) }
    let outputs = manifest["outputs"]?.items ?? []
    #expect(
      outputs.map { $0["path"]?.text } == [
        "daily_counts.ndjson", "event_counts.csv", "event_counts.ndjson",
        "profiles/part-00000-of-00002.ndjson.zst",
        "profiles/part-00001-of-00002.ndjson.zst", "rejects.ndjson.zst",
        "state/index-00000-of-00002.zst", "state/index-00001-of-00002.zst",
        "state/part-00000-of-00002.zst", "state/part-00001-of-00002.zst",
        "state/totals.ndjson.zst",
      ])
    for output in outputs {
      let path = try #require(output["path"]?.text)
      try expect(output, is: fixture.scratch("out/\(path)"), of: fixture)
      // An index has no lines, and a part of the state has keys.
      let lines: Int
      if path.hasPrefix("\(RunFiles.state)/part-") {
        let part = path.contains("part-00000") ? 0 : 1
        lines = try Published.state(part, of: fixture.scratch("out")).split(separator: "\n").count
      } else if path.contains("ndjson") || path.hasSuffix("csv") {
        lines = try fixture.text("out/\(path)").split(separator: 0x0A).count
      } else {
        lines = 0
      }
      #expect(output["lines"]?.integer == lines, "\(path)")
    }
  }

  /// Checks the bytes and the hash of a file against its entry in the manifest.
  private func expect(_ entry: NaiveJSON, is path: String, of fixture: RunFixture) throws {
    let bytes = try fixture.scratch.bytes(String(path.dropFirst(fixture.scratch.path.count + 1)))
    #expect(entry["bytes"]?.integer == bytes.count, "\(path)")
    let hash = withByteView(of: bytes) { XXH64.hash($0) }
    #expect(entry["xxh64"]?.text == XXH64.text(hash), "\(path)")
  }

  @Test func onlyOptionsThatChangeAResultAreInTheManifest() throws {
    let fixture = try fixture()
    try fixture.run(["b.ndjson"], to: "one") { $0.read.jobs = 1 }
    try fixture.run(["b.ndjson"], to: "two") {
      $0.read.jobs = 3
      $0.read.maxRejects = .lines(100)
      $0.publish.replace = true
    }
    #expect(
      try fixture.scratch.bytes("one/manifest.json") == fixture.scratch.bytes("two/manifest.json"))
    let changes: [@Sendable (inout RunOptions) -> Void] = [
      { $0.read.rules.v1 = .lenient }, { $0.read.rules.dialect = .v1 },
      { $0.read.rules.defaultTime = 5 },
      { $0.read.rules.notBefore = 5 }, { $0.read.rules.notAfter = Rules.endOfTime },
      { $0.read.rules.since = 5 }, { $0.read.rules.until = Rules.endOfTime },
      { $0.read.rules.maxLine = 999 },
      { $0.snapshot.stitch = .none }, { $0.snapshot.dedupeDays = 1 },
      { $0.snapshot.withValues = false },
      { $0.snapshot.partitions = 2 },
      { $0.publish.level = 2 }, { $0.read.keepGoing = true }, { $0.merge.reingest = true },
    ]
    let before = try fixture.json("one/manifest.json")["options"]
    for change in changes {
      try fixture.run(["b.ndjson"], to: "two") {
        $0.publish.replace = true
        change(&$0)
      }
      #expect(try fixture.json("two/manifest.json")["options"] != before)
    }
  }

  @Test func hashesHaveSixteenDigits() {
    #expect(XXH64.text(0) == "0000000000000000")
    #expect(XXH64.text(0xAB) == "00000000000000ab")
    #expect(XXH64.text(.max) == "ffffffffffffffff")
  }

  private static func report(_ facts: TallyFacts, accepted: Int) -> RunReport {
    let merge = IngestOutcome(
      tally: facts, outcomes: [InputOutcome(file: InputFile(path: "a", size: nil))],
      rejects: WrittenFile(path: "", bytes: 0, lines: 0, xxh64: 0), times: FlowTimes())
    let snapshot = PublishedSnapshot(
      profiles: 0, eventNames: 0, arrayOverflow: 0, erasedStraddling: 0, accepted: accepted,
      duplicates: DuplicateTally(), time: StageTime(name: ""))
    return RunReport(
      options: RunOptions(), selection: InputSelection(all: []),
      ingest: merge, snapshot: snapshot, clock: StopWatch(),
      stamp: RunStamp(tool: .unversioned, started: 0, command: [], output: "out"))
  }

  /// A run ends when its reports are written, after all other files.
  @Test func aRunEndsWithItsReports() throws {
    let scratch = try ScratchDirectory()
    let staging = try StagedDirectory(scratch("out"), owner: .of(.output))
    defer { staging.discard() }
    let facts = TallyFacts(ledgers: [Sample.ledger], linesWithRejects: 0)
    var report = Self.report(facts, accepted: Sample.ledger.accepted)
    #expect(report.stamp.ended == 0)
    try report.write(to: staging)
    #expect(report.stamp.ended >= 1_700_000_000)
    let name = try #require(scratch.names().first { $0.contains("staging") })
    let text = try String(decoding: scratch.bytes("\(name)/report.json"), as: UTF8.self)
    #expect(!text.contains(#""ended": "1970"#) && text.contains(#""started": "1970"#))
  }

  /// The sum of the counts is compared with what the ledger calls accepted.
  @Test func aLedgerThatDoesNotAddUpStopsTheRun() throws {
    let tally = RunTally(inputs: 1)
    func check(_ ledger: Ledger, accepted: Int) throws(Failure) {
      let facts = TallyFacts(ledgers: [ledger], linesWithRejects: 0)
      try Self.report(facts, accepted: accepted).checkLedger()
    }
    #expect(tally.ledgers == [Ledger()])
    try check(Sample.ledger, accepted: Sample.ledger.accepted)
    var wrong = Sample.ledger
    wrong.blank += 1
    for (ledger, accepted) in [(wrong, 8), (Sample.ledger, 9)] {
      do {
        try check(ledger, accepted: accepted)
        Issue.record("the ledger was taken")
      } catch {
        #expect(error.kind == .defect)
      }
    }
  }
}

extension NaiveJSON {
  /// An object of numbers.
  fileprivate static func figures(_ figures: [(String, Int)]) -> NaiveJSON {
    .object(figures.map { Member(name: $0.0, value: .number("\($0.1)")) })
  }
}
