@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct RunTallyTests {
  /// The facts of blocks of lines: their input, the number of their first line, and their text.
  private func tally(
    inputs: Int = 1, lines: [Int] = [], _ blocks: [(input: Int, firstLine: Int, text: String)]
  ) -> TallyFacts {
    var tally = RunTally(inputs: inputs)
    for block in blocks {
      let harness = StageHarness()
      harness.load(Array(block.text.utf8), firstLine: block.firstLine)
      harness.unit.block.input = block.input
      harness.work(Rules())
      tally.add(harness.unit)
    }
    for (input, count) in lines.enumerated() { tally.setLines(count, of: input) }
    return tally.facts
  }

  private func texts(_ names: [NamedCount]) -> [String] { names.map { "\($0.name) \($0.count)" } }

  @Test func oneLedgerPerInput() {
    let event = Sample.event("u", "a")
    var facts = tally(
      inputs: 2, lines: [2, 4],
      [(1, 1, "{\n\n\(event)\n" + Sample.event("u", "-")), (0, 1, "\(event)\n\(event)")])
    facts.takeBack(1, of: [0, 1])
    var (first, second) = (Ledger(), Ledger())
    (first.lines, first.records, first.events) = (2, 2, 2)
    (first.accepted, first.duplicates) = (1, 1)
    (second.lines, second.blank, second.records, second.rejectedLines) = (4, 1, 2, 1)
    (second.events, second.accepted, second.rejected) = (2, 1, 1)
    #expect(facts.ledgers == [first, second])
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
    let clean = tally(lines: [3], [(0, 1, lines)])
    let mixed = tally(lines: [4], [(0, 1, lines + "\n{")])
    var expected = mixed.total
    expected.lines -= 1
    expected.rejectedLines -= 1
    #expect(clean.total == expected && clean.total.events == 3 && clean.total.operations == 3)
    #expect(clean.linesWithRejects == 0 && mixed.linesWithRejects == 1)
  }

  @Test func aLineWithSeveralRejectsIsOneLine() {
    let line =
      #"{"identifiers":{"custom_id":"u"},"time":0,"attributes":{"a":1,"b":""},"#
      + #""events":[{},{"name":"n"}]}"#
    let facts = tally([(0, 1, line)])
    #expect(facts.linesWithRejects == 1)
    #expect(facts.total.refused == 2 && facts.total.rejected == 2)
    // A part with two reasons counts twice.
    #expect(
      facts.reasons.map { "\($0.code.text) \($0.count)" }
        == ["missing_name 1", "time_out_of_range 4", "string_empty 1"])
    #expect(facts.reasons[1].samples.map(\.path) == ["time"])
  }

  @Test func theFirstLossesAreShown() {
    let line = #"{"name":"n","time":\#(Sample.time),"label":" ","attributes":{"a":" ","b":" "}}"#
    let losses = tally((0..<4).map { (0, 1 + 2 * $0, "\(line)\n\(line)") }).losses
    #expect(losses.map { "\($0.code.text) \($0.count)" } == ["string_blank 16", "label_blank 8"])
    #expect(losses[0].samples.count == RunTally.samples)
    #expect(losses[0].samples.map(\.line) == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5])
    #expect(losses[1].samples.map(\.line) == Array(1...8))
    #expect(losses[0].samples[1].path == "attributes.b")
  }

  /// The stages add their losses one after the other; samples do not depend on where blocks end.
  @Test(arguments: [1, 2, 9]) func samplesAreInTheOrderOfLines(size: Int) {
    let fields = [
      #""attributes":{"A":1,"a":2}"#, #""attributes":{"b":1,"b":2}"#, #""label":"x","label":"y""#,
    ]
    let lines = (0..<9).map { #"{"name":"n","time":\#(Sample.time),\#(fields[$0 % 3])}"# }
    let facts = tally(
      stride(from: 0, to: 9, by: size).map { first in
        (0, first + 1, lines[first..<min(first + size, 9)].joined(separator: "\n"))
      })
    let overwritten = facts.losses.first { $0.code == .valueOverwritten }
    #expect(overwritten?.samples.map(\.line) == Array(1...9))
  }

  @Test func unknownFieldsAddUp() {
    let line = { (fields: String) in #"{"name":"n","time":\#(Sample.time),\#(fields)}"# }
    let lines = [line(#""x":1,"y":2"#), line(#""x":1"#), #"{"name":"n","z":1}"#]
    let facts = tally(Array(repeating: (0, 1, lines.joined(separator: "\n")), count: 3))
    #expect(texts(facts.unknownFields.names) == ["x 6", "y 3"])
  }

  @Test func linesCountPerDialectAndInput() {
    let foreign = [
      #"{"name":"_B","ts":1}"#, #"{"name":"_A","ts":1}"#, #"{"name":"_B","ts":1}"#,
      #"{"name":"_PROFILE_IDENTIFY","params":{}}"#, #"{"action":["batch.deeplink"]}"#,
    ].joined(separator: "\n")
    let own = #"{"name":"n","time":0}"# + "\n" + #"{"identifiers":1}"# + "\n{}\n\n["
    let facts = tally(inputs: 2, [(0, 1, own), (1, 1, foreign)]).dialects
    let count = { (input: Int, name: String) in
      facts.lines(ofInput: input).first { $0.dialect.name == name }?.count ?? 0
    }
    #expect(["v1", "v2", "sdk"].map { count(0, $0) } == [1, 1, 0])
    #expect(["v1", "sdk", "action"].map { count(1, $0) } == [0, 4, 1])
    #expect(facts.lines(of: .v1) == 1 && facts.logouts == 1)
    #expect(texts(facts.internalEvents) == ["_A 1", "_B 2", "_PROFILE_IDENTIFY 1"])
    #expect(texts(facts.ignoredActions) == ["batch.deeplink 1"])
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
