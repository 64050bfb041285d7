import Pipeline
import Testing

@testable import Stages

@Suite struct RejectLimitTests {
  private func outcome(rejects: Int, lines: Int, blank: Int) -> TallyFacts {
    var ledger = Ledger()
    ledger.lines = lines
    ledger.blank = blank
    return TallyFacts(
      ledgers: [ledger], linesWithRejects: rejects, reasons: [], losses: [], unknownFields: [])
  }

  @Test func asManyAsAllowedIsAllowed() {
    let outcome = outcome(rejects: 5, lines: 25, blank: 5)
    #expect(!outcome.exceeds(.lines(5)) && outcome.exceeds(.lines(4)))
    #expect(!outcome.exceeds(.percent(25)) && outcome.exceeds(.percent(24.9)))
    #expect(!outcome.exceeds(.percent(100)) && outcome.exceeds(.percent(0)))
  }

  @Test func nothingIsNeverTooMuch() {
    for (lines, blank) in [(0, 0), (3, 3), (10, 0)] {
      let outcome = outcome(rejects: 0, lines: lines, blank: blank)
      #expect(!outcome.exceeds(.lines(0)) && !outcome.exceeds(.percent(0)))
    }
  }

  @Test func theFailureTellsTheLimitAsItWasWritten() {
    let outcome = outcome(rejects: 5, lines: 25, blank: 5)
    let lines = outcome.failure(.lines(4), path: "out", advice: "look")
    #expect(lines.kind == .rejects && lines.why.contains("5 of 25 lines"))
    #expect(lines.why.hasSuffix("more than 4"))
    #expect(outcome.failure(.percent(0.5), path: nil, advice: "").why.hasSuffix("more than 0.5%"))
  }
}
