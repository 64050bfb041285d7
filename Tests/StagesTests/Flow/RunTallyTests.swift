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
    let line =
      #"{"name":"n","time":\#(Sample.time),"label":" ","attributes":{"a":" ","b":" "}}"#
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

  @Test func unknownFieldsAddUp() {
    var tally = RunTally(inputs: 1)
    for _ in 0..<3 {
      add(
        #"{"name":"n","time":\#(Sample.time),"x":1,"y":2}"# + "\n"
          + #"{"name":"n","time":\#(Sample.time),"x":1}"# + "\n" + #"{"name":"n","z":1}"#,
        input: 0, to: &tally)
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
}
