import Pipeline

/// Key states on their way into a spill, in frames. Frames may be made anywhere, in parallel; a
/// ``SpillWriter`` takes them in order.
///
/// A frame holds about 64 KiB of states (``KeyState``), of one section of one partition.
struct SpillFrames: ~Copyable {
  /// Bytes of text from which on a frame ends before the next key that begins a group,
  private static let usualText = 64 << 10
  /// and from which on it ends before the next key.
  private static let longestText = 1 << 20

  /// The finished frames: their ranges are those in `bytes`.
  private(set) var index = SpillIndex()
  private(set) var bytes = ByteBuffer()
  private var text = ByteBuffer(capacity: 2 * SpillFrames.usualText)
  private var firstKey = ByteBuffer()
  /// The key of the last state, also of a frame before this one.
  private var lastKey = ByteBuffer()
  private var partition = 0
  private var section = KeySection.anonymous
  private var beginsGroup = false
  private var keys = 0

  init() {}

  /// Forgets everything and keeps the room of usual states.
  mutating func removeAll() {
    index = SpillIndex()
    bytes.removeAll()
    bytes.shrink(to: RetainedCapacity.bytes)
    text.removeAll()
    keys = 0
  }

  /// Appends the state of a key of `section`, whose text has the hash `hash`.
  /// - Throws: `io`, when there is no memory to compress with.
  mutating func append(
    _ state: KeyState, section: KeySection, hash: UInt64, partition: Int, _ encoder: ZstdEncoder
  ) throws(Failure) {
    let begins = KeyHash.beginsGroup(hash)
    let isFull = text.count >= (begins ? Self.usualText : Self.longestText)
    if keys > 0, isFull || partition != self.partition || section != self.section {
      try cut(encoder)
    }
    if keys == 0 {
      // Memberships of a person are several: what follows in another frame begins nothing.
      let continues = lastKey.view == state.key
      (self.partition, self.section, beginsGroup) = (partition, section, begins && !continues)
      firstKey.removeAll()
      firstKey.append(state.key)
    }
    lastKey.removeAll()
    lastKey.append(state.key)
    state.append(to: &text)
    keys += 1
  }

  /// Ends the frame, if it has a key.
  /// - Throws: `io`, when there is no memory to compress with.
  mutating func cut(_ encoder: ZstdEncoder) throws(Failure) {
    guard keys > 0 else { return }
    let start = bytes.count
    try encoder.compress(text.view, into: &bytes)
    index.append(
      partition: partition, section: section, beginsGroup: beginsGroup,
      range: start..<bytes.count, length: text.count, keys: keys, firstKey: firstKey.view)
    text.removeAll()
    text.shrink(to: RetainedCapacity.bytes)
    keys = 0
  }
}
