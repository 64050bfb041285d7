/// 128-bit digests in arrival order, each with a tag, in 12 bytes. Repeated digests are found
/// afterwards (``RepeatedDigests``), without a lookup for each.
///
/// ```
/// extent = address of the previous extent (8) │ 84 entries of high word (8), rest (4)
/// rest   = bits of the low word │ tag
/// ```
/// The lowest byte of the low word selects one of 256 partitions, each a chain of extents:
/// appending touches few cache lines, and a partition can be searched in the processor's cache.
///
/// A digest is identified by 72 bits and the bits of the rest that the tag does not use: with a
/// 20-bit tag by 84. Two different ones of n collide with a probability of about n² / 2^85, 2^-25
/// for a billion. Their keys must be secret to this process (``TableHash``).
///
/// Invariant: `used` entries of the last extent of a partition are written, and all of the others.
/// Not for two threads at once.
@frozen @usableFromInline package struct DigestLog: ~Copyable {
  @frozen @usableFromInline package struct Entry: BitwiseCopyable, Equatable, Sendable {
    @usableFromInline let high: UInt64
    /// The bits of the low word that are kept.
    @usableFromInline let rest: UInt32
    package let tag: UInt32
  }

  /// An entry in its extent, 12 bytes.
  @frozen @usableFromInline struct Stored: BitwiseCopyable {
    @usableFromInline let high: UInt64
    @usableFromInline let rest: UInt32

    @inlinable init(high: UInt64, rest: UInt32) {
      (self.high, self.rest) = (high.littleEndian, rest.littleEndian)
    }
  }

  @frozen @usableFromInline struct Tail: BitwiseCopyable {
    /// The address of its last extent; -1 = none.
    @usableFromInline var extent = -1
    /// Entries of the extent; a full one is followed by another.
    @usableFromInline var used = UInt32(DigestLog.room)
    @usableFromInline var count = 0

    @inlinable init() {}
  }

  @inlinable package static var partitions: Int { 256 }
  @usableFromInline static var extentLength: Int { 1024 }
  @usableFromInline static var entryLength: Int { 12 }
  /// Entries of an extent, after the address of the previous one.
  @usableFromInline static var room: Int { 84 }

  @usableFromInline let tagBits: UInt32
  @usableFromInline let tails = SlotTable(repeating: Tail(), count: DigestLog.partitions)
  @usableFromInline var bytes = ByteChunks()
  private var free: [Int] = []
  private var extentCount = 0

  package init(greatestTag: UInt32) {
    tagBits = UInt32(UInt32.bitWidth - greatestTag.leadingZeroBitCount)
  }

  package var footprint: Int { extentCount * Self.extentLength }

  @inlinable package mutating func append(low: UInt64, high: UInt64, tag: UInt32) {
    let partition = Int(truncatingIfNeeded: low & UInt64(Self.partitions - 1))
    // A shift by all bits gives 0: a tag may fill the whole rest.
    let rest = UInt32(truncatingIfNeeded: low >> 8) << tagBits
    append(high, rest | tag, to: partition)
  }

  @inlinable @inline(__always)
  mutating func append(_ high: UInt64, _ rest: UInt32, to partition: Int) {
    if tails[partition].used == Self.room { extend(partition) }
    let tail = tails[partition]
    tails[partition].used = tail.used + 1
    tails[partition].count = tail.count + 1
    bytes.write(Stored(high: high, rest: rest), at: tail.extent + Self.offset(Int(tail.used)))
  }

  @inlinable @inline(__always) static func offset(_ index: Int) -> Int { 8 + index * entryLength }

  private func before(_ extent: Int) -> Int {
    Int(truncatingIfNeeded: bytes.view(extent, 8).word64(at: 0))
  }

  @usableFromInline @inline(never) mutating func extend(_ partition: Int) {
    let extent = free.popLast() ?? bytes.take(Self.extentLength)
    bytes.write(UInt64(bitPattern: Int64(tails[partition].extent)).littleEndian, at: extent)
    tails[partition].extent = extent
    tails[partition].used = 0
    extentCount += 1
  }

  package func copy(_ partition: Int, to list: inout [Entry]) {
    let tail = tails[partition]
    list.reserveCapacity(list.count + tail.count)
    var (extent, used) = (tail.extent, Int(tail.used))
    while extent >= 0 {
      let bytes = bytes.view(extent, Self.offset(used))
      for index in 0..<used {
        let offset = Self.offset(index)
        let (high, rest) = (bytes.word64(at: offset), bytes.word32(at: offset + 8))
        list.append(Entry(high: high, rest: rest >> tagBits, tag: rest & ~(~0 << tagBits)))
      }
      extent = before(extent)
      used = Self.room
    }
  }

  package mutating func replace(_ partition: Int, by list: [Entry]) {
    var extent = tails[partition].extent
    while extent >= 0 {
      let before = before(extent)
      free.append(extent)
      extentCount -= 1
      extent = before
    }
    tails[partition] = Tail()
    for entry in list { append(entry.high, entry.rest << tagBits | entry.tag, to: partition) }
  }
}

/// Finds the digests of a partition that occur more than once. Not for two threads at once.
package struct RepeatedDigests: ~Copyable {
  /// 1 + the index of an entry, 0 = free; at most half of them are used.
  private var slots = SlotTable<UInt32>(repeating: 0, count: 1 << 12)

  package init() {}

  /// Removes all but one of equal entries from `list`, and calls `found` with each removed one.
  /// With `ranks`, a number for each tag, entries are equal across tags, and the one whose tag has
  /// the lowest rank is kept.
  package mutating func remove(
    from list: inout [DigestLog.Entry], ranks: [UInt32]? = nil, _ found: (DigestLog.Entry) -> Void
  ) {
    precondition(list.count < 1 << 31, "a partition of ids has more entries than can be numbered")
    if slots.count < 2 * list.count {
      let bits = Int.bitWidth - (2 * list.count - 1).leadingZeroBitCount
      slots = SlotTable(repeating: 0, count: 1 << bits)
    } else {
      slots.fill(with: 0)
    }
    let kept: Int
    if let ranks {
      kept = keep(
        &list, isSame: { $0.high == $1.high && $0.rest == $1.rest },
        isBetter: { ranks[Int($0.tag)] < ranks[Int($1.tag)] }, found)
    } else {
      kept = keep(&list, isSame: { $0 == $1 }, isBetter: { _, _ in false }, found)
    }
    list.removeLast(list.count - kept)
  }

  /// Moves the first of equal entries, or a better one, to the front; returns their number.
  @inline(__always) private func keep(
    _ list: inout [DigestLog.Entry], isSame: (DigestLog.Entry, DigestLog.Entry) -> Bool,
    isBetter: (DigestLog.Entry, DigestLog.Entry) -> Bool, _ found: (DigestLog.Entry) -> Void
  ) -> Int {
    var list = list.mutableSpan
    var kept = 0
    for index in list.indices {
      let entry = list[index]
      let slot = slots.position(from: Int(truncatingIfNeeded: entry.high)) {
        $0 == 0 || isSame(list[Int($0) - 1], entry)
      }
      if slots[slot] == 0 {
        list[kept] = entry
        kept += 1
        slots[slot] = UInt32(truncatingIfNeeded: kept)
      } else {
        let position = Int(slots[slot]) - 1
        let other = list[position]
        let replaces = isBetter(entry, other)
        found(replaces ? other : entry)
        if replaces { list[position] = entry }
      }
    }
    return kept
  }
}
