import TestSupport
import Testing

@testable import Pipeline

@Suite struct RecordLinesTests {
  private let fixture = ScratchDirectory.fresh

  private struct Input {
    private(set) var text = ""
    private(set) var lines: [ReadLine] = []
    private var line = 1

    init(buffered: Int, _ random: inout RepeatableRandom) {
      let isArray = Bool.random(using: &random)
      let feed = Bool.random(using: &random) ? "\n" : "\r\n"
      let indent = isArray || Bool.random(using: &random) ? "  " : ""
      if Bool.random(using: &random) { text += "\u{FEFF}" }
      if isArray { append(Bool.random(using: &random) ? "[" : " [\(feed) ") }
      for number in 0..<Int.random(in: 1...8, using: &random) {
        if isArray, number > 0 {
          // Many blanks do not make the record before them longer.
          let blanks = String(repeating: " ", count: 12)
          append([",", " ,\(feed)  ", blanks + ","].randomElement(using: &random) ?? ",")
        }
        let exact = buffered - 19 - 3 * (indent.utf8.count + feed.utf8.count)
        let length =
          [0, 1, buffered / 2, exact, exact + 1, buffered].randomElement(using: &random) ?? 0
        let text = ["x", "{\\\"", "]\\\\"].randomElement(using: &random) ?? "x"
        let value = String(repeating: text, count: length / text.utf8.count)
        let record = { (feed: String) in
          "{\(feed)\(indent)\"a\":[1,\(feed)\(indent){}],\"b\":\"\(value)\"\(feed)\(indent)}"
        }
        let bytes = Array(record(feed == "\n" ? " " : "\r ").utf8)
        let isLong = bytes.count > buffered
        lines.append(
          ReadLine(
            number: line, offset: self.text.utf8.count,
            bytes: isLong ? Array(bytes.prefix(Block.keptOfOverlong)) : bytes,
            overlong: isLong ? bytes.count : nil))
        self.text += record(feed)
        line += 3
        if !isArray { append(feed) }
      }
      if isArray { append("\(feed)]\(feed)") }
    }

    private mutating func append(_ piece: String) {
      text += piece
      line += piece.utf8.count { $0 == UInt8(ascii: "\n") }
    }
  }

  @Test(arguments: [51, 52, 53] as [UInt64]) func agreesWithWhatWasWritten(seed: UInt64) throws {
    var random = RepeatableRandom(seed: seed)
    for round in 0..<60 {
      let blockSize = [1, 16, 64, 256, 1000].randomElement(using: &random) ?? 1
      // Some are longer than what is read at once. More of them would take seconds.
      var maxLine = [60, 252, 400, 70_000].randomElement(using: &random) ?? 0
      if maxLine > 400, round % 3 > 0 { maxLine = 3000 }
      let buffered = max(maxLine + 4, blockSize)
      let input = Input(buffered: buffered, &random)
      let bytes = Array(input.text.utf8)
      let isCompressed = Bool.random(using: &random)
      let path = try fixture.write("\(round).json", isCompressed ? zstdFrame(bytes) : bytes)
      let reading = Reading(path, maxLine: maxLine, findsRecords: true, blockSize: blockSize)
      let label: Comment = "seed \(seed), round \(round), block \(blockSize), line \(maxLine)"
      #expect(reading.failure == nil && reading.summary?.decompressedBytes == bytes.count, label)
      #expect(reading.lines.map(\.number) == input.lines.map(\.number), label)
      #expect(reading.lines.map(\.overlong) == input.lines.map(\.overlong), label)
      let isSame = reading.lines == input.lines
      #expect(isSame, label)
    }
  }

  /// The line end behind a torn record does not belong to it.
  @Test(arguments: [1, 3, 64]) func aTornRecordMayBeAsLongAsALine(blockSize: Int) throws {
    for (count, overlong) in [(56, nil), (57, nil), (58, 65)] {
      let text = "[\n{\"a\":\"\(String(repeating: "x", count: count))\"\r\n{}]"
      let reading = Reading(
        try fixture.write("a.json", Array(text.utf8)), maxLine: 60, findsRecords: true,
        blockSize: blockSize)
      #expect(reading.lines.map(\.overlong) == [overlong, nil], "\(count)")
    }
  }

  /// A line feed in a string stays a control character, and does not become a space.
  @Test func aTornStringStaysTorn() throws {
    let text = "[{\"a\":\"b\n\"\n},{\n}]"
    let reading = Reading(
      try fixture.write("a.json", Array(text.utf8)), findsRecords: true)
    #expect(
      reading.lines.map { String(decoding: $0.bytes, as: UTF8.self) }
        == ["{\"a\":\"b\r\"\r}", "{ }"])
  }

  /// A compressed log behind records damages the input from there on; `BZh` in a text does not.
  @Test func findsAppendedLogs() throws {
    let magic: [UInt8] = [0x42, 0x5A, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59]
    for appended in try [magic, zstdFrame([0x7B])] {
      let start =
        Array("[\n{\"a\":\"".utf8) + magic + Array("\"},\n{}]\n".utf8)
      let reading = Reading(try fixture.write("a.json", start + appended), findsRecords: true)
      #expect(reading.lines.map(\.number) == [2, 3])
      #expect(reading.failure?.kind == .corrupt && reading.failure?.offset == start.count)
    }
  }

  @Test func linesStayLines() throws {
    let reading = Reading(try fixture.write("paths", Array("[a\n]\n".utf8)))
    #expect(reading.lines.map(\.offset) == [0, 3])
  }
}
