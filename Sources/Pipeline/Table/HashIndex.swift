/// Finds the number of an entry, which the caller stores, by the hash of its key: linear probing
/// over a power of two of 8-byte slots.
///
/// ```
/// slot = tag (low 32 bits of the hash) | number of the entry (32)      number .max = empty
/// home = the highest bits of the tag
/// ```
/// As the home is derived from the stored tag, growing needs no key; as it is the tag's *high*
/// bits, growing walks both tables from front to back.
///
/// Invariant: at most two thirds of the slots are taken, so every probe ends. Not for two threads
/// at once, except reading. O(1) on average for hashes that no attacker has chosen: those of keys
/// of inputs need a seed (``TableHash``).
@frozen @usableFromInline package struct HashIndex: ~Copyable {
  /// Numbers are below this.
  @inlinable package static var maximumCount: Int { Int(UInt32.max) - 1 }
  /// Least number of slots, a power of two.
  @usableFromInline static var smallest: Int { 64 }
  /// Most slots kept for reuse.
  private static var mostKept: Int { 1024 }

  @usableFromInline var slots = SlotTable<UInt64>(repeating: .max, count: HashIndex.smallest)
  @usableFromInline var logarithm = HashIndex.smallest.trailingZeroBitCount
  @usableFromInline var used = 0
  /// How many entries fit before the next growth.
  @usableFromInline var room = HashIndex.room(of: HashIndex.smallest)

  @inlinable package init() {}
  @inlinable package var count: Int { used }

  @usableFromInline static func room(of capacity: Int) -> Int { capacity / 3 * 2 }

  @inlinable
  func home(_ tag: UInt64) -> Int { Int(truncatingIfNeeded: (tag << UInt64(logarithm)) >> 32) }

  /// The number of the entry with `hash` that `matches`, or nil.
  @inlinable package func find(_ hash: UInt64, matches: (UInt32) -> Bool) -> UInt32? {
    let number = place(of: hash & 0xFFFF_FFFF, matches).number
    return number == .max ? nil : number
  }

  /// The same; without one `number` is inserted, and the caller creates the entry.
  @inlinable package mutating func findOrInsert(
    _ hash: UInt64, _ number: UInt32, matches: (UInt32) -> Bool
  ) -> (number: UInt32, isNew: Bool) {
    if used == room { grow() }
    let tag = hash & 0xFFFF_FFFF
    let (position, found) = place(of: tag, matches)
    if found != .max { return (found, false) }
    precondition(number < .max, "an index holds at most 4294967294 entries")
    slots[position] = tag << 32 | UInt64(number)
    used += 1
    return (number, true)
  }

  /// The slot with `tag` whose number `matches`, or the first free one after its home.
  @inlinable @inline(__always)
  func place(of tag: UInt64, _ matches: (UInt32) -> Bool) -> (position: Int, number: UInt32) {
    var number = UInt32.max
    let position = slots.position(from: home(tag)) { slot in
      number = UInt32(truncatingIfNeeded: slot)
      return number == .max || slot >> 32 == tag && matches(number)
    }
    return (position, number)
  }

  /// Removes all entries, and releases excess capacity.
  package mutating func removeAll() {
    if slots.count > Self.mostKept {
      self = HashIndex()
    } else {
      slots.fill(with: .max)
      used = 0
    }
  }

  @usableFromInline @inline(never) mutating func grow() {
    precondition(used < Self.maximumCount, "an index holds at most 4294967294 entries")
    logarithm += 1
    room = Self.room(of: 1 << logarithm)
    slots = slots.grown(.max, isFree: { UInt32(truncatingIfNeeded: $0) == .max }) { home($0 >> 32) }
  }
}

extension SlotTable {
  /// The position of the first slot from `home` on that is `sought`, as one of them must be.
  @inlinable @inline(__always) func position(from home: Int, where sought: (Slot) -> Bool) -> Int {
    var position = home
    while !sought(self[position]) { position &+= 1 }
    return position
  }

  /// A table of twice as many slots: those that are taken, from their `home` on, and `free` ones.
  @inline(__always) func grown(
    _ free: Slot, isFree: (Slot) -> Bool, home: (Slot) -> Int
  ) -> SlotTable {
    let larger = SlotTable(repeating: free, count: count * 2)
    for index in 0..<count where !isFree(self[index]) {
      larger[larger.position(from: home(self[index]), where: isFree)] = self[index]
    }
    return larger
  }
}
