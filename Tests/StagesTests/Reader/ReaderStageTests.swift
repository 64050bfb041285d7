import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Lines, and their first checks (data-model 2).
@Suite struct ReaderStageTests {
  private func outcomes(_ bytes: [UInt8], _ rules: Rules = Rules()) throws -> [String] {
    try StageHarness().explain(bytes, rules).map { line in (line.codes.first ?? line.outcome) }
  }

  @Test func lineEndsAndBlankLines() throws {
    let event = #"{"name":"n","time":\#(Sample.time)}"#
    let text = "\(event)\r\n\n \t\r\n\r\r\n\(event)\n\u{B}\n\(event)"
    #expect(
      try outcomes(Array(text.utf8))
        == ["accepted", "blank", "blank", "blank", "accepted", "invalid_json", "accepted"])
  }

  /// Blank lines that are only counted, however they are cut, change the number of no other line.
  @Test(arguments: [1, 3, 64, 16 << 20])
  func blankLinesAreCountedInBulk(maxLine: Int) throws {
    var random = RepeatableRandom(seed: UInt64(maxLine))
    var rules = Rules()
    rules.maxLine = maxLine
    rules.raisesMaxLine = false
    for _ in 0..<50 {
      let lines = (0..<200).map { _ in
        let choices = ["", "", " ", "\r", " \t \r", String(repeating: " ", count: 70), "x", " y"]
        return choices.randomElement(using: &random) ?? ""
      }
      let (listed, counted) = (StageHarness(), StageHarness())
      for harness in [listed, counted] {
        harness.load(Array(lines.map { $0 + "\n" }.joined().utf8))
        harness.work(rules, listsBlank: harness === listed)
      }
      func others(_ batch: RecordBatch) -> [[UInt32]] {
        batch.lines.indices.map { batch.lines[$0] }.filter { $0.outcome != .blank }
          .map { [$0.number, $0.start, $0.length] }
      }
      let (all, some) = (listed.unit.batch, counted.unit.batch)
      #expect(others(some) == others(all))
      #expect(some.lineCount == lines.count && all.lineCount == lines.count)
      if maxLine > 64 { #expect(some.lines.count == others(all).count, "each is only counted") }
    }
  }

  /// The limit comes first. What is longer than most lines may be is read if its dialect allows it,
  /// but not repaired: its dialect is known only if one was selected.
  @Test func aLineOverTheLimitIsNotRepaired() throws {
    let line = #"{"activity":"a?","timestamp":1714641300000,}"#
    let bytes = Array(line.utf8).map { $0 == UInt8(ascii: "?") ? 0xFF : $0 }
    let comma = Array(line.replacing("?", with: "").utf8)
    var rules = Rules()
    rules.foreign.repairs = true
    for line in [bytes, comma] {
      rules.maxLine = 100
      rules.dialect = nil
      #expect(try outcomes(line, rules) == ["accepted"])
      rules.maxLine = 20
      #expect(try outcomes(line, rules) == ["line_too_long"])
      #expect(try outcomes(Array(comma.dropLast(2)) + [UInt8(ascii: "}")], rules) == ["accepted"])
      rules.dialect = Dialect(named: "realm")
      #expect(try outcomes(line, rules) == ["accepted"], "realm has longer lines")
      rules.raisesMaxLine = false
      #expect(try outcomes(line, rules) == ["line_too_long"])
      rules.raisesMaxLine = true
    }
  }

  /// For a line that was never buffered whole, its length is reported and its beginning is kept.
  @Test func aLineThatNeverEnteredABlock() throws {
    let harness = StageHarness()
    harness.load(Array("{\"name\":".utf8), firstLine: 12, offset: 400)
    harness.unit.block.content.truncate(to: 8)
    harness.unit.block.overlong = 99
    var rules = Rules()
    rules.maxLine = 50
    harness.work(rules)
    let line = try #require(try harness.explain().first)
    #expect(line.reasons == ["line:0  line_too_long"])
    #expect(line.value["line"]?.integer == 12)
    #expect(line.value["reasons"]?[0]?["actual"]?.integer == 99)
    let reject = try #require(try harness.rejects().first)
    #expect(reject["raw"]?.text == "{\"name\":" && reject["raw_truncated"] == .bool(true))
    #expect(reject["offset"]?.integer == 400)
  }

  @Test func linesAreNumberedFromTheBlocksFirst() throws {
    let harness = StageHarness()
    harness.load(Array("{\n\n{".utf8), firstLine: 7, offset: 100)
    harness.work()
    #expect(try harness.explain().map { $0.value["line"]?.integer } == [7, 8, 9])
    #expect(try harness.rejects().map { $0["offset"]?.integer } == [100, 103])
  }
}
