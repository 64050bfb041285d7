@testable import Jobs
import Pipeline
import Testing

@Suite struct RejectLimitTests {
  private func outcome(rejects: Int, lines: Int, blank: Int) -> TallyFacts {
    var ledger = Ledger()
    ledger.lines = lines
    ledger.blank = blank
    return TallyFacts(ledgers: [ledger], linesWithRejects: rejects)
  }

  @Test func asManyAsAllowedIsAllowed() {
    let outcome = outcome(rejects: 5, lines: 25, blank: 5)
    #expect(!outcome.exceeds(.lines(5)) && outcome.exceeds(.lines(4)))
    #expect(!outcome.exceeds(.percent(25)) && outcome.exceeds(.percent(24.9)))
    #expect(!outcome.exceeds(.percent(100)) && outcome.exceeds(.percent(0)))
  }

  /// Lines of an input that is not a log, and lost, are in the ledger and do not count.
  @Test func lostLinesDoNotCount() {
    var log = Ledger()
    log.lines = 10
    var other = Ledger()
    (other.lines, other.rejectedLines) = (100, 100)
    let facts = TallyFacts(ledgers: [log, other], linesWithRejects: 101)
    var outcomes = ["a", "b"].map { InputOutcome(file: InputFile(path: $0, size: nil)) }
    #expect(facts.lostLines(of: outcomes) == 0 && facts.exceeds(.usual))
    outcomes[1].isLog = false
    #expect(facts.lostLines(of: outcomes) == 0)
    outcomes[1].lost = Failure(.corrupt, doing: "reading", why: "it is not a log")
    #expect(facts.lostLines(of: outcomes) == 100)
    #expect(!facts.exceeds(.percent(10), besides: 100) && facts.exceeds(.lines(0), besides: 100))
  }

  @Test func nothingIsNeverTooMuch() {
    for (lines, blank) in [(0, 0), (3, 3), (10, 0)] {
      let outcome = outcome(rejects: 0, lines: lines, blank: blank)
      #expect(!outcome.exceeds(.lines(0)) && !outcome.exceeds(.percent(0)))
    }
  }

  @Test func theFailureTellsTheLimitAsItWasWritten() {
    let outcome = outcome(rejects: 5, lines: 25, blank: 5)
    let lines = outcome.failure(.lines(4), path: "out", advice: [])
    #expect(lines.kind == .rejects && lines.why.contains("5 of 20 lines"))
    #expect(lines.why.hasSuffix("more than 4"))
    #expect(outcome.failure(.percent(0.5), path: nil, advice: []).why.hasSuffix("more than 0.5%"))
  }
}
