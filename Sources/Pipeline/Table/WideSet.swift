/// A set of 128-bit values that are already well mixed (hashes), stored where they are probed.
///
/// Open addressing with linear probing over a power of two of 16-byte slots (low word, high word);
/// both words 0 = empty, so that value cannot be a member. The home of a value is the highest bits
/// of its high word.
///
/// Invariants: the capacity is a power of two, at most two thirds of the slots are taken.
/// Not for two threads at once.
@safe @frozen @usableFromInline
package struct WideSet: ~Copyable {
  @usableFromInline static var smallest: Int { 64 }

  @usableFromInline var slots: UnsafeMutablePointer<UInt64>
  @usableFromInline var logarithm: Int
  @usableFromInline var used: Int
  @usableFromInline var room: Int

  /// An empty set.
  @inlinable
  package init() {
    logarithm = Self.smallest.trailingZeroBitCount
    used = 0
    room = Self.room(of: Self.smallest)
    unsafe slots = UnsafeMutablePointer<UInt64>.allocate(capacity: Self.smallest * 2)
    unsafe slots.initialize(repeating: 0, count: Self.smallest * 2)
  }

  @inlinable
  deinit { unsafe slots.deallocate() }

  /// Number of members.
  @inlinable package var count: Int { used }

  @usableFromInline static func room(of capacity: Int) -> Int { capacity / 3 * 2 }

  /// Makes the value a member; false when it was one already.
  /// Complexity: O(1) on average.
  @inlinable
  package mutating func insert(low: UInt64, high: UInt64) -> Bool {
    precondition(low | high != 0, "a value of zero bits cannot be a member")
    if used == room { grow() }
    let mask = 1 << logarithm - 1
    var place = Int(truncatingIfNeeded: high >> UInt64(64 - logarithm))
    while true {
      // SAFETY: `place` is kept below the capacity by `mask`; a slot is two words.
      let (a, b) = unsafe (slots[place * 2], slots[place * 2 + 1])
      if a == low && b == high { return false }
      if a | b == 0 { break }
      place = (place + 1) & mask
    }
    unsafe slots[place * 2] = low
    unsafe slots[place * 2 + 1] = high
    used += 1
    return true
  }

  /// Asks for the place where a value with this high word is found.
  @inlinable
  package func prefetch(high: UInt64) {
    // SAFETY: the highest bits are below the capacity; a slot is two words.
    unsafe Pipeline.prefetch(slots + Int(truncatingIfNeeded: high >> UInt64(64 - logarithm)) * 2)
  }

  @usableFromInline @inline(never)
  mutating func grow() {
    let old = unsafe slots
    let oldCapacity = 1 << logarithm
    logarithm += 1
    let capacity = 1 << logarithm
    room = Self.room(of: capacity)
    unsafe slots = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity * 2)
    unsafe slots.initialize(repeating: 0, count: capacity * 2)
    for source in 0..<oldCapacity {
      let (low, high) = unsafe (old[source * 2], old[source * 2 + 1])
      if low | high == 0 { continue }
      var place = Int(truncatingIfNeeded: high >> UInt64(64 - logarithm))
      while unsafe slots[place * 2] | slots[place * 2 + 1] != 0 {
        place = (place + 1) & (capacity - 1)
      }
      unsafe slots[place * 2] = low
      unsafe slots[place * 2 + 1] = high
    }
    unsafe old.deallocate()
  }
}
