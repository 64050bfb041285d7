/// A table of plain entries that are found by byte-string keys, addressed by 32-bit numbers.
///
/// ```
/// slot n = chunks[n / slotsPerChunk] + n % slotsPerChunk * 128
///
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
/// Invariants: slots `0..<count` are initialised and never move. Entries are never removed. Not for
/// two threads at once, except reading.
@safe @frozen @usableFromInline
package struct KeyTable<Entry: BitwiseCopyable>: ~Copyable {
  /// The longest key that is stored in its slot, in bytes.
  @inlinable package static var longestInline: Int { keyLength - keyOffset }

  @usableFromInline static var lengthOffset: Int { 8 }
  @usableFromInline static var keyOffset: Int { 12 }
  /// Bytes before the entry.
  @usableFromInline static var keyLength: Int { 64 }
  @usableFromInline static var slotLength: Int { 128 }
  @usableFromInline static var chunkBits: UInt32 { 12 }

  @usableFromInline var chunks: [UnsafeMutableRawPointer] = unsafe []
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

  @inlinable
  deinit {
    for index in unsafe chunks.indices { unsafe chunks[index].deallocate() }
  }

  /// Number of entries.
  @inlinable package var count: Int { used }

  /// Bytes allocated so far.
  package var footprint: Int {
    unsafe (chunks.count * Self.slotLength) << Int(Self.chunkBits) + index.footprint
      + longKeys.footprint
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
    get {
      // SAFETY: `slot` checks the number; the entry is initialised.
      unsafe slot(number).load(fromByteOffset: Self.keyLength, as: Entry.self)
    }
    _modify {
      // SAFETY: as above; the chunk is owned by this table alone.
      yield unsafe &(slot(number) + Self.keyLength).assumingMemoryBound(to: Entry.self).pointee
    }
  }

  /// The key of an entry; valid as long as the table lives.
  @inlinable
  package func key(_ number: UInt32) -> ByteView {
    let slot = unsafe slot(number)
    let length = unsafe Int(slot.load(fromByteOffset: Self.lengthOffset, as: UInt32.self))
    let start = unsafe slot + Self.keyOffset
    if length > Self.longestInline {
      return longKeys[unsafe start.loadUnaligned(as: ArenaSlot.self)]
    }
    // SAFETY: a key of that length is in the slot, and slots do not move.
    return unsafe ByteView(
      base: UnsafePointer(start.assumingMemoryBound(to: UInt8.self)), count: length)
  }

  /// The hash of the key of an entry.
  @inlinable
  package func hash(_ number: UInt32) -> UInt64 { unsafe slot(number).load(as: UInt64.self) }

  /// Prefetches the index slot of a key with that hash; the first of two steps.
  @inlinable
  package func prefetchIndex(_ hash: UInt64) { index.prefetch(hash) }

  /// The number of the first entry that may have a key with that hash, unchecked; the second step.
  @inlinable
  package func candidate(_ hash: UInt64) -> UInt32? { index.candidate(hash) }

  /// Prefetches an entry and its key.
  @inlinable
  package func prefetch(_ number: UInt32) {
    unsafe Pipeline.prefetch(slot(number))
    unsafe Pipeline.prefetch(slot(number) + Self.keyLength)
  }

  @unsafe @inlinable
  func slot(_ number: UInt32) -> UnsafeMutableRawPointer {
    precondition(Int(number) < used, "no such entry")
    return unsafe chunks[Int(number >> Self.chunkBits)]
      + Int(number & (1 << Self.chunkBits - 1)) * Self.slotLength
  }

  @inlinable
  func has(_ key: ByteView, _ hash: UInt64, at number: UInt32) -> Bool {
    self.hash(number) == hash && self.key(number) == key
  }

  @usableFromInline @inline(never)
  mutating func append(_ key: ByteView, _ hash: UInt64, _ entry: Entry) {
    precondition(used < HashIndex.maximumCount, "a table holds at most 4294967294 entries")
    let number = next
    if number & (1 << Self.chunkBits - 1) == 0 {
      unsafe chunks.append(
        .allocate(byteCount: Self.slotLength << Int(Self.chunkBits), alignment: Self.slotLength))
    }
    used += 1
    let slot = unsafe slot(number)
    unsafe slot.storeBytes(of: hash, as: UInt64.self)
    unsafe slot.storeBytes(
      of: UInt32(truncatingIfNeeded: key.count), toByteOffset: Self.lengthOffset,
      as: UInt32.self)
    if key.count > Self.longestInline {
      unsafe slot.storeBytes(
        of: longKeys.store(key), toByteOffset: Self.keyOffset, as: ArenaSlot.self)
    } else {
      // SAFETY: the key fits between its offset and the entry.
      unsafe (slot + Self.keyOffset).copyMemory(from: key.base, byteCount: key.count)
    }
    unsafe slot.storeBytes(of: entry, toByteOffset: Self.keyLength, as: Entry.self)
  }
}
