import TestSupport
import Testing

@testable import Pipeline

@Suite struct ByteChunksTests {
  private static let chunkSize = 1 << 20

  /// Some bytes to cut contents from, without a period that a wrong offset could hide in.
  private static func material(_ count: Int) -> ByteBuffer {
    var random = RepeatableRandom(seed: 1)
    let piece = (0..<1 << 16).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    var buffer = ByteBuffer(capacity: count)
    while buffer.count < count { buffer.append(contentsOf: piece) }
    return buffer
  }

  @Test(arguments: [1, 2] as [UInt64]) func storedBytesStayWhereTheyAre(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    let material = Self.material(3 * Self.chunkSize)
    var chunks = ByteChunks()
    var stored: [(ByteView, Range<Int>)] = []
    for _ in 0..<3000 {
      let isLong = Int.random(in: 0..<300, using: &random) == 0
      let size = Int.random(in: 0..<(isLong ? 2 * Self.chunkSize : 600), using: &random)
      let start = Int.random(in: 0..<material.count - size, using: &random)
      stored.append((chunks.store(material[start..<start + size]), start..<start + size))
    }
    for (bytes, content) in stored { #expect(bytes == material[content], "seed \(seed)") }
    #expect(unsafe chunks.starts.count > 1)
  }

  @Test func shortBytesShareAChunk() {
    let material = Self.material(1000)
    let bytes = material[0..<1000]
    var chunks = ByteChunks()
    for _ in 0..<Self.chunkSize / bytes.count { _ = chunks.store(bytes) }
    #expect(unsafe chunks.starts.count == 1)
    _ = chunks.store(bytes)
    #expect(unsafe chunks.starts.count == 2)
  }
}
