import TestSupport
import Testing

@testable import Pipeline

@Suite struct SeekTableTests {
  private func table(_ frames: [(compressed: Int, decompressed: Int)]) -> [UInt8] {
    var writer = SeekTableWriter()
    for frame in frames {
      writer.append(compressed: frame.compressed, decompressed: frame.decompressed)
    }
    var bytes = ByteBuffer()
    writer.append(to: &bytes)
    #expect(bytes.count == writer.length)
    return bytes.view.array
  }

  private func read(_ tail: [UInt8], fileSize: Int) -> SeekTable.Lookup {
    withByteView(of: tail) { SeekTable.read(fromEndOf: $0, fileSize: fileSize) }
  }

  @Test func theBytesOfTheFormat() {
    #expect(
      table([(0x0102, 0x0304_0506)]) == [
        0x5E, 0x2A, 0x4D, 0x18, 17, 0, 0, 0,
        0x02, 0x01, 0, 0, 0x06, 0x05, 0x04, 0x03,
        1, 0, 0, 0, 0, 0xB1, 0xEA, 0x92, 0x8F,
      ])
  }

  @Test func readsBackWhatWasWritten() throws {
    var random = RepeatableRandom(seed: 21)
    for count in [0, 1, 2, 100] {
      let frames = (0..<count).map { _ in
        (
          compressed: Int.random(in: 1...1 << 20, using: &random),
          decompressed: Int.random(in: 0...1 << 22, using: &random)
        )
      }
      let bytes = table(frames)
      let size = frames.reduce(bytes.count) { $0 + $1.compressed }
      guard case .found(let found) = read(bytes, fileSize: size) else {
        Issue.record("no table found among \(count) frames")
        continue
      }
      #expect(found.length == bytes.count)
      #expect(found.frames.map(\.compressed) == frames.map(\.compressed))
      #expect(found.frames.map(\.decompressed) == frames.map(\.decompressed))
      var (offset, decompressedOffset) = (0, 0)
      for frame in found.frames {
        #expect(frame.offset == offset)
        #expect(frame.decompressedOffset == decompressedOffset)
        offset += frame.compressed
        decompressedOffset += frame.decompressed
      }
    }
  }

  @Test func asksForAsMuchOfTheTailAsItNeeds() {
    let bytes = table([(10, 100), (20, 200)])
    #expect(read([], fileSize: 63) == .needs(bytes: 9))
    #expect(read(bytes.suffix(8), fileSize: 63) == .needs(bytes: 9))
    #expect(read(bytes.suffix(9), fileSize: 63) == .needs(bytes: 33))
    #expect(read(bytes.suffix(32), fileSize: 63) == .needs(bytes: 33))
    // More than the table does no harm.
    #expect(read([1, 2, 3] + bytes, fileSize: 63) == read(bytes, fileSize: 63))
  }

  @Test func readsEntriesWithSums() {
    var bytes: [UInt8] = [0x5E, 0x2A, 0x4D, 0x18, 21, 0, 0, 0]
    bytes += [5, 0, 0, 0, 50, 0, 0, 0, 0xDE, 0xAD, 0xBE, 0xEF]
    bytes += [1, 0, 0, 0, 0x80, 0xB1, 0xEA, 0x92, 0x8F]
    let frame = SeekTable.Frame(offset: 0, compressed: 5, decompressedOffset: 0, decompressed: 50)
    #expect(read(bytes, fileSize: 34) == .found(SeekTable(frames: [frame], length: 29)))
  }

  @Test func aTableThatDoesNotFitTheFileIsNone() {
    let bytes = table([(10, 100), (20, 200)])
    let size = bytes.count + 30
    for wrong in [size - 1, size + 1, bytes.count, size + 1000] {
      #expect(read(bytes, fileSize: wrong) == .absent, "\(wrong)")
    }
    // Two files behind each other.
    #expect(read(bytes, fileSize: 2 * size) == .absent)
    #expect(read([], fileSize: 0) == .absent)
    #expect(read([0xB1, 0xEA, 0x92, 0x8F], fileSize: 4) == .absent)
  }

  @Test func everyChangedByteOfTheFrameIsNoticedOrIsAnEntry() {
    let bytes = table([(10, 100), (20, 200)])
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << bit
        let result = read(damaged, fileSize: bytes.count + 30)
        // What a decompressed length should be cannot be known here; the descriptor has two bits
        // without a meaning.
        let isOpaque =
          (12..<16).contains(index) || (20..<24).contains(index)
          || index == bytes.count - 5 && bit < 2
        if !isOpaque {
          #expect(result == .absent || isNeed(result), "byte \(index), bit \(bit)")
        }
      }
    }
  }

  private func isNeed(_ result: SeekTable.Lookup) -> Bool {
    if case .needs(let bytes) = result { return bytes <= 63 }
    return false
  }

  @Test func anyBytesAreReadWithoutHarm() {
    var random = RepeatableRandom(seed: 22)
    for _ in 0..<2000 {
      var tail = (0..<Int.random(in: 0...80, using: &random)).map { _ in
        UInt8.random(in: 0...3, using: &random)
      }
      tail += [0xB1, 0xEA, 0x92, 0x8F]
      let extra = Int.random(in: 0...100, using: &random)
      let result = read(tail, fileSize: tail.count + extra)
      if case .found(let found) = result {
        #expect(found.frames.allSatisfy { $0.compressed > 0 })
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
