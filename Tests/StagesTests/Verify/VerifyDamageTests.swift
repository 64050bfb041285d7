@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// Whatever happens to the bytes of an output: it is told, and never a crash.
@Suite struct VerifyDamageTests {
  @Test func noDamageIsTooMuch() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = RepeatableRandom(seed: seed)
    let output = try ForgedOutput()
    for path in try output.fixture.scratch.files(below: "out") {
      let whole = try output.fixture.scratch.bytes("out/\(path)")
      for _ in 0..<12 {
        var bytes = whole
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
          bytes[Int.random(in: bytes.indices, using: &random)] ^=
            1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes.removeSubrange(Int.random(in: bytes.indices, using: &random)...)
        default:
          let position = Int.random(in: bytes.indices, using: &random)
          bytes.insert(contentsOf: bytes[position...].prefix(50), at: position)
        }
        try output.fixture.scratch.write(bytes, to: "out/\(path)")
        let problems = try output.problems() + output.indexProblems()
        // The page is for people only.
        if path != RunFiles.page {
          #expect(problems.contains { $0.hasPrefix(path) }, "\(path), seed \(seed)")
        }
      }
      try output.fixture.scratch.write(whole, to: "out/\(path)")
    }
    #expect(try output.problems() == [])
  }

  /// The same for what fits its hash: lines with random bytes in them.
  @Test func noContentIsTooMuch() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = RepeatableRandom(seed: seed)
    let output = try ForgedOutput()
    let paths = try output.fixture.scratch.files(below: "out").filter { $0.contains("ndjson") }
    for path in paths {
      let whole = try output.lines(path)
      for _ in 0..<12 {
        try output.change(path) { lines in
          lines = whole
          let line = Int.random(in: lines.indices, using: &random)
          var text = Array(lines[line].utf8)
          let marks = Array("\"{}[],:0-9eE\\ \u{1}".utf8)
          for _ in 0..<3 {
            text[Int.random(in: text.indices, using: &random)] =
              marks[Int.random(in: marks.indices, using: &random)]
          }
          lines[line] = String(decoding: text, as: UTF8.self)
        }
        // Most changes are seen; that none crashes is the point.
        _ = try output.problems()
      }
      try output.change(path) { $0 = whole }
    }
    #expect(try output.problems() == [], "seed \(seed)")
  }

  @Test func messagesAreShortAndPlain() {
    #expect(withByteView(of: "a\u{1B}[31m\nb") { $0.shown } == "a?[31m?b")
    #expect(withByteView(of: String(repeating: "x", count: 101)) { $0.shown }.count == 101)
  }
}
