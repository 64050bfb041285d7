import Pipeline
import TestSupport
import Testing

@Suite struct ArenaTests {
  private static func bytes(_ count: Int, _ value: UInt8) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0) ^ value }
  }

  private static func with<Result>(_ bytes: [UInt8], _ body: (ByteView) -> Result) -> Result {
    var buffer = ByteBuffer(capacity: bytes.count)
    for byte in bytes { buffer.append(byte) }
    return body(buffer.view)
  }

  private static func array(_ view: ByteView) -> [UInt8] { (0..<view.count).map { view[$0] } }

  @Test(arguments: [1, 2] as [UInt64])
  func keepsAndOverwrites(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    var arena = Arena()
    var slots: [ArenaSlot] = []
    var model: [[UInt8]] = []
    for step in 0..<3000 {
      let long = Int.random(in: 0..<300, using: &random) == 0
      let size = Int.random(in: 0..<(long ? 3 * Arena.chunkSize : 600), using: &random)
      let content = Self.bytes(size, UInt8(truncatingIfNeeded: step))
      if slots.isEmpty || Bool.random(using: &random) {
        slots.append(Self.with(content) { arena.store($0) })
        model.append(content)
      } else {
        let place = Int.random(in: 0..<slots.count, using: &random)
        var slot = slots[place]
        Self.with(content) { arena.overwrite(&slot, with: $0) }
        slots[place] = slot
        model[place] = content
      }
    }
    for (slot, content) in zip(slots, model) {
      #expect(slot.count == content.count)
      #expect(Self.array(arena[slot]) == content, "seed \(seed)")
    }
  }

  @Test func growingASlotByteByByteWastesLittle() {
    var arena = Arena()
    var slot = ArenaSlot.empty
    for size in 0..<200_000 where size % 10 == 0 {
      Self.with([UInt8](repeating: 7, count: size)) { arena.overwrite(&slot, with: $0) }
    }
    #expect(arena.footprint <= 2 * Arena.chunkSize)
  }

  @Test func viewsSurviveGrowth() {
    var arena = Arena()
    let slot = arena.store(ByteView("first"))
    let view = arena[slot]
    for _ in 0..<100 { _ = Self.with(Self.bytes(Arena.chunkSize / 2, 1)) { arena.store($0) } }
    #expect(view == ByteView("first"))
  }
}
