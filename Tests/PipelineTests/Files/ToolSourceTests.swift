import Foundation
import TestSupport
import Testing

@testable import Pipeline

@Suite struct ToolSourceTests {
  private let fixture = ScratchDirectory.fresh

  static let haveTools = Program.has("gzip", "bzip2", "xz")

  /// Lines that hardly compress, so that no buffer on the way holds them all.
  static func lines(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = RepeatableRandom(seed: seed)
    var bytes: [UInt8] = []
    for _ in 0..<count {
      for _ in 0..<8 {
        let word = random.next()
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
          let byte = UInt8(truncatingIfNeeded: word >> shift)
          bytes.append(byte == 0x0A ? 0 : byte)
        }
      }
      bytes.append(0x0A)
    }
    return bytes
  }

  private func source(_ path: String, _ tool: ToolSource.Tool) throws(Failure) -> ToolSource {
    try ToolSource(
      RawInput(InputFile(path: path, size: nil), position: ReadPosition()), tool: tool)
  }

  @Test(.enabled(if: haveTools), arguments: ["gzip", "bzip2", "xz"])
  func readsWhatTheToolsMake(tool: String) throws {
    let plain = Self.lines(8000, seed: 41)
    // Two concatenated streams, as `cat a.gz b.gz` makes them.
    let input =
      try fixture.compress(Array("first\n".utf8), with: tool)
      + fixture.compress(plain, with: tool)
    let expected = Reading.naive(Array("first\n".utf8) + plain, buffered: 1 << 20)
    let paths = try [fixture.write("a.ndjson", input), fixture.pipe("pipe", input, part: 10_000)]
    for path in paths {
      let reading = Reading(path, blockSize: 100_000)
      #expect(reading.failure == nil)
      let isSame = reading.lines == expected
      #expect(isSame)
      #expect(reading.summary?.compressedBytes == input.count)
      #expect(reading.summary?.hash == withByteView(of: input) { XXH64.hash($0) })
    }
  }

  @Test(.enabled(if: haveTools), arguments: ["gzip", "bzip2", "xz"])
  func damageIsReportedInTheToolsWords(tool: String) throws {
    let plain = Self.lines(8000, seed: 42)
    let input = try fixture.compress(plain, with: tool)
    let cut = Reading(try fixture.write("a.json", input.dropLast(10)), blockSize: 1000)
    #expect(cut.failure?.kind == .corrupt)
    let why = cut.failure?.why ?? ""
    #expect(why.hasPrefix("\(tool): ") && !why.hasSuffix(";"), "\(why)")
    let expected = Reading.naive(plain, buffered: 1 << 20).prefix(cut.lines.count)
    let isPrefix = cut.lines == Array(expected)
    #expect(isPrefix)
    #expect(cut.failure?.offset == cut.lines.count * 65)
    // The end of each format holds its checksum.
    var bad = input
    bad[bad.count - 7] ^= 0xFF
    let wrong = Reading(try fixture.write("b.json", bad), blockSize: 100_000)
    #expect(wrong.failure?.kind == .corrupt)
    // bzip2 passes over what follows, and ends with 0.
    let followed = Reading(
      try fixture.write("c.json", input + Array("garbage".utf8)), blockSize: 100_000)
    #expect(followed.failure?.kind == .corrupt)
    let isWhole = followed.lines == Reading.naive(plain, buffered: 1 << 20)
    #expect(isWhole)
  }

  @Test(.enabled(if: haveTools)) func earlyCloseEndsTheTool() throws {
    let input = try fixture.compress(Self.lines(40_000, seed: 43), with: "gzip")
    let gzip = try #require(Compression.gzip.tool)
    var source: ToolSource? = try source(fixture.write("a.gz", input), gzip)
    var buffer = ByteBuffer()
    #expect(try source?.read(100, into: &buffer) == 100)
    let child = try #require(source?.child.id)
    #expect(kill(child, 0) == 0, "the tool runs")
    source = nil
    #expect(kill(child, 0) == -1 && errno == ESRCH, "the tool is ended and collected")
  }

  @Test(.enabled(if: haveTools)) func slowWriterHoldsNothingUp() throws {
    let path = fixture.makePipe("pipe")
    // Opened for reading and writing, so that neither open waits, and nothing more is written.
    let ends = try #require(FileHandle(forUpdatingAtPath: path))
    defer { try? ends.close() }
    let input = try fixture.compress(Array("a\n".utf8), with: "gzip")
    try ends.write(contentsOf: Data(input.prefix(12)))
    let reader = try BlockReader(InputFile(path: path, size: nil), index: 0, maxLine: 10)
    reader.close()
    #expect(reader.summary.compressedBytes == Compression.longestMagic)
  }
}
