/// A range of whole cache lines in an ``ExtentArena``.
@frozen @usableFromInline
package struct Extent: BitwiseCopyable, Sendable {
  /// Number of its first line; the greatest number means no extent.
  @usableFromInline var line: UInt32
  @usableFromInline var sizeClass: UInt8

  @inlinable
  init(line: UInt32, sizeClass: UInt8) {
    self.line = line
    self.sizeClass = sizeClass
  }

  /// No extent; it has no lines.
  @inlinable package static var none: Extent { Extent(line: .max, sizeClass: 0) }

  /// Whether it is ``none``.
  @inlinable package var isNone: Bool { line == .max }

  /// Number of cache lines.
  @inlinable package var lines: Int { isNone ? 0 : Extent.lines(ofClass: sizeClass) }

  /// Capacity in bytes.
  @inlinable package var capacity: Int { lines * ExtentArena.lineSize }

  /// Address of its first byte.
  @inlinable var address: Int { Int(line) * ExtentArena.lineSize }

  /// The extent as one number, for an extent that links to another one.
  @inlinable package var word: UInt64 { UInt64(line) << 8 | UInt64(sizeClass) }

  /// The extent with that ``word``.
  @inlinable
  package init(word: UInt64) {
    line = UInt32(truncatingIfNeeded: word >> 8)
    sizeClass = UInt8(truncatingIfNeeded: word)
  }

  // Sizes in lines: 1 to 8, then four steps to every doubling: 10, 12, 14, 16, 20, 24, …

  /// Number of size classes; the greatest has 2^31 lines.
  @usableFromInline static var classCount: Int { 8 + 4 * 28 }

  @inlinable
  static func lines(ofClass sizeClass: UInt8) -> Int {
    if sizeClass < 8 { return Int(sizeClass) + 1 }
    let step = Int(sizeClass) - 8
    return (step % 4 + 5) << (step / 4 + 1)
  }

  /// The smallest class of at least `lines` lines.
  @inlinable
  static func sizeClass(lines: Int) -> UInt8 {
    if lines <= 8 { return UInt8(truncatingIfNeeded: max(lines, 1) - 1) }
    let last = lines - 1
    let shift = Int.bitWidth - 1 - last.leadingZeroBitCount - 2
    return UInt8(truncatingIfNeeded: 8 + (shift - 1) * 4 + (last >> shift) - 4)
  }
}

/// Memory in extents of whole cache lines, which can be freed and reused.
///
/// A view stays valid until its extent is freed. An extent is a freed one of its size class (the
/// first word of a free extent is the number of the next one), or is cut from a greater free extent
/// or a new chunk. At most a fifth of it exceeds the requested size.
///
/// Invariants: the lines of an extent were added together; no line belongs to two extents.
/// Not for two threads at once, except reading.
@frozen @usableFromInline
package struct ExtentArena: ~Copyable {
  /// Bytes of a line: what the processor fetches at a time.
  @inlinable package static var lineSize: Int { 64 }
  /// The longest extent in bytes.
  @inlinable package static var maximumLength: Int { Int(UInt32.max) / 4 * 3 }

  @usableFromInline var bytes = Chunks<UInt8, 20>()
  /// Per size class the first line of the most recently freed extent, or the greatest number.
  @usableFromInline var free = [UInt32](repeating: .max, count: Extent.classCount)
  /// The lines that extents are cut from.
  @usableFromInline var unused = 0..<0

  /// An empty arena; allocates on first use.
  @inlinable
  package init() {}

  /// Bytes allocated so far.
  package var footprint: Int { bytes.footprint }

  /// Allocates an extent of at least `bytes` bytes, not initialised. Complexity: O(1).
  @inlinable
  package mutating func allocate(_ bytes: Int) -> Extent {
    precondition(bytes <= Self.maximumLength, "an extent has at most 3 GiB")
    let sizeClass = Extent.sizeClass(lines: (bytes + Self.lineSize - 1) / Self.lineSize)
    if let extent = takeFree(sizeClass) { return extent }
    let lines = Extent.lines(ofClass: sizeClass)
    if unused.count < lines { findUnused(lines, sizeClass) }
    let line = unused.lowerBound
    unused = line + lines..<unused.upperBound
    return Extent(line: UInt32(truncatingIfNeeded: line), sizeClass: sizeClass)
  }

  /// The most recently freed extent of a class, if any.
  @inlinable
  mutating func takeFree(_ sizeClass: UInt8) -> Extent? {
    let line = free[Int(sizeClass)]
    if line == .max { return nil }
    let extent = Extent(line: line, sizeClass: sizeClass)
    free[Int(sizeClass)] = bytes.read(at: extent.address)
    return extent
  }

  /// Frees an extent; its bytes must not be used any more. Complexity: O(1).
  @inlinable
  package mutating func free(_ extent: Extent) {
    if extent.isNone { return }
    bytes.write(free[Int(extent.sizeClass)], at: extent.address)
    free[Int(extent.sizeClass)] = extent.line
  }

  /// The first `count` bytes of an extent, which must have been written; valid until it is freed.
  @inlinable
  package subscript(extent: Extent, count: Int) -> ByteView {
    precondition(count <= extent.capacity, "more bytes than the extent has")
    return bytes.view(extent.address, count)
  }

  /// Writes two words at `offset` of an extent, followed by `bytes`.
  @inlinable
  package func write(
    _ words: (UInt64, UInt64), _ bytes: ByteView, to extent: Extent, at offset: Int
  ) {
    self.bytes.write(words, bytes, at: address(of: extent, offset, 16 + bytes.count))
  }

  /// Writes `bytes` at `offset` of an extent. Complexity: O(`bytes.count`).
  @inlinable
  package func write(_ bytes: ByteView, to extent: Extent, at offset: Int) {
    self.bytes.write(bytes, at: address(of: extent, offset, bytes.count))
  }

  /// Writes a word at `offset` of an extent.
  @inlinable
  package func write(_ word: UInt64, to extent: Extent, at offset: Int) {
    bytes.write(word.littleEndian, at: address(of: extent, offset, 8))
  }

  /// The address at `offset` of an extent, where there must be `count` bytes.
  @inlinable
  func address(of extent: Extent, _ offset: Int, _ count: Int) -> Int {
    precondition(offset >= 0 && offset + count <= extent.capacity, "no room in the extent")
    return extent.address + offset
  }

  /// Prefetches the two lines of `extent` from the one at `offset` on.
  @inlinable
  package func prefetch(_ extent: Extent, at offset: Int) {
    if extent.isNone || offset >= extent.capacity { return }
    bytes.prefetch(extent.address + offset)
    bytes.prefetch(extent.address + offset, ahead: Self.lineSize)
  }

  /// Makes at least `lines` unused lines out of a free extent, or out of a new chunk.
  @usableFromInline @inline(never)
  mutating func findUnused(_ lines: Int, _ sizeClass: UInt8) {
    freeUnused()
    for greater in sizeClass + 1..<UInt8(Extent.classCount) {
      guard let extent = takeFree(greater) else { continue }
      unused = Int(extent.line)..<Int(extent.line) + extent.lines
      return
    }
    let added = bytes.add(lines * Self.lineSize)
    unused = added.lowerBound / Self.lineSize..<added.upperBound / Self.lineSize
    precondition(unused.upperBound < Int(UInt32.max), "an arena has at most 256 GiB")
  }

  /// Makes free extents of the unused lines, the greatest possible ones first.
  private mutating func freeUnused() {
    while !unused.isEmpty {
      var sizeClass = Extent.sizeClass(lines: unused.count)
      if Extent.lines(ofClass: sizeClass) > unused.count { sizeClass -= 1 }
      let line = unused.lowerBound
      unused = line + Extent.lines(ofClass: sizeClass)..<unused.upperBound
      free(Extent(line: UInt32(truncatingIfNeeded: line), sizeClass: sizeClass))
    }
  }
}
