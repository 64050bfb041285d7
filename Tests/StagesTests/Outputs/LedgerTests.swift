@testable import Jobs
import Pipeline
import TestSupport
import Testing

@Suite struct LedgerTests {
  /// The figures of each equation, the first of them being the sum.
  private static var equations: [(name: String, figures: [WritableKeyPath<Ledger, Int>])] {
    [
      ("lines", [\.lines, \.blank, \.records, \.rejectedLines]),
      ("events", [\.events, \.accepted, \.rejected, \.duplicates, \.suppressed, \.outside]),
      ("operations", [\.operations, \.applied, \.refused]),
    ]
  }

  /// A figure that is wrong shows, in either direction.
  @Test func equations() throws {
    #expect(Ledger().mismatch == nil && Sample.ledger.mismatch == nil)
    for (equation, figures) in Self.equations {
      for (figure, change) in figures.flatMap({ figure in [-1, 1].map { (figure, $0) } }) {
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
    for figure in Self.equations.flatMap(\.figures) {
      #expect(sum[keyPath: figure] == 2 * Sample.ledger[keyPath: figure])
    }
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
