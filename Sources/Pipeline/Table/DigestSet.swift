/// A set of 128-bit values that are already well mixed (hashes), in about eleven bytes each.
///
/// ```
/// segment = lowest 16 bits of the low word      2^16 segments, each a small table of its own
/// slot    = the high word (64)                  0 = empty
/// home    = high word * slots of the segment / 2^64, then linear probing
/// ```
/// So 80 bits tell members apart: two values that agree in them are taken for one, whatever the
/// order in which they come. Among n members some two do with a probability of about n² / 2^81:
/// 2^-21 for a billion.
///
/// Segments grow one by one and by a few cache lines, so the set never exists twice, and at least
/// three fifths of its slots are taken once segments are large.
///
/// Invariants: at most four fifths of the slots of a segment are taken, so every probe ends.
/// Not for two threads at once.
@safe @frozen @usableFromInline
package struct DigestSet: ~Copyable {
  /// One of the small tables.
  @frozen @usableFromInline
  struct Segment: BitwiseCopyable {
    @usableFromInline var extent = Extent.none
    @usableFromInline var used: UInt32 = 0

    @usableFromInline
    init() {}

    @inlinable var slots: Int { extent.capacity / 8 }
    @inlinable var isFull: Bool { Int(used) * 5 >= slots * 4 }
  }

  @usableFromInline static var segmentCount: Int { 1 << 16 }

  @usableFromInline var segments: UnsafeMutablePointer<Segment>
  @usableFromInline var arena = ExtentArena()
  @usableFromInline var used = 0

  /// An empty set.
  @inlinable
  package init() {
    unsafe segments = .allocate(capacity: Self.segmentCount)
    unsafe segments.initialize(repeating: Segment(), count: Self.segmentCount)
  }

  @inlinable
  deinit { unsafe segments.deallocate() }

  /// Number of members.
  @inlinable package var count: Int { used }

  /// Bytes allocated so far.
  package var footprint: Int {
    arena.footprint + Self.segmentCount * MemoryLayout<Segment>.stride
  }

  /// Makes the value a member; false when it was one already.
  /// Complexity: O(1) on average.
  @inlinable
  package mutating func insert(low: UInt64, high: UInt64) -> Bool {
    let number = Self.segment(low)
    // SAFETY: a segment's number has 16 bits.
    if unsafe segments[number].isFull { grow(number) }
    let segment = unsafe segments[number]
    let value = Self.stored(high)
    let slots = unsafe arena.start(of: segment.extent.line).assumingMemoryBound(to: UInt64.self)
    let end = segment.slots
    var place = Self.home(value, of: end)
    while true {
      // SAFETY: `place` is kept below `end`, the number of the segment's slots.
      let found = unsafe slots[place]
      if found == value { return false }
      if found == 0 { break }
      place += 1
      if place == end { place = 0 }
    }
    unsafe slots[place] = value
    unsafe segments[number].used += 1
    used += 1
    return true
  }

  /// Asks for what tells where values with this low word are; the first of two steps.
  @inlinable
  package func prefetchSegment(low: UInt64) {
    unsafe Pipeline.prefetch(segments + Self.segment(low))
  }

  /// Asks for the place where the value is found; the second of two steps.
  @inlinable
  package func prefetchSlots(low: UInt64, high: UInt64) {
    let segment = unsafe segments[Self.segment(low)]
    if segment.slots == 0 { return }
    arena.prefetch(segment.extent, at: Self.home(Self.stored(high), of: segment.slots) * 8)
  }

  @inlinable
  static func segment(_ low: UInt64) -> Int { Int(truncatingIfNeeded: low) & (segmentCount - 1) }

  /// The high word as it is kept: never that of an empty slot.
  @inlinable
  static func stored(_ high: UInt64) -> UInt64 { max(high, 1) }

  @inlinable
  static func home(_ value: UInt64, of slots: Int) -> Int {
    Int(truncatingIfNeeded: value.multipliedFullWidth(by: UInt64(slots)).high)
  }

  @usableFromInline @inline(never)
  mutating func grow(_ number: Int) {
    let old = unsafe segments[number]
    let new = arena.allocate((old.slots + old.slots / 8 + 8) * 8)
    let slots = unsafe arena.start(of: new.line).assumingMemoryBound(to: UInt64.self)
    let end = new.capacity / 8
    unsafe slots.initialize(repeating: 0, count: end)
    if old.slots > 0 {
      let source = unsafe arena.start(of: old.extent.line).assumingMemoryBound(to: UInt64.self)
      for index in 0..<old.slots {
        let value = unsafe source[index]
        if value == 0 { continue }
        var place = Self.home(value, of: end)
        // SAFETY: `place` is kept below `end`; there are more slots than values.
        while unsafe slots[place] != 0 { place = place + 1 == end ? 0 : place + 1 }
        unsafe slots[place] = value
      }
      arena.free(old.extent)
    }
    unsafe segments[number].extent = new
  }
}
