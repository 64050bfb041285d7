@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Figures of `report.json`; its shape is in the golden documents of the command line.
@Suite struct RunReportTests {
  /// Every stage reports how much it processed, and the busiest stage is named.
  @Test(arguments: [1, 3])
  func theStages(jobs: Int) throws {
    let fixture = try RunFixture()
    try fixture.log(
      [
        Sample.event("u", "a", id: "1"), Sample.event("u", "a", id: "1"), "{", "",
        #"{"name":"n","time":\#(Sample.time),"label":" ","extra":1}"#,
        #"{"identifiers":{"custom_id":"u"},"time":\#(Sample.time),"attributes":{"k":1,"-":2}}"#,
      ], "b.ndjson")
    try fixture.compressedLog(Array((Sample.event("v", "a") + "\n").utf8), "a.ndjson.zst")
    let summary = try fixture.run(["b.ndjson", "a.ndjson.zst"], to: "out") { $0.read.jobs = jobs }
    let report = try fixture.json("out/report.json")
    let inputs = report["inputs"]?.items ?? []
    #expect(inputs.map { $0["compression"]?.text } == ["zstd", "none"])
    #expect(inputs[0]["bytes"]?.integer == (try fixture.scratch.bytes("a.ndjson.zst").count))
    let read = inputs.reduce(0) { $0 + ($1["decompressed_bytes"]?.integer ?? 0) }
    let stages = report["stages"]?.items ?? []
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

  @Test func onlyOptionsThatChangeAResultAreInTheManifest() {
    func recorded(_ change: (inout RunOptions) -> Void) -> RecordedOptions {
      var options = RunOptions()
      change(&options)
      return options.recorded(Erasures())
    }
    let before = recorded { _ in }
    #expect(
      before
        == recorded {
          ($0.read.jobs, $0.read.maxRejects, $0.publish.replace) = (3, .lines(100), true)
        })
    let changes: [(inout RunOptions) -> Void] = [
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
    for (number, change) in changes.enumerated() {
      #expect(recorded(change) != before, "change \(number)")
    }
  }

  @Test func manyRejectsAreTenTimesTheLimitOrHalf() {
    for (limit, many) in [(2.0, 20.0), (0, 20), (6, 50), (70, 70)] {
      var limits = AlertLimits()
      limits.rejects = limit
      #expect(limits.manyRejects == many)
    }
  }

  @Test func aCountOfAnIDIsOfSomething() throws {
    for events in 0...1 {
      let text = #"{"keys":[{"kind":"person","id":"a","events":\#(events)}],"installations":[]}"#
      let document = ByteBuffer(text: text)
      let root = try JSONDocument(document.view).root
      #expect((HotIDs(orNil: root) != nil) == (events > 0))
    }
  }

  @Test func hashesHaveSixteenDigits() {
    #expect(XXH64.text(0xAB) == "00000000000000ab" && XXH64.text(.max) == "ffffffffffffffff")
  }

  @Test func moreThan20000HoursAreReportedAsDays() {
    var counts = RunCounts()
    for hour in 0..<20_001 {
      counts.hours.add(time: 1_717_200_000_000 + hour * HourCounts.milliseconds)
      guard hour >= 19_999 else { continue }
      let activity = RunActivity(counts, names: NameTable().list())
      let json = Self.report(of: Sample.ledger, accepted: 8, activity).json
      let text = json.view.text
      #expect(text.contains(#""events_per_day": ["#) == (hour == 20_000))
      #expect(text.contains(#""events_per_hour": ["#) == (hour < 20_000))
    }
  }

  private static func report(
    of ledger: Ledger, accepted: Int, _ activity: RunActivity = RunActivity()
  ) -> RunReport {
    var ingest = IngestOutcome(
      tally: TallyFacts(ledgers: [ledger], linesWithRejects: 0),
      outcomes: [InputOutcome(file: InputFile(path: "a", size: nil))],
      rejects: WrittenFile(path: "", bytes: 0, lines: 0, xxh64: 0), times: FlowTimes())
    ingest.activity = activity
    let snapshot = PublishedSnapshot(
      tally: SnapshotTally(), eventNames: 0, accepted: accepted, time: StageTime(name: ""))
    return RunReport(
      options: RunOptions(), selection: InputSelection(all: []), ingest: ingest,
      snapshot: snapshot, clock: StopWatch(),
      stamp: RunStamp(tool: .unversioned, started: 0, command: [], output: "out"))
  }

  /// A run ends when its reports are written, after all other files.
  @Test func aRunEndsWithItsReports() throws {
    let scratch = try ScratchDirectory()
    let staging = try StagedDirectory(scratch("out"), owner: .of(.output))
    defer { staging.discard() }
    var report = Self.report(of: Sample.ledger, accepted: Sample.ledger.accepted)
    try report.write(to: staging)
    #expect(report.stamp.ended >= 1_700_000_000)
    let name = try #require(scratch.names().first { $0.contains("staging") })
    let text = try scratch.text("\(name)/report.json")
    #expect(!text.contains(#""ended": "1970"#) && text.contains(#""started": "1970"#))
  }

  /// The sum of the counts is compared with what the ledger calls accepted.
  @Test func aLedgerThatDoesNotAddUpStopsTheRun() throws {
    #expect(RunTally(inputs: 1).ledgers == [Ledger()])
    var wrong = Sample.ledger
    wrong.blank += 1
    for (ledger, accepted, isWrong) in [
      (Sample.ledger, Sample.ledger.accepted, false), (wrong, 8, true), (Sample.ledger, 9, true),
    ] {
      let failure = Failure.of(try Self.report(of: ledger, accepted: accepted).checkLedger())
      #expect(failure?.kind == (isWrong ? .defect : nil))
    }
  }
}
