@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// What a checkpoint says of a finished input, written and read.
@Suite struct ArchivedInputTests {
  private func input() throws -> ArchivedInput {
    let fixture = try RunFixture()
    let path = try fixture.log(["x"], "a.ndjson")
    let state = try InputState(InputFile(path: path, size: 2), .real)
    var tally = RunTally(inputs: 1)
    tally.setLines(7, of: 0)
    var facts = PartialFacts()
    facts.tally = tally.facts
    facts.outcomes = [
      InputOutcome(
        file: InputFile(path: path, size: 2),
        summary: InputSummary(
          compression: .none, compressedBytes: 2, hash: 5, decompressedBytes: 2, lines: 7),
        lost: Failure(.corrupt, doing: "reading", path: path, offset: 3, why: "it is cut"))
    ]
    return ArchivedInput(
      number: 4, state: state, log: WrittenFile(path: "l", bytes: 10, lines: 3, xxh64: 9),
      rejects: WrittenFile(path: "r", bytes: 11, lines: 2, xxh64: 8), facts: facts)
  }

  @Test func whatIsWrittenIsRead() throws {
    let input = try input()
    let text = input.text()
    let again = try ArchivedInput(JSONDocument(text.view).root)
    #expect(again.state == input.state && again.log == input.log)
    #expect(again.rejects == input.rejects)
    #expect(again.facts.outcomes[0].lost?.why == "it is cut")
    #expect(again.facts.tally.ledgers == input.facts.tally.ledgers)
    #expect(again.text().text == text.view.text)
  }

  /// Facts of another input are those of another checkpoint.
  @Test func factsOfAnotherInputAreRefused() throws {
    var facts = try input().facts
    facts.outcomes[0] = InputOutcome(file: InputFile(path: "b", size: 2))
    let text = ArchivedInput(
      number: 4, state: try input().state, log: WrittenFile(), rejects: nil, facts: facts
    ).text()
    #expect(ArchivedInput(orNil: try JSONDocument(text.view).root) == nil)
  }
}
