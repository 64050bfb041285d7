import TestSupport
import Testing

@testable import Pipeline

@Suite struct SeekableTextWriterTests {
  private let scratch = ScratchDirectory.fresh

  private func write(
    _ text: [UInt8], to name: String, pieces next: () -> Int
  ) throws -> WrittenFile {
    let writer = try SeekableTextWriter(try OutputFile(path: name, in: scratch.path), level: 1)
    try withByteView(of: text) { view in
      var rest = view
      while !rest.isEmpty {
        let length = min(next(), rest.count)
        try writer.append(rest[0..<length])
        rest = rest.dropFirst(length)
      }
    }
    return try writer.finish()
  }

  private func frames(_ name: String) throws -> [SeekTable.Frame] {
    try FrameFile(scratch(name), doing: "testing").frames
  }

  @Test func theBytesFollowFromTheTextAlone() throws {
    let text = FrameText.log(bytes: 2_300_000, seed: 31)
    let whole = try write(text, to: "whole") { .max }
    var random = RepeatableRandom(seed: 32)
    let cut = try write(text, to: "cut") { Int.random(in: 0...300_000, using: &random) }
    #expect(try scratch.bytes("whole") == scratch.bytes("cut"))
    #expect(whole.xxh64 == cut.xxh64)
    #expect(whole.lines == text.count { $0 == 0x0A } + (text.last == 0x0A ? 0 : 1))
    #expect(cut.lines == whole.lines)
  }

  @Test func framesEndWithTheLineThatFillsThem() throws {
    let line = [UInt8](repeating: 0x61, count: SeekableTextWriter.frameText - 1) + [0x0A]
    let long = [UInt8](repeating: 0x61, count: 3 * SeekableTextWriter.frameText) + [0x0A]
    for (name, text, piece, lengths) in [
      ("empty", [], 1, [0]), ("one", line, .max, [line.count]),
      ("two", line + line, line.count - 1, [line.count, line.count]),
      ("long", long + long + [0x62, 0x0A], 700_000, [long.count, long.count, 2]),
    ] as [(String, [UInt8], Int, [Int])] {
      let written = try write(text, to: name) { piece }
      #expect(written.lines == text.count { $0 == 0x0A }, "\(name)")
      #expect(try frames(name).map(\.decompressed) == lengths, "\(name)")
    }
  }

  /// Also a file without frames.
  @Test(.enabled(if: Program.has("zstd")), arguments: [nil, 0, 10, 1_500_000])
  func theZstdToolReadsIt(_ length: Int?) throws {
    let text = FrameText.log(bytes: length ?? 0, seed: 34)
    if length == nil { _ = try SeekableFile(OutputFile(path: "a.zst", in: scratch.path)).finish() }
    if length != nil { _ = try write(text, to: "a.zst") { 64_000 } }
    let result = try RunProcess.bash("zstd -qt a.zst && zstd -qdc a.zst", directory: scratch)
    #expect(result.status == 0 && result.output == text)
  }

  @Test func aFileHasFramesThenTheTable() throws {
    let file = SeekableFile(try OutputFile(path: "a", in: scratch.path))
    try file.append(frame: "FRAME", decompressed: 100, lines: 3)
    try file.append(frame: "NEXT", decompressed: 50, lines: 2)
    let written = try file.finish()
    var table = SeekTableWriter()
    table.append(compressed: 5, decompressed: 100)
    table.append(compressed: 4, decompressed: 50)
    var bytes = ByteBuffer(text: "FRAMENEXT")
    try table.write { bytes.append($0) }
    #expect(try scratch.bytes("a") == bytes.view.array)
    #expect(
      written
        == WrittenFile(path: "a", bytes: bytes.count, lines: 5, xxh64: XXH64.hash(bytes.view)))
  }
}
