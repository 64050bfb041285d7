/// The position of a byte string in an ``Arena``, and the capacity reserved for it there.
@frozen @usableFromInline
package struct ArenaSlot: BitwiseCopyable, Sendable {
  /// Address in the arena: chunk number and offset in the chunk.
  @usableFromInline var address: UInt64
  @usableFromInline var length: UInt32
  @usableFromInline var capacity: UInt32

  @inlinable
  init(address: UInt64, length: UInt32, capacity: UInt32) {
    self.address = address
    self.length = length
    self.capacity = capacity
  }

  /// No bytes, and no capacity.
  @inlinable package static var empty: ArenaSlot { ArenaSlot(address: 0, length: 0, capacity: 0) }

  /// Number of bytes.
  @inlinable package var count: Int { Int(length) }
}

/// Bytes that are kept until the end: many short byte strings in few big chunks.
///
/// ```
/// address = chunk number * chunkSize + offset in the chunk
/// ```
/// Chunks never move, so a view stays valid as long as the arena lives and its slot is not
/// overwritten. A byte string longer than a chunk gets a block of several chunks to itself.
///
/// A slot is overwritten when the new bytes fit its capacity; else it moves and gets half as much
/// again, so that abandoned bytes stay below twice the kept ones.
///
/// Invariant: a slot was made by this arena (or is empty); its `capacity` bytes are its own.
/// Not for two threads at once, except reading.
@safe @frozen @usableFromInline
package struct Arena: ~Copyable {
  /// Bytes of a chunk, a power of two.
  @inlinable package static var chunkSize: Int { 1 << 20 }
  /// The longest byte string in bytes.
  @inlinable package static var maximumLength: Int { Int(UInt32.max) / 2 }
  /// Capacities are multiples of this, in bytes.
  @usableFromInline static var grain: Int { 8 }

  /// Start of each chunk; the chunks of a long byte string are contiguous in memory.
  @usableFromInline var chunks: [UnsafeMutablePointer<UInt8>] = unsafe []
  /// The allocations: the first chunk of each block.
  @usableFromInline var blocks: [UnsafeMutablePointer<UInt8>] = unsafe []
  @usableFromInline var position = 0
  @usableFromInline var end = 0

  /// An empty arena; allocates on first use.
  @inlinable
  package init() {}

  @inlinable
  deinit {
    for index in unsafe blocks.indices { unsafe blocks[index].deallocate() }
  }

  /// Bytes allocated so far.
  package var footprint: Int { unsafe chunks.count * Self.chunkSize }

  /// Stores a copy of `bytes`.
  @inlinable
  package mutating func store(_ bytes: ByteView) -> ArenaSlot {
    store(bytes, capacity: bytes.count)
  }

  /// Replaces the content of `slot` by `bytes`; the slot moves when it is too small.
  @inlinable
  package mutating func overwrite(_ slot: inout ArenaSlot, with bytes: ByteView) {
    if bytes.count <= Int(slot.capacity) {
      slot.length = UInt32(truncatingIfNeeded: bytes.count)
      write(bytes, at: slot.address)
    } else {
      slot = store(bytes, capacity: max(bytes.count, Int(slot.capacity) / 2 * 3))
    }
  }

  /// The bytes of `slot`, valid until it is overwritten or the arena ends.
  @inlinable
  package subscript(slot: ArenaSlot) -> ByteView {
    if slot.length == 0 { return ByteView("") }
    // SAFETY: a slot of this arena is within one block, and blocks do not move.
    return unsafe ByteView(base: start(of: slot.address), count: Int(slot.length))
  }

  @unsafe @inlinable
  func start(of address: UInt64) -> UnsafeMutablePointer<UInt8> {
    unsafe chunks[Int(address) / Self.chunkSize] + Int(address) % Self.chunkSize
  }

  @inlinable
  func write(_ bytes: ByteView, at address: UInt64) {
    if bytes.count == 0 { return }
    // SAFETY: the callers reserved `bytes.count` bytes at `address`.
    unsafe start(of: address).update(from: bytes.base, count: bytes.count)
  }

  @inlinable
  mutating func store(_ bytes: ByteView, capacity: Int) -> ArenaSlot {
    precondition(bytes.count <= Self.maximumLength, "a stretch of bytes is longer than 2 GiB")
    if capacity == 0 { return .empty }
    let rounded = (min(capacity, Self.maximumLength) + Self.grain - 1) / Self.grain * Self.grain
    if rounded > end - position { addBlock(rounded) }
    let address = UInt64(position)
    position += rounded
    write(bytes, at: address)
    return ArenaSlot(
      address: address, length: UInt32(truncatingIfNeeded: bytes.count),
      capacity: UInt32(truncatingIfNeeded: rounded))
  }

  @usableFromInline @inline(never)
  mutating func addBlock(_ size: Int) {
    let count = (size + Self.chunkSize - 1) / Self.chunkSize
    let block = UnsafeMutablePointer<UInt8>.allocate(capacity: count * Self.chunkSize)
    unsafe blocks.append(block)
    position = unsafe chunks.count * Self.chunkSize
    for index in 0..<count { unsafe chunks.append(block + index * Self.chunkSize) }
    end = unsafe chunks.count * Self.chunkSize
  }
}
