import TestSupport
import Testing

@testable import Pipeline

@Suite struct PositionedFileTests {
  private let scratch = ScratchDirectory.fresh

  @Test func anyRangeIsRead() throws {
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let file = try PositionedFile(scratch.write(bytes, to: "a"), doing: "testing")
    #expect(file.size == bytes.count)
    var random = RepeatableRandom(seed: 1)
    var buffer = ByteBuffer(text: "x")
    for _ in 0..<100 {
      let start = Int.random(in: 0...bytes.count, using: &random)
      let end = Int.random(in: start...bytes.count, using: &random)
      try file.read(start..<end, into: &buffer)
      #expect(buffer.view.array == [UInt8(ascii: "x")] + bytes[start..<end])
      buffer.truncate(to: 1)
    }
  }

  @Test(arguments: [0, 1, 31, 32, 1 << 20, (1 << 20) + 7, 3_000_000])
  func aFileHasItsLengthAndHash(length: Int) throws {
    let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 131) }
    var seen = 0
    let hash = try FileHash(of: scratch.write(bytes, to: "a"), doing: "hashing") { piece in
      seen += piece.count
    }
    #expect(hash.bytes == length && seen == length)
    #expect(hash.xxh64 == withByteView(of: bytes) { XXH64.hash($0) })
  }

  @Test func whoReadsAlongMayStopTheHash() throws {
    let path = try scratch.write([1], to: "a")
    let failure = Failure.of(
      try FileHash(of: path, doing: "hashing") { _ throws(Failure) in throw Sample.stop })
    #expect(failure?.why == Sample.stop.why)
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
    let file = try PositionedFile(scratch.write([1, 2, 3], to: "a"), doing: "testing")
    let failure = Failure.of(try Self.read(file, 2..<4))
    #expect(failure?.kind == .corrupt && failure?.path == file.path && failure?.doing == "testing")
    for start in [3, 9] { #expect(try Self.read(file, start..<start) == []) }
  }

  @Test func onlyRegularFilesAreRead() throws {
    for path in [scratch.path, scratch("none"), "/dev/null"] {
      let failure = Failure.of(try PositionedFile(path, doing: "testing"))
      #expect(failure?.kind == (path == scratch("none") ? .io : .corrupt) && failure?.path == path)
    }
  }
}
