import TestSupport
import Testing

@testable import Pipeline

@Suite struct ScannerTextTests {
  /// Lets `body` scan `line`, which follows `before`.
  private func withTape<Result>(
    _ line: String, before: String = "", _ body: (Tape, _ line: Range<Int>) throws -> Result
  ) rethrows -> Result {
    let text = ByteBuffer(text: before + line + "\n")
    let tape = Tape()
    tape.bind(to: text.view)
    return try body(tape, before.utf8.count..<text.count - 1)
  }

  private func scanText(_ line: String) throws -> Scanned {
    try withTape(line) { tape, range in
      let root = try #require(Scanner.scan(line: range, into: tape).root)
      let count = tape.count
      switch Scanner.scan(textAt: root, into: tape) {
      case .value(let inner):
        let (value, next) = Scanned.read(tape, at: inner)
        #expect(inner == count && next == tape.count)
        return .value(value)
      case .fault(let fault):
        #expect(tape.count == count, "a fault leaves the entries as they were")
        return .fault(isTooDeep: fault.kind == .tooDeep, offset: fault.offset)
      }
    }
  }

  private func quoted(_ text: String) -> String {
    var line = ByteBuffer()
    line.appendJSONString(text)
    return line.view.text
  }

  @Test func runsBetweenEscapes() throws {
    for length in 0..<70 {
      let run = String(repeating: "r", count: length)
      for escape in [#"\""#, #"\\"#, #"\n"#, #"\u00e9"#] {
        let text = "[\"" + escape + run + escape + escape + run + "é" + escape + "\"]"
        #expect(try scanText(quoted(text)) == Scanned(naive: Array(text.utf8)))
      }
    }
  }

  @Test func textsOfAllForms() throws {
    for text in JSONSamples.accepted + JSONSamples.rejected.map(\.0) + [
      " {\n  \"a\" : [ 1 , 2 ]\r\n}\t", #"{"a":"\u00e9\n\"\\","\u0041":"é購"}"#,
      #"{"nested":"{\"a\":\"b\\n\"}"}"#, "{\"a\":1}\n{}",
    ] { #expect(try scanText(quoted(text)) == Scanned(naive: Array(text.utf8)), "\(text)") }
  }

  @Test func theDepthOfATextIsBoundedAsThatOfALine() throws {
    for depth in [63, 64, 65, 100_000] {
      let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      let found = try scanText(quoted(text))
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

  @Test func randomTextsAreReadAsLinesAre() throws {
    var random = RepeatableRandom(seed: 11)
    let pieces = [
      "{", "}", "[", "]", ",", ":", "\"a\"", "\"\\n\"", "1", "-2.5", "true", "null", " ", "\n",
      "\"é\"", "\\", "\"",
    ]
    for round in 0..<4000 {
      let count = Int.random(in: 0..<12, using: &random)
      let text = (0..<count).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)] }
        .joined()
      #expect(
        try scanText(quoted(text)) == Scanned(naive: Array(text.utf8)), "seed 11, round \(round)")
    }
  }

  // MARK: - Repairs

  /// The value of `line` once it is repaired, or nil.
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
    for (line, repaired) in [
      (#"{"a":1,}"#, #"{"a":1}"#), ("[1,]", "[1]"), ("[1 , \t\r ]", "[1]"),
      (#"{"a":[1,],"b":{"c":2,},}"#, #"{"a":[1],"b":{"c":2}}"#), ("[,]", "[]"), ("{,}", "{}"),
      (#"[",]","\",}",]"#, #"[",]","\",}"]"#), (#"["\\",]"#, #"["\\"]"#),
      (#"["é\n",]"#, #"["é\n"]"#), (#"["\ud800"]"#, "[\"\u{FFFD}\"]"),
      (#"["\uDC00\ud83d\ude00\ud83d"]"#, "[\"\u{FFFD}😀\u{FFFD}\"]"),
      (#"["\ud83d\ud83d\ude00"]"#, "[\"\u{FFFD}😀\"]"), (#"["\\ud800",]"#, #"["\\ud800"]"#),
      (#"["\ud800\n\ud8"#, nil), ("\u{0}\u{0} \u{FEFF}[1]", "[1]"), ("[1]\u{0}", nil),
      ("[\u{FEFF}1]", nil), ("", nil), (",", nil), ("[1,,]", nil), ("[1", nil), ("{\"a\":1", nil),
      ("[1,] x", nil), ("[1]", nil), ("{}", nil), (#"[",]"#, nil), (#"["\",]"#, nil),
      (#"["a,]"]"#, nil), ("[1,}", nil), ("{\"a\",}", nil), ("[1,\u{B}]", nil),
    ] as [(String, String?)] {
      #expect(try repair(line) == repaired.map { try NaiveJSON(parsing: $0) }, "\(line)")
    }
  }
}
