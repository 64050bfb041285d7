/// A table of plain entries that are found by byte-string keys, addressed by 32-bit numbers.
///
/// ```
/// ┌ one cache line ─────────────────────────┐┌ the next one ─────────────┐
/// │ hash (8) │ length (4) │ key (52 at most) ││ Entry (64 bytes at most)  │
/// └─────────────────────────────────────────┘└───────────────────────────┘
/// ```
/// So a lookup waits for memory twice: for the index, and for the slot. A key of more than 52 bytes
/// is in an arena, and its address there in the slot.
///
/// Keys are found by the caller's hash, which is part of a format and so can be made to collide.
/// When many do, the index is rebuilt with hashes of this process (``TableHash``).
///
/// Invariant: slots `0..<count` are written. Entries are never removed. Not for two threads at
/// once, except reading.
@frozen @usableFromInline
package struct KeyTable<Entry: BitwiseCopyable>: ~Copyable {
  /// The longest key that is stored in its slot, in bytes.
  @inlinable package static var longestInline: Int { keyLength - keyOffset }

  @usableFromInline static var lengthOffset: Int { 8 }
  @usableFromInline static var keyOffset: Int { 12 }
  /// Bytes before the entry.
  @usableFromInline static var keyLength: Int { 64 }
  @usableFromInline static var slotLength: Int { 128 }

  @usableFromInline var slots = Chunks<UInt8, 19>()
  @usableFromInline var used = 0
  @usableFromInline var index = HashIndex()
  @usableFromInline var longKeys = Arena()
  /// Whether keys are found by ``TableHash``.
  @usableFromInline package private(set) var isSeeded = false

  /// An empty table.
  @inlinable
  package init() {
    precondition(
      MemoryLayout<Entry>.stride <= Self.slotLength - Self.keyLength
        && MemoryLayout<Entry>.alignment <= Self.keyLength, "an entry has at most 64 bytes")
  }

  /// Number of entries.
  @inlinable package var count: Int { used }

  /// Bytes allocated so far.
  package var footprint: Int {
    slots.footprint + index.footprint + longKeys.footprint
  }

  /// The number the next entry gets.
  @inlinable package var next: UInt32 { UInt32(truncatingIfNeeded: used) }

  /// The number of the entry with this key and hash; `new` is added as its entry if there is none.
  @inlinable
  package mutating func findOrInsert(_ key: ByteView, hash: UInt64, new: Entry) -> UInt32 {
    let sought = isSeeded ? TableHash.of(key) : hash
    if let number = index.find(sought, matches: { has(key, hash, at: $0) }) { return number }
    let number = next
    append(key, hash, new)
    _ = index.findOrInsert(sought, number) { _ in false }
    if index.isCrowded, !isSeeded { seed() }
    return number
  }

  /// Rebuilds the index. Complexity: O(bytes of the keys), once in a table's life.
  @usableFromInline @inline(never)
  mutating func seed() {
    isSeeded = true
    index = HashIndex(minimumCapacity: used)
    for number in 0..<next {
      _ = index.findOrInsert(TableHash.of(key(number)), number) { _ in false }
    }
  }

  /// The entry with the number `number`.
  @inlinable
  package subscript(number: UInt32) -> Entry {
    get { slots.read(at: slot(number) + Self.keyLength) }
    _modify { yield &slots[slot(number) + Self.keyLength, as: Entry.self] }
  }

  /// The key of an entry; valid as long as the table lives.
  @inlinable
  package func key(_ number: UInt32) -> ByteView {
    key(slots.view(slot(number), Self.keyLength))
  }

  /// The key in the first part of a slot.
  @inlinable @inline(__always)
  func key(_ slot: ByteView) -> ByteView {
    let length = Int(slot.word32(at: Self.lengthOffset))
    if length <= Self.longestInline { return slot[Self.keyOffset..<Self.keyOffset + length] }
    return longKeys[
      ArenaSlot(
        address: slot.word64(at: Self.keyOffset), length: UInt32(truncatingIfNeeded: length),
        capacity: 0)]
  }

  /// The hash of the key of an entry.
  @inlinable
  package func hash(_ number: UInt32) -> UInt64 { slots.read(at: slot(number)) }

  /// Prefetches the index slot of a key with that hash; the first of two steps.
  @inlinable
  package func prefetchIndex(_ hash: UInt64) { index.prefetch(hash) }

  /// The number of the first entry that may have a key with that hash, unchecked; the second step.
  @inlinable
  package func candidate(_ hash: UInt64) -> UInt32? { index.candidate(hash) }

  /// Prefetches an entry and its key.
  @inlinable
  package func prefetch(_ number: UInt32) {
    slots.prefetch(slot(number))
    slots.prefetch(slot(number) + Self.keyLength)
  }

  /// The address of a slot.
  @inlinable
  func slot(_ number: UInt32) -> Int {
    precondition(Int(number) < used, "no such entry")
    return Int(number) * Self.slotLength
  }

  @inlinable
  func has(_ key: ByteView, _ hash: UInt64, at number: UInt32) -> Bool {
    let slot = slots.view(slot(number), Self.keyLength)
    return slot.word64(at: 0) == hash && self.key(slot) == key
  }

  @usableFromInline @inline(never)
  mutating func append(_ key: ByteView, _ hash: UInt64, _ entry: Entry) {
    precondition(used < HashIndex.maximumCount, "a table holds at most 4294967294 entries")
    let slot = used * Self.slotLength
    if slot == slots.count { _ = slots.add(1) }
    used += 1
    slots.write(hash, at: slot)
    slots.write(UInt32(truncatingIfNeeded: key.count), at: slot + Self.lengthOffset)
    if key.count > Self.longestInline {
      slots.write(longKeys.store(key).address, at: slot + Self.keyOffset)
    } else {
      slots.write(key, at: slot + Self.keyOffset)
    }
    slots.write(entry, at: slot + Self.keyLength)
  }
}
