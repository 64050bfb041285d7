import TestSupport
import Testing

@testable import Pipeline

@Suite struct SeekableFileTests {
  @Test func framesThenTheTable() throws {
    let scratch = try ScratchDirectory()
    let file = SeekableFile(try OutputFile(path: "a", in: scratch.path))
    try file.append(frame: "FRAME", decompressed: 100, lines: 3)
    try file.append(frame: "NEXT", decompressed: 50, lines: 2)
    let written = try file.finish()

    var expected = SeekTableWriter()
    expected.append(compressed: 5, decompressed: 100)
    expected.append(compressed: 4, decompressed: 50)
    var bytes = ByteBuffer()
    bytes.append("FRAMENEXT")
    try expected.write { bytes.append($0) }
    #expect(try scratch.bytes("a") == bytes.view.array)
    #expect(
      written
        == WrittenFile(path: "a", bytes: bytes.count, lines: 5, xxh64: XXH64.hash(bytes.view)))
  }

  @Test(.enabled(if: Program.has("zstd")))
  func withoutFramesTheZstdToolReadsNothing() throws {
    let scratch = try ScratchDirectory()
    _ = try SeekableFile(try OutputFile(path: "a.zst", in: scratch.path)).finish()
    let result = try RunProcess.bash("zstd -qdc a.zst", directory: scratch)
    #expect(result.status == 0 && result.output == [])
  }
}
