import TestSupport
import Testing

@testable import Pipeline

@Suite struct ScannerTextTests {
  private func withTape<Result>(
    _ line: String, before: String = "", _ body: (Tape, _ line: Range<Int>) throws -> Result
  ) rethrows -> Result {
    let text = ByteBuffer(text: before + line + "\n")
    let tape = Tape()
    tape.bind(to: text.view)
    return try body(tape, before.utf8.count..<text.count - 1)
  }

  @Test func textsOfAllForms() throws {
    for text in JSONSamples.accepted + JSONSamples.rejected.map(\.0) + [
      " {\n  \"a\" : [ 1 , 2 ]\r\n}\t", #"{"a":"\u00e9\n\"\\","\u0041":"é購"}"#,
      #"{"nested":"{\"a\":\"b\\n\"}"}"#, "{\"a\":1}\n{}",
    ] {
      let text = Array(text.utf8)
      #expect(try Scanned(inString: text) == Scanned(naive: text), "\(text)")
    }
  }

  @Test func theDepthOfATextIsBoundedAsThatOfALine() throws {
    for depth in [63, 64, 65, 100_000] {
      let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      let found = try Scanned(inString: Array(text.utf8))
      if case .value = found { #expect(depth <= Scanner.maxDepth) }
      if case .fault(let isTooDeep, let offset) = found {
        #expect(depth > Scanner.maxDepth && isTooDeep && offset == Scanner.maxDepth)
      }
    }
  }

  /// Lines are scanned before the texts in them are: that copies none that was decoded already.
  @Test func decodedTextsAreScannedWhereTheyStand() throws {
    let line = #"["{\"a\":1}","{\"b\":2}","plain"]"#
    try withTape(line) { tape, range in
      let root = try #require(Scanner.scan(line: range, into: tape).root)
      let count = tape.decoded.count
      for (item, name) in [(root + 1, "a"), (root + 2, "b")] as [(Int, ByteView)] {
        let node = try #require(Scanner.scan(textAt: item, into: tape).root)
        #expect(tape.member(name, of: node) == node + 2)
      }
      #expect(tape.decoded.count == count)
    }
  }

  private func repair(_ line: String) -> NaiveJSON? {
    withTape(line, before: "{\"k\":\"\\n\"}\n") { tape, range -> NaiveJSON? in
      let decoded = tape.decoded.count
      let (result, repairs, text) = Scanner.scan(repaired: range, into: tape)
      #expect(text.lowerBound == decoded)
      guard let root = result.root else {
        #expect(tape.count == 0)
        return nil
      }
      return repairs.isEmpty ? nil : Scanned.read(tape, at: root).0
    }
  }

  /// A maximal subpart that is not UTF-8 becomes one U+FFFD.
  @Test func badUTF8IsReplaced() {
    var text = ByteBuffer(text: "[\"é")
    text.append(contentsOf: [0xE2, 0x82, 0xFF, 0x22, 0x5D, 0x0A])
    let tape = Tape()
    tape.bind(to: text.view)
    let (_, repairs, range) = Scanner.scan(repaired: 0..<text.count - 1, into: tape)
    #expect(repairs == .utf8 && tape.decoded[range].text == "[\"é\u{FFFD}\u{FFFD}\"]")
  }

  @Test func onlyCommasHalfPairsAndPrefixesAreRepaired() throws {
    for row in Vectors.rows("repairs") {
      let (line, repaired) = (row[0]?.text ?? "?", row[1]?.text)
      #expect(try repair(line) == repaired.map { try NaiveJSON(parsing: $0) }, "\(line)")
    }
  }
}
