import TestSupport
import Testing

@testable import Pipeline

/// A compressed log that was appended to a plain one, as `cat new.ndjson.gz >> app.ndjson` does.
@Suite struct AppendedLogTests {
  private let fixture = ScratchDirectory.fresh

  private static let magics: [(form: Compression, bytes: [UInt8])] = [
    (.zstd, [0x28, 0xB5, 0x2F, 0xFD]), (.zstd, [0x5A, 0x2A, 0x4D, 0x18]), (.gzip, [0x1F, 0x8B]),
    (.bzip2, Array("BZh31AY&SY".utf8)), (.bzip2, Array("BZh9\u{17}rE8P".utf8) + [0x90]),
    (.xz, [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0]),
  ]
  /// Compressed bytes. Some look like lines.
  private static let rest: [UInt8] = [8, 0x0A, 0xFF, 0x1F, 0x8B, 0x0A, 0x0A] + Array("{}\n7".utf8)

  private func expectCut(_ reading: Reading, behind plain: [UInt8], _ label: Comment) {
    let isSame = reading.lines == Reading.naive(plain, buffered: 1 << 20)
    #expect(isSame, label)
    #expect(reading.failure?.kind == .corrupt && reading.failure?.offset == plain.count, label)
  }

  @Test(arguments: [
    "{\"a\":1}\n", "{\"a\":1}", "{\"a\":1}\r\n", "{\"a\":\"}\"} \t", "\n", " ",
    "x\n\n{}\n{\"b\":[]}", "{}{\"b\":1} {}", "{\"a\":\"BZh91AY&SY\"}", "\u{FEFF}{}",
    "{\"a\":\"BZh91AY&SY\"}\n",
  ])
  func linesBeforeAreDeliveredAndTheOffsetIsExact(_ text: String) throws {
    let plain = Array(text.utf8)
    for (number, magic) in Self.magics.enumerated() {
      let input = plain + magic.bytes + Self.rest
      let paths = [
        try fixture.write("\(number).ndjson", input),
        try fixture.write("\(number).ndjson.zst", zstdFrame(input)),
        fixture.pipe("pipe-\(number)", input, part: 5),
        // No line feed within the longest line: the lines are cut before every other check.
        try fixture.write("long", plain + magic.bytes + [UInt8](repeating: 0x80, count: 500)),
      ]
      let why = "\(magic.form.opening) begins here: a compressed log was appended to the lines"
      for path in paths {
        for blockSize in path.contains("pipe") ? [7] : [1, 2, 3, 8, 13, 64, 256, 1000] {
          let reading = Reading(path, maxLine: 60, blockSize: blockSize)
          expectCut(reading, behind: plain, "\(path), blocks of \(blockSize)")
          #expect(reading.failure?.why == why)
        }
      }
    }
  }

  /// The last line of a log that is still being written, or was cut, is the beginning of an object.
  @Test(arguments: [
    "{\"a\":1}\n{\"b", "{\"a\":\"é", "{}\n {\"a\":{\"b\":1}", "{\"a\":1,", "{}\n{\"a\":\"\u{1}",
  ])
  func aTornLineHidesNothing(_ text: String) throws {
    for magic in Self.magics where magic.bytes.contains(where: { $0 > 0x7F }) {
      let path = try fixture.write("a.ndjson", Array(text.utf8) + magic.bytes + Self.rest)
      for blockSize in [1, 5, 256] {
        expectCut(
          Reading(path, maxLine: 60, blockSize: blockSize), behind: Array(text.utf8),
          "\(magic.form), blocks of \(blockSize)")
      }
    }
    // Text in another encoding is not compressed.
    let latin = Array(text.utf8) + [0xE9, 0x28, 0xB5, 0x2F, 0xFD, 0x0A]
    #expect(Reading(try fixture.write("b.ndjson", latin)).failure == nil)
  }

  @Test func adviceFitsTheInput() throws {
    let input = Array("{}\n".utf8) + [0x1F, 0x8B]
    let split =
      "split it with head -c 3 and tail -c +4, or use --keep-going to use the lines before"
    #expect(Reading(try fixture.write("a.ndjson", input)).failure?.advice == split)
    let packed = Reading(try fixture.write("b.zst", zstdFrame(input))).failure
    #expect(packed?.advice == "decompress it and \(split)")
    let twice = Reading(try fixture.write("c.zst", zstdFrame([0x1F, 0x8B, 8, 0]))).failure
    #expect(twice?.why == "its content is compressed a second time: it begins with a gzip member")
    #expect(twice?.offset == 0 && twice?.advice == "decompress it again and name the result")
  }

  @Test func manyLinesAreCutAtTheByte() throws {
    var random = RepeatableRandom(seed: 81)
    for round in 0..<40 {
      var plain: [UInt8] = []
      for _ in 0..<Int.random(in: 1...300, using: &random) {
        let text = ["BZh1", "\u{1F}", "BZ", "a", "\u{18}"].randomElement(using: &random) ?? ""
        plain += Array("{\"k\":\"\(text)\(random.next() as UInt64)\"}\n".utf8)
      }
      if Bool.random(using: &random) { plain.removeLast() }
      let magic = Self.magics.randomElement(using: &random)?.bytes ?? []
      let path = try fixture.write("a.ndjson", plain + magic + Self.rest)
      // A raw control character does not belong in an object, and what follows it is not its end,
      // unless the line is not text.
      let object = plain.split(separator: 0x0A).last ?? []
      let isCut =
        plain.last == 0x0A || !object.contains { $0 < 0x20 } || magic.contains { $0 > 0x7F }
      let reading = Reading(path, blockSize: Int.random(in: 1...4000, using: &random))
      if isCut {
        expectCut(reading, behind: plain, "seed 81, round \(round)")
      } else {
        #expect(reading.failure?.offset != plain.count, "seed 81, round \(round)")
      }
    }
  }

  @Test(arguments: [
    "{\"a\":\"BZh91AY&SY\"}", "{\"a\":\"}BZh91AY&SY\"}", "BZh91AY&S", "BZhello", "x BZh91AY&SY",
    "{\"a\":1 BZh91AY&SY", "{\"a\":\"BZh91AY&SY", "[1]BZh91AY&SY", "\"a\"BZh91AY&SY",
    "{} x BZh91AY&SY", "\u{0}BZh91AY&SY",
  ])
  func magicBytesElsewhereAreText(_ text: String) throws {
    for end in ["", "\n", "\n{}\n"] {
      let plain = Array("{}\n\(text)\(end)".utf8)
      let path = try fixture.write("a.ndjson", plain)
      for blockSize in [1, 5, 256] {
        let reading = Reading(path, blockSize: blockSize)
        #expect(reading.failure == nil)
        #expect(reading.lines == Reading.naive(plain, buffered: 1 << 20))
      }
    }
  }

  @Test func hintsAreThoseOfAByteLoop() {
    var random = RepeatableRandom(seed: 82)
    let rare: [UInt8] = [0xFD, 0xF7, 0xF8, 0xFF, 0x17, 0x18, 0x1F, 0x20, 0x42, 0x5A, 0x98]
    for _ in 0..<400 {
      var bytes = [UInt8](repeating: 0x61, count: Int.random(in: 0...400, using: &random))
      for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        bytes[index] = rare.randomElement(using: &random) ?? 0
        if index + 1 < bytes.count, Bool.random(using: &random) { bytes[index + 1] = 0x5A }
      }
      let hints = bytes.indices.filter { index in
        bytes[index] >= 0xF8 || 0x18...0x1F ~= bytes[index]
          || bytes[index] == 0x42 && bytes.dropFirst(index + 1).first == 0x5A
      }
      withByteView(of: bytes) { view in
        for start in 0...bytes.count {
          #expect(view.magicHint(from: start) == hints.first { $0 >= start })
        }
      }
    }
  }
}
