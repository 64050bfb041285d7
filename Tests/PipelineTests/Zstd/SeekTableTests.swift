import TestSupport
import Testing

@testable import Pipeline

@Suite struct SeekTableTests {
  private func table(_ frames: [(compressed: Int, decompressed: Int)]) throws -> [UInt8] {
    var writer = SeekTableWriter()
    for frame in frames {
      writer.append(compressed: frame.compressed, decompressed: frame.decompressed)
    }
    var bytes = ByteBuffer()
    try writer.write { bytes.append($0) }
    return bytes.view.array
  }

  /// The frames of a file of `fileSize` bytes that ends with `tail`, after zeros.
  private func read(_ tail: [UInt8], fileSize: Int) throws -> [SeekTable.Frame]? {
    let zeros = min(max(fileSize - tail.count, 0), 10_000)
    return try withByteView(of: [UInt8](repeating: 0, count: zeros) + tail) { end in
      try SeekTable.frames(fileSize: fileSize) { end.dropFirst(end.count - $0) }
    }
  }

  @Test func theBytesOfTheFormat() throws {
    #expect(
      try table([(0x0102, 0x0304_0506)]) == [
        0x5E, 0x2A, 0x4D, 0x18, 17, 0, 0, 0,
        0x02, 0x01, 0, 0, 0x06, 0x05, 0x04, 0x03,
        1, 0, 0, 0, 0, 0xB1, 0xEA, 0x92, 0x8F,
      ])
  }

  @Test func readsBackWhatWasWritten() throws {
    var random = RepeatableRandom(seed: 21)
    for count in [0, 1, 2, 100, 30_000] {
      let frames = (0..<count).map { _ in
        let lengths = [0xFFFE, 0xFFFF, 1 << 20]
        return (
          compressed: Int.random(in: 1...lengths.randomElement(using: &random)!, using: &random),
          decompressed: Int.random(in: 0...lengths.randomElement(using: &random)!, using: &random)
        )
      }
      let bytes = try table(frames)
      let size = frames.reduce(bytes.count) { $0 + $1.compressed }
      let found = try #require(try read(bytes, fileSize: size), "\(count) frames")
      #expect(found.map(\.compressed) == frames.map(\.compressed))
      #expect(found.map(\.decompressed) == frames.map(\.decompressed))
      var (offset, decompressedOffset) = (0, 0)
      for frame in found {
        #expect(frame.offset == offset && frame.decompressedOffset == decompressedOffset)
        offset += frame.compressed
        decompressedOffset += frame.decompressed
      }
    }
  }

  @Test func readsEntriesWithSums() throws {
    var bytes: [UInt8] = [0x5E, 0x2A, 0x4D, 0x18, 21, 0, 0, 0]
    bytes += [5, 0, 0, 0, 50, 0, 0, 0, 0xDE, 0xAD, 0xBE, 0xEF]
    bytes += [1, 0, 0, 0, 0x80, 0xB1, 0xEA, 0x92, 0x8F]
    let frame = SeekTable.Frame(offset: 0, compressed: 5, decompressedOffset: 0, decompressed: 50)
    #expect(try read(bytes, fileSize: 34) == [frame])
  }

  @Test func aTableThatDoesNotFitTheFileIsNone() throws {
    let bytes = try table([(10, 100), (20, 200)])
    let size = bytes.count + 30
    for wrong in [size - 1, size + 1, bytes.count, size + 1000] {
      #expect(try read(bytes, fileSize: wrong) == nil, "\(wrong)")
    }
    // Two files behind each other.
    #expect(try read(bytes, fileSize: 2 * size) == nil)
    #expect(try read([], fileSize: 0) == nil)
    #expect(try read([0xB1, 0xEA, 0x92, 0x8F], fileSize: 4) == nil)
  }

  @Test func everyChangedByteOfTheFrameIsNoticedOrIsAnEntry() throws {
    let bytes = try table([(10, 100), (20, 200)])
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << bit
        let result = try read(damaged, fileSize: bytes.count + 30)
        // What a decompressed length should be cannot be known here; the descriptor has two bits
        // without a meaning.
        let isOpaque =
          (12..<16).contains(index) || (20..<24).contains(index)
          || index == bytes.count - 5 && bit < 2
        if !isOpaque { #expect(result == nil, "byte \(index), bit \(bit)") }
      }
    }
  }

  @Test func aFrameWithoutBytesTraps() async {
    await #expect(processExitsWith: .failure) {
      var writer = SeekTableWriter()
      writer.append(compressed: 0, decompressed: 0)
    }
  }
}
