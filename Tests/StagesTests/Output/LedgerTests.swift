import TestSupport
import Testing

@testable import Stages

@Suite struct LedgerTests {
  /// A ledger that adds up, every number another one.
  static var sound: Ledger {
    var ledger = Ledger()
    ledger.blank = 1
    ledger.records = 2
    ledger.rejectedLines = 4
    ledger.lines = 7
    ledger.accepted = 8
    ledger.rejected = 16
    ledger.duplicates = 32
    ledger.suppressed = 64
    ledger.events = 120
    ledger.applied = 128
    ledger.refused = 256
    ledger.operations = 384
    return ledger
  }

  @Test func equationsThatHold() {
    #expect(Ledger().mismatch == nil && LedgerTests.sound.mismatch == nil)
  }

  @Test func aFigureThatIsWrong() throws {
    try expectMismatch("lines", [\.lines, \.blank, \.records, \.rejectedLines])
    try expectMismatch("events", [\.events, \.accepted, \.rejected, \.duplicates, \.suppressed])
    try expectMismatch("operations", [\.operations, \.applied, \.refused])
  }

  /// Checks that each of the figures of an equation, the first being the sum, shows when it is wrong.
  private func expectMismatch(
    _ equation: String, _ figures: [WritableKeyPath<Ledger, Int>]
  ) throws {
    for figure in figures {
      for change in [-1, 1] {
        var ledger = LedgerTests.sound
        ledger[keyPath: figure] += change
        let why = try #require(ledger.mismatch)
        #expect(why.hasPrefix("\(ledger[keyPath: figures[0]]) \(equation) were read"))
        for figure in figures { #expect(why.contains("\(ledger[keyPath: figure]) ")) }
      }
    }
  }

  @Test func addsFigureByFigure() {
    var sum = LedgerTests.sound
    sum.add(LedgerTests.sound)
    var expected = Ledger()
    expected.blank = 2
    expected.records = 4
    expected.rejectedLines = 8
    expected.lines = 14
    expected.accepted = 16
    expected.rejected = 32
    expected.duplicates = 64
    expected.suppressed = 128
    expected.events = 240
    expected.applied = 256
    expected.refused = 512
    expected.operations = 768
    #expect(sum == expected)
  }
}
