import Pipeline
import Testing

@testable import Stages

@Suite struct RejectLimitTests {
  private func outcome(rejects: Int, lines: Int, blank: Int) -> MergeOutcome {
    var ledger = Ledger()
    ledger.lines = lines
    ledger.blank = blank
    let facts = TallyFacts(
      ledgers: [ledger], linesWithRejects: rejects, reasons: [], losses: [], unknownFields: [],
      unknownFieldTotal: 0)
    return MergeOutcome(
      tally: facts, outcomes: [], rejects: WrittenFile(path: "", bytes: 0, lines: 0, xxh64: 0),
      times: FlowTimes([], stalled: 0))
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

  @Test func theLimitAsItWasWritten() {
    #expect(RejectLimit.lines(5).text == "--max-rejects 5")
    #expect(RejectLimit.percent(0.5).text == "--max-rejects 0.5%")
  }
}
