import TestSupport
import Testing

@testable import Pipeline

@Suite struct PositionedFileTests {
  @Test func anyPlaceIsRead() throws {
    let scratch = try ScratchDirectory()
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let file = try PositionedFile(scratch.write(bytes, to: "a"), doing: "testing")
    #expect(file.size == bytes.count)
    var random = RepeatableRandom(seed: 1)
    var buffer = ByteBuffer(capacity: 0)
    buffer.append(UInt8(ascii: "x"))
    for _ in 0..<100 {
      let start = Int.random(in: 0...bytes.count, using: &random)
      let end = Int.random(in: start...bytes.count, using: &random)
      try file.read(start..<end, into: &buffer)
      #expect(buffer.view.array == [UInt8(ascii: "x")] + bytes[start..<end])
      buffer.truncate(to: 1)
    }
    #expect(try file.hash() == withByteView(of: bytes) { XXH64.hash($0) })
  }

  @Test(arguments: [0, 1, 1 << 20, 1 << 20 + 1])
  func theHashIsThatOfAllBytes(length: Int) throws {
    let scratch = try ScratchDirectory()
    let bytes = Array(repeating: UInt8(7), count: length)
    let file = try PositionedFile(scratch.write(bytes, to: "a"), doing: "testing")
    #expect(try file.hash() == withByteView(of: bytes) { XXH64.hash($0) })
  }

  private static func read(
    _ file: PositionedFile, _ range: Range<Int>
  ) throws(Failure) -> [UInt8] {
    var buffer = ByteBuffer()
    try file.read(range, into: &buffer)
    return buffer.view.array
  }

  /// A file that was truncated after it was opened, or an invalid offset.
  @Test func behindTheEndItIsCorrupt() throws {
    let scratch = try ScratchDirectory()
    let file = try PositionedFile(scratch.write([1, 2, 3], to: "a"), doing: "testing")
    let failure = #expect(throws: Failure.self) { try Self.read(file, 2..<4) }
    #expect(failure?.kind == .corrupt && failure?.path == file.path)
    #expect(failure?.doing == "testing")
    #expect(try Self.read(file, 3..<3) == [])
    #expect(try Self.read(file, 9..<9) == [])
  }

  @Test func onlyRegularFilesAreRead() throws {
    let scratch = try ScratchDirectory()
    for path in [scratch.path, scratch("none"), "/dev/null"] {
      let failure = #expect(throws: Failure.self) { try PositionedFile(path, doing: "testing") }
      let isMissing = path == scratch("none")
      #expect(failure?.kind == (isMissing ? .io : .corrupt) && failure?.path == path)
    }
  }
}
