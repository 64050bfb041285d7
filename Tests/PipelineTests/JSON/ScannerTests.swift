import Pipeline
import TestSupport
import Testing

@Suite struct ScannerTests {
  @Test(arguments: JSONSamples.accepted) func accepts(_ text: String) {
    let scanned = Scanned(Array(text.utf8))
    #expect(scanned == Scanned(naive: Array(text.utf8)))
    if case .fault = scanned { Issue.record("\(text) was refused") }
  }

  @Test(arguments: JSONSamples.rejected) func refuses(_ text: String, _ offset: Int) {
    let expected = Scanned.fault(isTooDeep: false, offset: offset)
    #expect(Scanned(Array(text.utf8)) == expected)
    #expect(Scanned(naive: Array(text.utf8)) == expected)
  }

  @Test func depthEndsAt64() {
    func nested(_ open: String, _ close: String, _ levels: Int) -> [UInt8] {
      Array((String(repeating: open, count: levels) + String(repeating: close, count: levels)).utf8)
    }
    for (open, close) in [("[", "]"), ("{\"k\":[", "]}")] {
      let levels = open == "[" ? 64 : 32
      let deepest = nested(open, close, levels)
      #expect(Scanned(deepest) == Scanned(naive: deepest))
      let tooDeep = nested(open, close, levels + 1)
      #expect(Scanned(tooDeep) == .fault(isTooDeep: true, offset: open.utf8.count * levels))
    }
    let object = nested("{\"k\":", "}", 65)
    #expect(Scanned(object) == .fault(isTooDeep: true, offset: 64 * 5))
    // A fault before the 65th level is reported first. The rest is not read.
    let bad = Array(("[01" + String(repeating: "[", count: 70)).utf8)
    #expect(Scanned(bad) == .fault(isTooDeep: false, offset: 2))
    let garbage = Array((String(repeating: "[", count: 65) + "\u{0}garbage").utf8)
    #expect(Scanned(garbage) == .fault(isTooDeep: true, offset: 64))
  }

  @Test func theLineMayEndBeforeItsCarriageReturn() {
    let line = Array("{\"a\":[1]}".utf8)
    #expect(Scanned(line, after: "\r\n") == Scanned(naive: line))
    #expect(Scanned(Array("[1,".utf8), after: "\r\n") == .fault(isTooDeep: false, offset: 3))
    #expect(Scanned(Array("12".utf8), after: "\r34]\n") == .value(.number("12")))
    #expect(Scanned([], after: "\r1\n") == .fault(isTooDeep: false, offset: 0))
  }

  /// Also strings that do not end. The bytes after the line are enough, too few, or none to read a
  /// whole vector.
  @Test func runsOfEveryLengthAtEveryDistanceFromTheEnd() throws {
    let spaces = String(repeating: " ", count: 64) + "\n"
    let around = [
      ("", "\n"), ("\"\n", "\n"), (spaces, "\n"), ("", "\n" + spaces + spaces),
      ("", "\n" + String(repeating: "\"", count: 17)), ("", "\n\"\\\"\""),
    ]
    for length in 0..<70 {
      let run = String(repeating: "r", count: length)
      for escape in [#"\""#, #"\\"#, #"\n"#, #"\u00e9"#] {
        let open = "\"" + escape + run + escape + escape + run + "é" + escape
        for line in ["\"\(run)", "\"\(run)\"", "[\"\(run)\(escape)\(run)\"]", open, open + "\""] {
          let naive = Scanned(naive: Array(line.utf8))
          #expect(try Scanned(inString: Array(line.utf8)) == naive, "\(line)")
          for (before, after) in around {
            #expect(Scanned(Array(line.utf8), before: before, after: after) == naive, "\(line)")
          }
        }
      }
    }
  }

  @Test func theRoomForALineIsEnough() {
    let fullest = [
      "[" + String(repeating: "1,", count: 500) + "1]",
      "[" + String(repeating: "[],", count: 500) + "[]]",
      "[" + String(repeating: "{\"\":0},", count: 300) + "0]",
      String(repeating: "[", count: 64), String(repeating: "[", count: 64) + "1",
      String(repeating: "[1,", count: 64), String(repeating: "{\"\":", count: 64) + "1", "1",
    ]
    // The scanner traps when a line makes more entries than it asked room for.
    for line in fullest { #expect(Scanned(Array(line.utf8)) == Scanned(naive: Array(line.utf8))) }
  }

  @Test func aWrongCallTraps() async {
    await #expect(processExitsWith: .failure) {
      let tape = Tape()
      tape.bind(to: ByteView("{}{}\n"))
      _ = Scanner.scan(line: 0..<2, into: tape)
    }
    await #expect(processExitsWith: .failure) {
      let tape = Tape()
      tape.bind(to: ByteView("{}"))
      _ = Scanner.scan(line: 0..<2, into: tape)
    }
  }
}
