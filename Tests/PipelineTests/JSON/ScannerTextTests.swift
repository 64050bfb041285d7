import TestSupport
import Testing

@testable import Pipeline

/// JSON in strings, and lines without their trailing commas.
@Suite struct ScannerTextTests {
  /// Scans `line` with the line `before` in front of it and `after` behind it, and lets `body` work
  /// on the tape.
  private func withTape<Result>(
    _ line: String, before: String = "", after: String = "",
    _ body: (Tape, _ line: Range<Int>) -> Result
  ) -> Result {
    var text = ByteBuffer(capacity: 16)
    text.append(text: before)
    let start = text.count
    text.append(text: line)
    let end = text.count
    text.append(0x0A)
    text.append(text: after)
    let tape = Tape()
    tape.bind(to: text.view)
    return body(tape, start..<end)
  }

  /// The decoded text of the string `line`.
  private func scanText(_ line: String) -> Scanned {
    withTape(line) { tape, range in
      guard case .value(let root) = Scanner.scan(line: range, into: tape) else {
        Issue.record("the line is no JSON: \(line)")
        return .fault(isTooDeep: false, offset: -1)
      }
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

  /// Runs of every length between escapes, and strings that end at every distance from the end of
  /// what can be read.
  @Test func runsBetweenEscapes() {
    for length in 0..<70 {
      let run = String(repeating: "r", count: length)
      for escape in [#"\""#, #"\\"#, #"\n"#, #"\u00e9"#] {
        let line = "\"" + escape + run + escape + escape + run + "é" + escape + "\""
        let spaces = String(repeating: " ", count: 64) + "\n"
        // The bytes after the line are enough, too few, or none to read a whole vector.
        for (before, after) in [("", ""), (spaces, ""), ("", spaces + spaces), ("", #""\"\""#)] {
          withTape(line, before: before, after: after) { tape, range in
            guard case .value(let root) = Scanner.scan(line: range, into: tape) else {
              Issue.record("no JSON: \(line)")
              return
            }
            let naive = Scanned(naive: Array(line.utf8))
            #expect(naive == .value(Scanned.read(tape, at: root).0), "\(line)")
          }
        }
        #expect(scanText(quoted("[\(line)]")) == Scanned(naive: Array("[\(line)]".utf8)))
      }
    }
  }

  @Test func textsOfAllForms() {
    for text in [
      "{}", "[]", "1", "-1.5e3", "true", "null", "\"\"", "\"x\"", #"{"a":[1,{"b":"c"}],"d":null}"#,
      " {\n  \"a\" : [ 1 , 2 ]\r\n}\t", #"{"a":"\u00e9\n\"\\","\u0041":"é購"}"#,
      #"{"nested":"{\"a\":\"b\\n\"}"}"#, "", " ", "{", "[1,]", "x", "tru", "1 2", "{\"a\":1}\n{}",
      "\"a\nb\"", "\u{0}", "\"\u{0}\"", #""\ud800""#, #"{"a" 1}"#,
    ] {
      #expect(scanText(quoted(text)) == Scanned(naive: Array(text.utf8)), "\(text)")
    }
  }

  @Test func theDepthOfATextIsBoundedAsThatOfALine() {
    for depth in [63, 64, 65, 100_000] {
      let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      let found = scanText(quoted(text))
      if case .value = found { #expect(depth <= Scanner.maxDepth) }
      if case .fault(let isTooDeep, let offset) = found {
        #expect(depth > Scanner.maxDepth && isTooDeep && offset == Scanner.maxDepth)
      }
    }
  }

  /// Lines are scanned before the texts in them are: that copies none that was decoded already.
  @Test func decodedTextsAreScannedWhereTheyStand() {
    let line = #"["{\"a\":1}","{\"b\":2}","plain"]"#
    withTape(line) { tape, range in
      guard case .value(let root) = Scanner.scan(line: range, into: tape) else {
        Issue.record("no JSON")
        return
      }
      let count = tape.decoded.count
      for (item, name) in [(root + 1, "a"), (root + 2, "b")] {
        guard case .value(let node) = Scanner.scan(textAt: item, into: tape) else {
          Issue.record("no JSON in \(name)")
          return
        }
        #expect(tape.member(ByteView(name == "a" ? "a" : "b"), of: node) == node + 2)
      }
      #expect(tape.decoded.count == count)
    }
  }

  @Test func textsWithAndWithoutEscapesFollowEachOther() {
    let line =
      #"{"a":"{\"x\":\"\\u00e9\"}","b":"[1,2,3]","c":"\n","d":"{\"y\":[\"\\n\",\"z\"]}"}"#
    withTape(line, before: "{\"k\":\"\\n\"}\n") { tape, range in
      guard case .value(let root) = Scanner.scan(line: range, into: tape) else {
        Issue.record("no JSON")
        return
      }
      var texts: [String] = []
      tape.forEachMember(of: root) { key in
        guard case .value(let node) = Scanner.scan(textAt: key + 1, into: tape) else { return }
        var json = SortedJSON()
        var text = ByteBuffer()
        json.append(node, of: tape, atMost: .max, to: &text)
        texts.append(text.view.text)
      }
      #expect(texts == [#"{"x":"é"}"#, "[1,2,3]", #"{"y":["\n","z"]}"#])
    }
  }

  @Test func randomTextsAreReadAsLinesAre() {
    var random = RepeatableRandom(seed: 11)
    let pieces = [
      "{", "}", "[", "]", ",", ":", "\"a\"", "\"\\n\"", "1", "-2.5", "true", "null", " ", "\n",
      "\"é\"", "\\", "\"",
    ]
    for round in 0..<4000 {
      let count = Int.random(in: 0..<12, using: &random)
      let text = (0..<count).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)] }
        .joined()
      #expect(scanText(quoted(text)) == Scanned(naive: Array(text.utf8)), "seed 11, round \(round)")
    }
  }

  // MARK: - Repairs

  /// The value of `line` once it is repaired, or nil.
  private func repair(_ line: String) -> NaiveJSON? {
    withTape(line, before: "{\"k\":\"\\n\"}\n") { tape, range -> NaiveJSON? in
      let decoded = tape.decoded.count
      let (result, repairs, text) = Scanner.scan(repaired: range, into: tape)
      #expect(text.lowerBound == decoded)
      guard case .value(let root) = result else {
        #expect(tape.count == 0)
        return nil
      }
      return repairs.isEmpty ? nil : Scanned.read(tape, at: root).0
    }
  }

  @Test func commasBeforeABracketGo() throws {
    for (line, corrected) in [
      (#"{"a":1,}"#, #"{"a":1}"#), ("[1,]", "[1]"), ("[1 , \t\r ]", "[1]"),
      (#"{"a":[1,],"b":{"c":2,},}"#, #"{"a":[1],"b":{"c":2}}"#), ("[,]", "[]"), ("{,}", "{}"),
      (#"[",]","\",}",]"#, #"[",]","\",}"]"#), (#"["\\",]"#, #"["\\"]"#),
      (#"["é\n",]"#, #"["é\n"]"#),
    ] {
      let expected = try NaiveJSON(parsing: Array(corrected.utf8), maxDepth: Scanner.maxDepth)
      #expect(repair(line) == expected, "\(line)")
    }
  }

  @Test func halfPairsAndPrefixesAreRepaired() throws {
    for (line, repaired) in [
      (#"["\ud800"]"#, "[\"\u{FFFD}\"]"),
      (#"["\uDC00\ud83d\ude00\ud83d"]"#, "[\"\u{FFFD}😀\u{FFFD}\"]"),
      (#"["\ud83d\ud83d\ude00"]"#, "[\"\u{FFFD}😀\"]"), (#"["\\ud800",]"#, #"["\\ud800"]"#),
      (#"["\ud800\n\ud8"#, nil), ("\u{0}\u{0} \u{FEFF}[1]", "[1]"), ("[1]\u{0}", nil),
      ("[\u{FEFF}1]", nil),
    ] as [(String, String?)] {
      let expected = try repaired.map {
        try NaiveJSON(parsing: Array($0.utf8), maxDepth: Scanner.maxDepth)
      }
      #expect(repair(line) == expected, "\(line)")
    }
  }

  @Test func nothingElseIsMended() {
    for line in [
      "", ",", "[1,,]", "[1", "{\"a\":1", "[1,] x", "[1]", "{}", #"[",]"#, #"["\",]"#, #"["a,]"]"#,
      "[1,}", "{\"a\",}", "[1,\u{B}]",
    ] {
      #expect(repair(line) == nil, "\(line)")
    }
  }
}
