/// A list of plain entries that grows without moving them, addressed by 32-bit numbers.
///
/// ```
/// entry n = chunks[n / entriesPerChunk][n % entriesPerChunk]
/// ```
/// Growing never copies, so a table of gigabytes has no moment in which it exists twice.
///
/// Invariant: entries `0..<count` are initialised; every chunk but the last is full.
/// Not for two threads at once, except reading.
@safe @frozen @usableFromInline
package struct EntryTable<Entry: BitwiseCopyable>: ~Copyable {
  /// The most entries of a table, as many as of a ``HashIndex``.
  @inlinable package static var maximumCount: Int { Int(UInt32.max) - 1 }
  @usableFromInline static var chunkBits: UInt32 { 12 }

  @usableFromInline var chunks: [UnsafeMutablePointer<Entry>] = unsafe []
  @usableFromInline var used = 0

  /// An empty table; allocates on first use.
  @inlinable
  package init() {}

  @inlinable
  deinit {
    for index in unsafe chunks.indices { unsafe chunks[index].deallocate() }
  }

  /// Number of entries.
  @inlinable package var count: Int { used }

  /// Bytes allocated so far.
  package var footprint: Int {
    unsafe (chunks.count * MemoryLayout<Entry>.stride) << Int(Self.chunkBits)
  }

  /// The number the next entry gets.
  @inlinable package var next: UInt32 { UInt32(truncatingIfNeeded: used) }

  /// Appends an entry. Complexity: O(1).
  @inlinable
  package mutating func append(_ entry: Entry) {
    precondition(used < Self.maximumCount, "a table holds at most 4294967294 entries")
    let number = next
    let index = Int(number & (1 << Self.chunkBits - 1))
    if index == 0 {
      unsafe chunks.append(.allocate(capacity: 1 << Int(Self.chunkBits)))
    }
    unsafe (chunks[Int(number >> Self.chunkBits)] + index).initialize(to: entry)
    used += 1
  }

  /// The entry with the number `index`.
  @inlinable
  package subscript(index: UInt32) -> Entry {
    get {
      precondition(Int(index) < used, "no such entry")
      // SAFETY: `index` is below `used`, so its chunk exists and its entry is initialised.
      return unsafe chunks[Int(index >> Self.chunkBits)][Int(index & (1 << Self.chunkBits - 1))]
    }
    _modify {
      precondition(Int(index) < used, "no such entry")
      // SAFETY: as above; the chunk is owned by this table alone.
      yield unsafe &chunks[Int(index >> Self.chunkBits)][Int(index & (1 << Self.chunkBits - 1))]
    }
  }
}
