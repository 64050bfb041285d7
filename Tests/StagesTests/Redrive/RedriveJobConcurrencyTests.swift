@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// A reprocessed line counts once, under the options of the redrive, and keeps its original source.
@Suite struct RedriveJobConcurrencyTests {
  private let it: RedriveFixture

  init() throws { it = try RedriveFixture() }

  /// Runs over a log of `lines`.
  private func strict(_ lines: [String]) throws {
    try it.fixture.log(lines, "a.ndjson")
    try it.fixture.run(["a.ndjson"], to: "strict")
  }

  private static let link = #"{"identifiers":{"custom_id":"u","installation_id":"i"},\#(time)}"#

  /// The rejects that a redrive has left.
  private func left(_ output: String) throws -> [String] {
    try it.rejects(output).map {
      "\($0["scope"]?.text ?? "") \($0["index"]?.integer ?? -1) of line "
        + "\($0["line"]?.integer ?? 0): \($0["reasons"]?[0]?["code"]?.text ?? "")"
    }
  }

  /// The rules of a run, and those with which its rejects are reprocessed.
  struct Change: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let strict: @Sendable (inout Rules) -> Void
    let lenient: @Sendable (inout Rules) -> Void

    private static let may3 = 1_714_694_400_000
    private static let may7 = may3 + 4 * DayNumber.milliseconds

    static let all = [
      Change(
        testDescription: "all", strict: { ($0.unknownFields, $0.notBefore) = (.reject, may3) },
        lenient: { ($0.v1, $0.unknownFields, $0.defaultTime) = (.lenient, .keep, may7) }),
      Change(
        testDescription: "window", strict: { ($0.notBefore, $0.notAfter) = (may3, may7) },
        lenient: { _ in }),
      Change(testDescription: "default time", strict: { _ in }, lenient: { $0.defaultTime = may3 }),
      Change(testDescription: "v1", strict: { _ in }, lenient: { $0.v1 = .lenient }),
      Change(
        testDescription: "unknown fields", strict: { $0.unknownFields = .reject },
        lenient: { $0.unknownFields = .drop }),
    ]
  }

  /// The promise of data-model 15: take a strict run, reprocess its rejects with other options, and
  /// merge both. The bytes of counts, profiles, state and remaining rejects are those of a run with
  /// these options, also where a line has links and only a part of it was rejected.
  @Test(
    arguments: Change.all, Effort.first(1, of: [(seed: 1, days: 30), (2, 30), (3, 0), (4, 30)]))
  func strictThenRedriveIsLenientFromTheStart(
    change: Change, random: (seed: Int, days: Int)
  ) throws {
    let seed = UInt64(random.seed)
    // An accepted event without a time has another meaning under `--default-time`.
    var usual = RandomLog(seed: seed, tellsPrivacy: true, hasUntimed: false)
    var mendable = RepairableLog(seed: seed)
    let logs = ["a.ndjson", "b.ndjson"]
    for name in logs {
      try it.fixture.log((usual.lines(60) + mendable.lines(80)).shuffled(seed), name)
    }
    func use(_ options: inout RunOptions, _ rules: (inout Rules) -> Void) {
      rules(&options.read.rules)
      options.read.maxRejects = nil
      options.read.jobs = 2
      options.snapshot.dedupeDays = random.days
    }
    try it.fixture.run(logs, to: "strict") { use(&$0, change.strict) }
    let redriven = try it.redrive(["strict"], to: "again") { use(&$0, change.lenient) }
    try it.fixture.run(["again"], to: "merged", after: "strict") { use(&$0) { _ in } }
    try it.fixture.run(logs, to: "lenient") { use(&$0, change.lenient) }
    #expect(redriven.ledger.acceptedEvents > 5)
    #expect(redriven.entriesLeft > 10)
    try it.expectSameSnapshot("merged", "lenient")
    #expect(try it.lines("again/\(RunFiles.rejects)") == it.lines("lenient/\(RunFiles.rejects)"))
  }

  /// Rejects of `--unknown-fields reject`, reprocessed with `drop`, give the result of a run with
  /// `drop`. Every loss is reported once.
  @Test func whatWasRejectedForUnknownFieldsIsTakenWithAnotherPolicy() throws {
    let time = #""time":"2024-06-01T00:00:00Z""#
    try it.fixture.log(
      [
        #"{"custom_id":"a","user_id":"x","name":"n",\#(time),"amount":1}"#,
        #"{"id":"b","custom_id":"y","events":[{"name":"n",\#(time),"f":1},{"name":"m",\#(time)}]}"#,
        #"{"id":"c","custom_id":"z","events":[{"name":"n",\#(time),"f":1},{"name":"m",\#(time),"g":1}]}"#,
        #"{"identifiers":{"custom_id":"d","email":"e"},\#(time),"attributes":{"k":1}}"#,
        #"{"id":"e","update":{"values":{"k":1},"merge":1},\#(time)}"#,
      ], "a.ndjson")
    try it.fixture.run(["a.ndjson"], to: "reject") { $0.read.rules.unknownFields = .reject }
    let redriven = try it.redrive(["reject"], to: "again")
    #expect(redriven.entriesLeft == 0 && redriven.ledger.acceptedEvents == 4)
    try it.fixture.run(["again"], to: "merged", after: "reject")
    try it.fixture.run(["a.ndjson"], to: "drop")
    try it.expectSameSnapshot("merged", "drop")
    func losses(_ output: String, _ code: String) throws -> Int {
      let report = try it.fixture.json("\(output)/\(RunFiles.report)")
      return report["losses"]?[code]?["count"]?.integer ?? 0
    }
    for code in ["unknown_field", "alias_ignored"] {
      let told = try losses("reject", code) + losses("again", code)
      #expect(try told == losses("drop", code), "\(code)")
    }
  }

  @Test func anyNumberOfJobsGivesTheSameBytes() throws {
    var log = RepairableLog(seed: 9)
    try strict(log.lines(3000))
    for jobs in [1, 3] {
      try it.redrive(["strict"], to: "again-\(jobs)") {
        ($0.read.rules.v1, $0.read.jobs) = (.lenient, jobs)
      }
    }
    for file in [RunFiles.redriven, RunFiles.rejects, RunFiles.losses, RunFiles.manifest] {
      #expect(
        try it.fixture.scratch.bytes("again-1/\(file)")
          == it.fixture.scratch.bytes("again-3/\(file)"), "\(file)")
    }
  }

  /// A partial and a merge attribute the events to their original inputs, as a run does.
  @Test func duplicatesAreFoundThroughPartials() throws {
    let (runs, fixture) = (PartialRuns(it.fixture), it.fixture)
    let event = #"{"custom_id":"u","id":"e","name":"n","time":"2024-05-02T09:15:00Z""#
    try fixture.log([event + "}", event + #","label":1}"#], "a.ndjson")
    try fixture.run(["a.ndjson"], to: "strict") { $0.snapshot.dedupeDays = 9 }
    try it.redrive(["strict"], to: "again") { $0.read.rules.v1 = .lenient }
    func merge(_ options: inout RunOptions) {
      options.merge.previous = fixture.scratch("strict")
      options.snapshot.dedupeDays = 9
    }
    let summary = try fixture.run(["again"], to: "merged", merge)
    #expect(summary.ledger.duplicates == 1 && summary.ledger.accepted == 0)
    try runs.partial(["again"], to: "partial")
    try runs.mergeAll(["partial"], partitions: 1, to: "finished", merge)
    for file in [RunFiles.countsJSON, RunFiles.totals, RunFiles.manifest] {
      #expect(
        try fixture.scratch.bytes("merged/\(file)") == fixture.scratch.bytes("finished/\(file)"))
    }
    let duplicates = try fixture.json("finished/\(RunFiles.report)")["duplicates"]?["inputs"]?[0]
    #expect(duplicates?["events"]?.integer == 1)
    #expect(duplicates?["path"]?.text?.hasSuffix(RunFiles.redriven) == true)
  }

  @Test func onlyTheRejectedPartsOfALineAreTaken() throws {
    try strict([
      "",
      #"{"id":"u","installation_id":"i","events":[{"name":"a",\#(time)},{"name":"b",\#(time),"#
        + #""label":1},{"name":"c"},{"name":"d",\#(time),"tags":"x"}]}"#,
    ])
    let summary = try it.redrive(["strict"], to: "again") { $0.read.rules.v1 = .lenient }
    let source = it.fixture.scratch("a.ndjson")
    #expect(
      try it.redriven("again") == [
        #"{"identifiers":{"custom_id":"u","installation_id":"i"},"events":[{"name":"b","time":"#
          + #""2024-05-02T09:15:00.000Z"},{"name":"d","time":"2024-05-02T09:15:00.000Z"}],"#
          + #""redriven":{"source":"\#(source)","line":2,"offset":1,"dialect":"v1"}}"#
      ])
    var ledger = RedriveLedger()
    (ledger.entries, ledger.accepted, ledger.rejected, ledger.remaining) = (3, 2, 1, 1)
    (ledger.acceptedEvents, ledger.rejectedEvents) = (2, 1)
    #expect(summary.ledger == ledger)
    #expect(try left("again") == ["event 2 of line 2: missing_time"])
    // Indexes count the events of the original line, not only the reprocessed parts.
    #expect(
      summary.tally.losses.flatMap(\.samples).map(\.path)
        == ["events[1].label", "events[3].tags"])
  }

  @Test func editedLinesAreTaken() throws {
    try strict([
      #"{"name":"a",\#(time)"#,
      #"{"name":"b",\#(time),"label":1}"#,
      #"{"identifiers":{"custom_id":"u"},\#(time),"overwrite":true,"attributes":{"x":1,"bad key":2}}"#,
      #"{"name":"c"}"#,
      #"{"name":"d"}"#,
      #"{"name":"e"}"#,
    ])
    try it.edit("strict", as: "edited.ndjson") { entry in
      entry.replacing(#"15:00Z\"""#, with: #"15:00Z\"}""#)
        .replacing(#"\"label\":1"#, with: #"\n  \"label\":\"1\"\n"#)
        .replacing("bad key\\\":2", with: "good_key\\\":2")
        .replacing(#""raw":"{\"name\":\"c\"}""#, with: #""raw":"{\"id\":\"u\",\"events\":[]}""#)
        .replacing(#""raw":"{\"name\":\"d\"}""#, with: #""raw":"oops""#)
        .replacing(asJSON(#"{"name":"e"}"#), with: asJSON(Self.link))
    }
    let summary = try it.redrive(["edited.ndjson"], to: "again")
    let redriven = try it.redriven("again")
    #expect(redriven.count == 3)
    #expect(redriven[0].contains(#""name":"a""#))
    #expect(redriven[1].contains(#""attributes":{"$label":"1"}"#))
    // The clear and the other attribute were accepted, so only the refused part is reprocessed.
    #expect(
      redriven[2].hasPrefix(
        #"{"identifiers":{"custom_id":"u"},"time":"2024-05-02T09:15:00.000Z","attributes":"#
          + #"{"good_key":2},"redriven""#))
    #expect(
      try left("again") == [
        "event 0 of line 4: part_missing", "event 0 of line 5: invalid_json",
        "event 0 of line 6: part_missing",
      ])
    #expect(try it.rejects("again")[1]["raw"]?.text == "oops")
    #expect(summary.ledger.rejected == 3 && summary.ledger.accepted == 3)
  }

  @Test func aLineThatWasRejectedAsAWholeIsTakenInParts() throws {
    let update =
      #"{"identifiers":{"custom_id":"u"},"time":"2024-05-02T09:15:00Z","attributes":"#
      + #"{"a":1,"b c":2},"events":[{"name":"n"},{"name":""}]}"#
    try it.fixture.log(
      [
        RedriveFixture.entry("line", raw: asJSON(update)),
        RedriveFixture.entry("line", line: 2, raw: asJSON("")),
        RedriveFixture.entry("line", line: 3, raw: asJSON(Self.link)),
      ], "edited.ndjson")
    let ledger = try it.redrive(["edited.ndjson"], to: "again").ledger
    #expect(ledger.partial == 1 && ledger.accepted == 1 && ledger.rejected == 1)
    #expect(ledger.acceptedEvents == 1 && ledger.appliedOperations == 1)
    #expect(try it.redriven("again").count == 2)
    #expect(
      try left("again") == [
        "event 1 of line 1: bad_name", "operation 1 of line 1: bad_key",
        "line 0 of line 2: empty_record",
      ])
  }

  @Test func whatDoesNotHoldItsLineStaysAsItIs() throws {
    let cut = RedriveFixture.entry(
      "event", raw: #""{\"name\":\"n\"""#, rest: #","raw_truncated":true,"mine":[1, 2]"#)
    let line = RedriveFixture.entry("line", line: 2, raw: #""{}""#)
    try it.fixture.log([cut, "", line, cut], "rejects.ndjson")
    let summary = try it.redrive(["rejects.ndjson"], to: "again")
    #expect(summary.ledger.kept == 2 && summary.ledger.entries == 3)
    let lines = try it.lines("again/\(RunFiles.rejects)")
    #expect(lines.count == 3 && lines[0] == cut && lines[2] == cut)
    #expect(lines[1].contains("unknown_dialect"))
  }

  /// A line with more than a thousand rejected parts has its text in the first entries alone.
  @Test func entriesWithoutTextBelongToThoseBeforeThem() throws {
    let event = #"{"name":"n",\#(time),"label":1}"#
    let events = Array(repeating: event, count: 1100).joined(separator: ",")
    try strict([#"{"id":"u","events":[\#(events)]}"#])
    let again = try it.redrive(["strict"], to: "still") {
      $0.read.rules.notAfter = Rules.earliestTime
    }
    #expect(again.ledger.rejected == 1100 && again.entriesLeft == 1100)
    let summary = try it.redrive(["still"], to: "again") { $0.read.rules.v1 = .lenient }
    #expect(summary.ledger.accepted == 1100 && summary.lines == 1)
  }

  @Test func aPartThatIsNamedTwiceIsTakenOnce() throws {
    let raw = #""{\"id\":\"u\",\"events\":[{\"name\":\"n\",\"time\":\"2024-05-02T09:15:00Z\"}]}""#
    let entry = RedriveFixture.entry("event", raw: raw)
    try it.fixture.log([entry, entry], "rejects.ndjson")
    let summary = try it.redrive(["rejects.ndjson"], to: "again")
    #expect(summary.ledger.repeated == 1 && summary.ledger.accepted == 1)
  }

  @Test func linesThatAreNoTextAreTakenFromBase64() throws {
    try strict([#"{"name":"n","label":"?"}"#])
    try it.fixture.scratch.change("a.ndjson") { $0[$0.count - 4] = 0xFF }
    try it.fixture.run(["a.ndjson"], to: "strict") { $0.publish.replace = true }
    try it.redrive(["strict"], to: "again")
    #expect(try it.lines("again/\(RunFiles.rejects)") == it.lines("strict/\(RunFiles.rejects)"))
  }

  /// Records from rejects of redriven lines name the log at the beginning of the chain.
  @Test func theFirstPlaceIsKept() throws {
    try it.fixture.log([#"{"custom_id":"u","name":"n","label":1}"#], "a.ndjson")
    try it.fixture.run(["a.ndjson"], to: "one")
    try it.redrive(["one"], to: "two") {
      $0.read.rules.v1 = .lenient
      $0.read.rules.defaultTime = Rules.earliestTime
    }
    try it.fixture.run(["two"], to: "three") { $0.read.rules.notBefore = Rules.earliestTime + 1 }
    try it.redrive(["three"], to: "four")
    #expect(try it.redriven("four") == it.redriven("two"))
    #expect(try it.redriven("four").count == 1)
  }
}

private let time = #""time":"2024-05-02T09:15:00Z""#

/// A text as a JSON string.
private func asJSON(_ text: String) -> String { "\"" + text.replacing("\"", with: "\\\"") + "\"" }

extension Array {
  /// The elements in an order that follows from `seed`.
  fileprivate func shuffled(_ seed: UInt64) -> [Element] {
    var random = RepeatableRandom(seed: seed)
    return shuffled(using: &random)
  }
}
