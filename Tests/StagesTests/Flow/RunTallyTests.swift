@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct RunTallyTests {
  private func add(
    _ text: String, input: Int, firstLine: Int = 1, rules: Rules = Rules(), to tally: inout RunTally
  ) {
    let harness = StageHarness()
    harness.load(Array(text.utf8), firstLine: firstLine)
    harness.unit.block.input = input
    harness.work(rules)
    tally.add(harness.unit)
  }

  @Test func oneLedgerPerInput() {
    var tally = RunTally(inputs: 2)
    add("{\n\n" + Sample.event("u", "a") + "\n" + Sample.event("u", "-"), input: 1, to: &tally)
    add(Sample.event("u", "a") + "\n" + Sample.event("u", "a"), input: 0, to: &tally)
    tally.setLines(2, of: 0)
    tally.setLines(4, of: 1)
    var facts = tally.facts
    facts.takeBack(1, of: [0, 1])
    #expect(facts.ledgers.allSatisfy { $0.mismatch == nil })
    #expect(facts.ledgers[0].accepted == 1 && facts.ledgers[0].duplicates == 1)
    #expect(facts.ledgers[1].accepted == 1 && facts.ledgers[1].rejected == 1)
    #expect(facts.ledgers[1].blank == 1 && facts.ledgers[1].rejectedLines == 1)
    #expect(facts.total.lines == 6 && facts.total.events == 4)
    #expect(facts.linesWithRejects == 2)
  }

  /// A block without any reason is counted as a whole; a rejected line in it changes only its own
  /// part.
  @Test func aBlockWithoutRejectsCountsAsOneWith() {
    let lines = [
      "", Sample.event("u", "a"),
      #"{"identifiers":{"custom_id":"u"},"time":\#(Sample.time),"overwrite":true,"#
        + #""attributes":{"a":1,"A":2,"b":null},"events":[{"name":"n"},{"name":"m"}]}"#,
    ].joined(separator: "\n")
    var clean = RunTally(inputs: 1)
    var mixed = RunTally(inputs: 1)
    add(lines, input: 0, to: &clean)
    add(lines + "\n{", input: 0, to: &mixed)
    clean.setLines(3, of: 0)
    mixed.setLines(4, of: 0)
    var expected = mixed.facts.total
    expected.lines -= 1
    expected.rejectedLines -= 1
    #expect(clean.facts.total == expected)
    #expect(clean.facts.total.events == 3 && clean.facts.total.operations == 3)
    #expect(clean.facts.linesWithRejects == 0 && mixed.facts.linesWithRejects == 1)
  }

  @Test func aLineWithSeveralRejectsIsOneLine() {
    var tally = RunTally(inputs: 1)
    add(
      #"{"identifiers":{"custom_id":"u"},"time":0,"attributes":{"a":1,"b":""},"events":[{},{"name":"n"}]}"#,
      input: 0, to: &tally)
    let facts = tally.facts
    #expect(facts.linesWithRejects == 1)
    #expect(facts.total.refused == 2 && facts.total.rejected == 2)
    // A part with two reasons counts twice.
    #expect(
      facts.reasons.map { "\($0.code.text) \($0.count)" }
        == ["missing_name 1", "time_out_of_range 4", "string_empty 1"])
    #expect(facts.reasons[1].samples.map(\.path) == ["time"])
  }

  @Test func theFirstLossesAreShown() {
    var tally = RunTally(inputs: 1)
    let line = #"{"name":"n","time":\#(Sample.time),"label":" ","attributes":{"a":" ","b":" "}}"#
    for block in 0..<4 {
      add([line, line].joined(separator: "\n"), input: 0, firstLine: 1 + 2 * block, to: &tally)
    }
    let facts = tally.facts
    #expect(
      facts.losses.map { "\($0.code.text) \($0.count)" } == ["string_blank 16", "label_blank 8"])
    #expect(facts.losses[0].samples.count == RunTally.samples)
    #expect(facts.losses[0].samples.map(\.line) == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5])
    #expect(facts.losses[1].samples.count == 8 && facts.losses[1].samples[7].line == 8)
    #expect(facts.losses[0].samples[1].path == "attributes.b")
  }

  /// The stages add their losses one after the other; samples do not depend on where blocks end.
  @Test func samplesAreInTheOrderOfLines() {
    let fields = [
      #""attributes":{"A":1,"a":2}"#, #""attributes":{"b":1,"b":2}"#, #""label":"x","label":"y""#,
    ]
    let lines = (0..<9).map { #"{"name":"n","time":\#(Sample.time),\#(fields[$0 % 3])}"# }
    for size in [1, 2, 9] {
      var tally = RunTally(inputs: 1)
      for first in stride(from: 0, to: 9, by: size) {
        let block = lines[first..<min(first + size, 9)].joined(separator: "\n")
        add(block, input: 0, firstLine: first + 1, to: &tally)
      }
      let overwritten = tally.facts.losses.first { $0.code == .valueOverwritten }
      #expect(overwritten?.samples.map(\.line) == [1, 2, 3, 4, 5, 6, 7, 8, 9], "blocks of \(size)")
    }
  }

  @Test func unknownFieldsAddUp() {
    var tally = RunTally(inputs: 1)
    let line = { (fields: String) in #"{"name":"n","time":\#(Sample.time),\#(fields)}"# }
    for _ in 0..<3 {
      let lines = [line(#""x":1,"y":2"#), line(#""x":1"#), #"{"name":"n","z":1}"#]
      add(lines.joined(separator: "\n"), input: 0, to: &tally)
    }
    #expect(tally.facts.unknownFields.names.map { "\($0.name) \($0.count)" } == ["x 6", "y 3"])
  }

  @Test func linesCountPerDialectAndInput() {
    var tally = RunTally(inputs: 2)
    add(
      #"{"name":"n","time":0}"# + "\n" + #"{"identifiers":1}"# + "\n{}\n\n[", input: 0, to: &tally)
    add(
      #"{"name":"_B","ts":1}"# + "\n" + #"{"name":"_A","ts":1}"# + "\n" + #"{"name":"_B","ts":1}"#
        + "\n" + #"{"name":"_PROFILE_IDENTIFY","params":{}}"# + "\n"
        + #"{"action":["batch.deeplink"]}"#,
      input: 1, to: &tally)
    let facts = tally.facts.dialects
    let count = { (input: Int, name: String) in
      facts.lines(ofInput: input).first { $0.dialect.name == name }?.count ?? 0
    }
    #expect(count(0, "v1") == 1 && count(0, "v2") == 1 && count(0, "sdk") == 0)
    #expect(count(1, "v1") == 0 && count(1, "sdk") == 4 && count(1, "action") == 1)
    #expect(facts.lines(of: .v1) == 1 && facts.logouts == 1)
    #expect(
      facts.internalEvents.map { "\($0.name) \($0.count)" } == [
        "_A 1", "_B 2", "_PROFILE_IDENTIFY 1",
      ])
    #expect(facts.ignoredActions.map { "\($0.name) \($0.count)" } == ["batch.deeplink 1"])
  }

  // MARK: - Limits of rejects

  private func facts(rejects: Int, lines: Int, blank: Int) -> TallyFacts {
    var ledger = Ledger()
    (ledger.lines, ledger.blank) = (lines, blank)
    return TallyFacts(ledgers: [ledger], linesWithRejects: rejects)
  }

  private func excess(_ facts: TallyFacts, _ limit: RejectLimit, besides lost: Int = 0) -> Failure?
  {
    var options = ReadOptions()
    options.maxRejects = limit
    return facts.excess(of: options, besides: lost)
  }

  @Test func asManyRejectsAsAllowedAreAllowed() {
    let facts = facts(rejects: 5, lines: 25, blank: 5)
    for (limit, isExceeded) in [
      (.lines(5), false), (.lines(4), true), (.percent(25), false), (.percent(24.9), true),
      (.percent(100), false), (.percent(0), true),
    ] as [(RejectLimit, Bool)] { #expect((excess(facts, limit) != nil) == isExceeded, "\(limit)") }
    for (lines, blank) in [(0, 0), (3, 3), (10, 0)] {
      let none = self.facts(rejects: 0, lines: lines, blank: blank)
      #expect(excess(none, .lines(0)) == nil && excess(none, .percent(0)) == nil)
    }
    let failure = excess(facts, .lines(4))
    #expect(failure?.kind == .rejects)
    #expect(failure?.why == "5 of 20 lines have a rejected part, more than 4")
    #expect(excess(facts, .percent(0.5))?.why.hasSuffix("more than 0.5%") == true)
  }

  /// Lines of an input that is not a log, and lost, are in the ledger and do not count.
  @Test func lostLinesDoNotCount() {
    var (log, other) = (Ledger(), Ledger())
    log.lines = 10
    (other.lines, other.rejectedLines) = (100, 100)
    let facts = TallyFacts(ledgers: [log, other], linesWithRejects: 101)
    var outcomes = ["a", "b"].map { InputOutcome(file: InputFile(path: $0, size: nil)) }
    #expect(facts.lostLines(of: outcomes) == 0 && excess(facts, .usual) != nil)
    outcomes[1].isLog = false
    #expect(facts.lostLines(of: outcomes) == 0)
    outcomes[1].lost = Failure(.corrupt, doing: "reading", why: "it is not a log")
    #expect(facts.lostLines(of: outcomes) == 100)
    #expect(excess(facts, .percent(10), besides: 100) == nil)
    #expect(excess(facts, .lines(0), besides: 100)?.why.hasPrefix("1 of 10 lines has") == true)
  }
}
