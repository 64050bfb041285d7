@testable import Jobs
import Pipeline
import TestSupport
import Testing

@Suite struct LedgerTests {
  @Test func equationsThatHold() {
    #expect(Ledger().mismatch == nil && Sample.ledger.mismatch == nil)
  }

  @Test func aFigureThatIsWrong() throws {
    try expectMismatch("lines", [\.lines, \.blank, \.records, \.rejectedLines])
    try expectMismatch(
      "events", [\.events, \.accepted, \.rejected, \.duplicates, \.suppressed, \.outside])
    try expectMismatch("operations", [\.operations, \.applied, \.refused])
  }

  /// Checks that each of the figures of an equation, the first being the sum, shows when it is
  /// wrong.
  private func expectMismatch(
    _ equation: String, _ figures: [WritableKeyPath<Ledger, Int>]
  ) throws {
    for figure in figures {
      for change in [-1, 1] {
        var ledger = Sample.ledger
        ledger[keyPath: figure] += change
        let why = try #require(ledger.mismatch)
        #expect(why.hasPrefix("\(ledger[keyPath: figures[0]]) \(equation) were read"))
        for figure in figures { #expect(why.contains("\(ledger[keyPath: figure]) ")) }
      }
    }
  }

  @Test func addsFigureByFigure() {
    var sum = Sample.ledger
    sum.add(Sample.ledger)
    var expected = Ledger()
    expected.blank = 2
    expected.records = 4
    expected.rejectedLines = 8
    expected.lines = 14
    expected.accepted = 16
    expected.rejected = 32
    expected.duplicates = 64
    expected.suppressed = 128
    expected.outside = 256
    expected.events = 496
    expected.applied = 512
    expected.refused = 1024
    expected.operations = 1536
    #expect(sum == expected)
  }

  @Test func whatIsWrittenIsRead() throws {
    var json = JSONWriter()
    json.object { json in Sample.ledger.write("ledger", to: &json) }
    let text = json.finish().text
    func read(_ text: String) throws -> Ledger? {
      try withByteView(of: text) {
        try JSONDocument($0).root["ledger"].flatMap({ Ledger(orNil: $0) })
      }
    }
    #expect(try read(text) == Sample.ledger)
    #expect(try read(text.replacing("\"rejected_lines\":4", with: "\"r\":4")) == nil)
    #expect(try read(text.replacing("\"outside\":128", with: "\"outside\":-1")) == nil)
    // Outputs of earlier versions have no such number.
    let earlier = try read(text.replacing(",\"outside\":128", with: ""))
    #expect(earlier?.outside == 0 && earlier?.mismatch != nil)
  }
}
