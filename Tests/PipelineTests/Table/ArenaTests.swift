import TestSupport
import Testing

@testable import Pipeline

@Suite struct ArenaTests {
  private static let chunkSize = 1 << 20

  /// Some bytes to cut contents from, without a period that a wrong offset could hide in.
  private static func material(_ count: Int) -> ByteBuffer {
    var random = RepeatableRandom(seed: 1)
    let piece = (0..<1 << 16).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    var buffer = ByteBuffer(capacity: count)
    while buffer.count < count { buffer.append(contentsOf: piece) }
    return buffer
  }

  @Test(arguments: [1, 2] as [UInt64]) func keepsAndOverwrites(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    let material = Self.material(3 * Self.chunkSize)
    var arena = Arena()
    var slots: [ArenaSlot] = []
    var model: [Range<Int>] = []
    for _ in 0..<3000 {
      let isLong = Int.random(in: 0..<300, using: &random) == 0
      let size = Int.random(in: 0..<(isLong ? 2 * Self.chunkSize : 600), using: &random)
      let start = Int.random(in: 0..<material.count - size, using: &random)
      let content = start..<start + size
      if slots.isEmpty || Bool.random(using: &random) {
        slots.append(arena.store(material[content]))
        model.append(content)
      } else {
        let position = Int.random(in: 0..<slots.count, using: &random)
        var slot = slots[position]
        arena.overwrite(&slot, with: material[content])
        slots[position] = slot
        model[position] = content
      }
    }
    for (slot, content) in zip(slots, model) {
      #expect(slot.count == content.count, "seed \(seed)")
      #expect(arena[slot] == material[content], "seed \(seed)")
    }
  }

  @Test func growingASlotStepByStepWastesLittle() {
    let material = Self.material(2 * Self.chunkSize)
    var arena = Arena()
    var slot = ArenaSlot.empty
    for size in stride(from: 0, to: Self.chunkSize, by: 1000) {
      arena.overwrite(&slot, with: material[0..<size])
    }
    let chunks = unsafe arena.bytes.starts.count
    #expect(chunks <= 5)
  }
}
