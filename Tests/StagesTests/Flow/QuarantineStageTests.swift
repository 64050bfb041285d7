import Foundation
@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Reject entries: order, places, raw lines (data-model 15).
@Suite struct QuarantineStageTests {
  private func rejects(_ bytes: [UInt8], _ rules: Rules = Rules()) throws -> [NaiveJSON] {
    let harness = StageHarness()
    harness.load(bytes, firstLine: 3, offset: 1000)
    harness.work(rules)
    return try harness.rejects(source: "logs/\"a\".ndjson")
  }

  @Test func linesThenEventsThenOperations() throws {
    let lines = [
      "{", "",
      #"{"identifiers":{"custom_id":"u"},"time":\#(Sample.time),"attributes":{"a":"","b":1,"c":""},"#
        + #""events":[{"name":"-"},{"name":"n"},{"name":""}]}"#,
      #"{"name":"n","time":\#(Sample.time)}"#,
      #"{"identifiers":{"custom_id":""},"events":[1]}"#,
    ]
    let found = try rejects(Array(lines.joined(separator: "\r\n").utf8))
    #expect(
      found.map { entry in
        "\(entry["line"]?.integer ?? 0) \(entry["scope"]?.text ?? "?") \(entry["index"]?.integer ?? -1)"
      } == ["3 line 0", "5 event 0", "5 event 2", "5 operation 0", "5 operation 2", "7 line 0"])
    #expect(found.map { $0["dialect"]?.text } == [nil, "v2", "v2", "v2", "v2", "v2"])
    for (entry, line) in zip(found, [0, 2, 2, 2, 2, 4]) {
      #expect(entry["raw"]?.text == lines[line] && entry["raw_truncated"] == nil, "without CR")
      let before = lines[..<line].reduce(0) { $0 + $1.utf8.count + 2 }
      #expect(entry["offset"]?.integer == 1000 + before)
      #expect(entry["source"]?.text == "logs/\"a\".ndjson")
    }
    #expect(found[0].names == ["source", "line", "offset", "scope", "index", "reasons", "raw"])
    #expect(found[1]["reasons"]?[0]?.names == ["code", "path", "limit", "actual", "message"])
  }

  /// What is kept of a line: 64 KiB, up to a whole character. Whether it is UTF-8 is a matter of
  /// the whole line, not of what is kept of it.
  @Test func longLinesAreCut() throws {
    let limit = QuarantineStage.longestRaw
    #expect(limit == 65536)
    func text(_ count: Int, _ shift: Int = 0, _ character: String = "x") -> [UInt8] {
      Array(("{" + Sample.text(shift) + String(repeating: character, count: count)).utf8)
    }
    let escaped = "{\"a\":\"\\u0041\u{1}\\\"\t\u{7F}é\"}"
    let bad = [UInt8](repeating: 0x20, count: limit) + [0x7B, 0xFF]
    for (line, kept) in [
      ([0x7B, 0xFF, 0x22, 0x7D], 4), ([UInt8](repeating: 0xFF, count: limit + 5), limit),
      (bad, limit), (text(limit - 1), limit), (text(limit), limit), (Array(escaped.utf8), 21),
      // A character of four bytes would be cut.
      (text(limit / 4, 0, "😀"), limit - 3), (text(limit / 4, 1, "😀"), limit - 2),
      (text(limit / 4, 2, "😀"), limit - 1), (text(limit / 4, 3, "😀"), limit),
    ] as [([UInt8], Int)] {
      let entry = try #require(try rejects(line + [0x0D, 0x0A]).first)
      let isText = String(validating: line, as: UTF8.self) != nil
      let raw = entry["raw"]?.text.map { Array($0.utf8) }
      let base64 = entry["raw_base64"]?.text.flatMap { Data(base64Encoded: $0) }.map(Array.init)
      let label: Comment = "\(line.count) bytes, \(kept) kept"
      #expect((isText ? raw : base64) == Array(line.prefix(kept)), label)
      #expect((isText ? base64 : raw) == nil, label)
      #expect(entry["raw_truncated"] == (kept < line.count ? .bool(true) : nil), label)
      #expect(isText || entry["reasons"]?[0]?["code"]?.text == "invalid_utf8", label)
    }
  }

  /// A line with very many refused parts once had its text in memory as many times.
  @Test func aLineWithManyRejectsStandsInMemoryOnce() throws {
    let harness = StageHarness()
    let count = 300
    let members = (0..<count).map { "\"-\($0)\":1" }.joined(separator: ",")
    let line =
      #"{"identifiers":{"custom_id":"u"},"time":\#(Sample.time),"attributes":{\#(members)}}"#
    harness.load(Array(line.utf8))
    harness.work()
    var stage = QuarantineStage(sources: ["a"])
    stage.process(harness.unit)
    var (pieces, longest, bytes, entries) = (0, 0, 0, 0)
    try harness.unit.rejects.forEachPiece { piece throws(Failure) in
      pieces += 1
      longest = max(longest, piece.count)
      bytes += piece.count
      if piece == "}\n" { entries += 1 }
    }
    #expect(entries == count)
    #expect(bytes > count * line.utf8.count, "every entry has the whole line")
    #expect(longest < 3 * line.utf8.count && pieces >= count)
  }

  @Test func nothingIsWrittenWhenAllIsWell() throws {
    let good = Sample.event("u", "a") + "\n\n" + Sample.event("u", "b")
    #expect(try rejects(Array(good.utf8)).isEmpty)
  }
}
