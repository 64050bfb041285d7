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

  private func read(_ text: String) throws -> ArchivedInput? {
    var bytes = ByteBuffer()
    bytes.append(text: text)
    return ArchivedInput(
      try JSONDocument(bytes.view).root, number: 4, log: "l", rejects: "r")
  }

  @Test func whatIsWrittenIsRead() throws {
    let input = try input()
    let text = input.json().view.text
    let again = try #require(try read(text))
    #expect(again.isResumed && again.number == 4)
    #expect(again.state == input.state && again.log == input.log)
    #expect(again.rejects == input.rejects)
    #expect(again.facts.outcomes[0].lost?.why == "it is cut")
    #expect(again.facts.tally.ledgers == input.facts.tally.ledgers)
    #expect(again.json().view.text == text)
  }

  @Test(arguments: [
    ("\"eventmill_migrated\":1", "\"eventmill_migrated\":2"), ("\"bytes\":10", "\"bytes\":-1"),
    ("\"lines\":2", "\"lines\":\"2\""), ("0000000000000009", "9"), ("\"modified\"", "\"changed\""),
    ("\"log\"", "\"dog\""), ("\"facts\":", "\"fakts\":"), ("\"total\":7", "\"total\":-7"),
  ])
  func anythingElseIsNone(part: String, other: String) throws {
    let text = try input().json().view.text
    #expect(text.contains(part), "\(text)")
    #expect(try read(text.replacing(part, with: other)) == nil)
  }
}
