/// The position of a byte string in an ``Arena``, and the capacity reserved for it there.
@frozen @usableFromInline package struct ArenaSlot: BitwiseCopyable, Sendable {
  @usableFromInline var address: UInt64
  @usableFromInline var length: UInt32
  @usableFromInline var capacity: UInt32

  @inlinable init(address: UInt64, length: UInt32, capacity: UInt32) {
    (self.address, self.length, self.capacity) = (address, length, capacity)
  }

  @inlinable package static var empty: ArenaSlot { ArenaSlot(address: 0, length: 0, capacity: 0) }

  @inlinable package var count: Int { Int(length) }
}

/// Bytes that are kept until the end: many short byte strings in few big chunks. A view stays valid
/// until its slot is overwritten: when the new bytes fit its capacity; else it moves and gets half
/// as much again, so that abandoned bytes stay below twice the kept ones.
///
/// Invariant: a slot was made by this arena (or is empty); its `capacity` bytes are its own. Not
/// for two threads at once, except reading.
@frozen @usableFromInline package struct Arena: ~Copyable {
  /// In bytes.
  @inlinable package static var maximumLength: Int { Int(UInt32.max) / 2 }
  /// Capacities are multiples of this, in bytes.
  @usableFromInline static var grain: Int { 8 }

  @usableFromInline var bytes = ByteChunks()

  @inlinable package init() {}

  /// Replaces the content of `slot`, which moves when it is too small.
  @inlinable package mutating func overwrite(_ slot: inout ArenaSlot, with bytes: ByteView) {
    if bytes.count <= Int(slot.capacity) {
      slot.length = UInt32(truncatingIfNeeded: bytes.count)
      self.bytes.write(bytes, at: Int(slot.address))
    } else {
      slot = store(bytes, capacity: max(bytes.count, Int(slot.capacity) / 2 * 3))
    }
  }

  @inlinable package subscript(slot: ArenaSlot) -> ByteView {
    bytes.view(Int(slot.address), Int(slot.length))
  }

  /// Stores a copy of `bytes`, with that capacity.
  @inlinable package mutating func store(_ bytes: ByteView, capacity: Int? = nil) -> ArenaSlot {
    let capacity = capacity ?? bytes.count
    precondition(bytes.count <= Self.maximumLength, "a stretch of bytes is longer than 2 GiB")
    if capacity == 0 { return .empty }
    let rounded = (min(capacity, Self.maximumLength) + Self.grain - 1) / Self.grain * Self.grain
    let address = self.bytes.take(rounded)
    self.bytes.write(bytes, at: address)
    return ArenaSlot(
      address: UInt64(address), length: UInt32(truncatingIfNeeded: bytes.count),
      capacity: UInt32(truncatingIfNeeded: rounded))
  }
}
