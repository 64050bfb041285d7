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
/// ```
/// line n = chunks[n / linesPerChunk] + n % linesPerChunk * 64
/// ```
/// Lines never move, so a view stays valid until its extent is freed. An extent is a freed one of
/// its size class (the first word of a free extent is the number of the next one), or is cut from a
/// greater free extent or a new chunk. At most a fifth of it exceeds the requested size.
///
/// Invariants: the lines of an extent are in one allocation; no line belongs to two extents.
/// Not for two threads at once, except reading.
@safe @frozen @usableFromInline
package struct ExtentArena: ~Copyable {
  /// Bytes of a line: what the processor fetches at a time.
  @inlinable package static var lineSize: Int { 64 }
  /// The longest extent in bytes.
  @inlinable package static var maximumLength: Int { Int(UInt32.max) / 4 * 3 }
  /// Lines of a chunk, a power of two (1 MiB).
  @usableFromInline static var linesPerChunk: Int { 1 << 14 }

  /// Start of each chunk; the chunks of a long extent are contiguous in memory.
  @usableFromInline var chunks: [UnsafeMutableRawPointer] = unsafe []
  /// The allocations: the first chunk of each block.
  @usableFromInline var blocks: [UnsafeMutableRawPointer] = unsafe []
  /// Per size class the first line of the most recently freed extent, or the greatest number.
  @usableFromInline var free = [UInt32](repeating: .max, count: Extent.classCount)
  /// The lines that extents are cut from.
  @usableFromInline var unused = 0..<0

  /// An empty arena; allocates on first use.
  @inlinable
  package init() {}

  @inlinable
  deinit {
    for index in unsafe blocks.indices { unsafe blocks[index].deallocate() }
  }

  /// Bytes allocated so far.
  package var footprint: Int { unsafe chunks.count * Self.linesPerChunk * Self.lineSize }

  /// Allocates an extent of at least `bytes` bytes, not initialised. Complexity: O(1).
  @inlinable
  package mutating func allocate(_ bytes: Int) -> Extent {
    precondition(bytes <= Self.maximumLength, "an extent has at most 3 GiB")
    let sizeClass = Extent.sizeClass(lines: (bytes + Self.lineSize - 1) / Self.lineSize)
    let first = free[Int(sizeClass)]
    if first != .max {
      // SAFETY: a free extent has at least one line, and its first word is of this arena.
      free[Int(sizeClass)] = unsafe start(of: first).load(as: UInt32.self)
      return Extent(line: first, sizeClass: sizeClass)
    }
    let lines = Extent.lines(ofClass: sizeClass)
    if unused.count < lines { findUnused(lines, sizeClass) }
    let line = unused.lowerBound
    unused = line + lines..<unused.upperBound
    return Extent(line: UInt32(truncatingIfNeeded: line), sizeClass: sizeClass)
  }

  /// Frees an extent; its bytes must not be used any more. Complexity: O(1).
  @inlinable
  package mutating func free(_ extent: Extent) {
    if extent.isNone { return }
    // SAFETY: the extent is of this arena and has at least one line.
    unsafe start(of: extent.line).storeBytes(of: free[Int(extent.sizeClass)], as: UInt32.self)
    free[Int(extent.sizeClass)] = extent.line
  }

  /// The first `count` bytes of an extent, which must have been written; valid until it is freed.
  @inlinable
  package subscript(extent: Extent, count: Int) -> ByteView {
    precondition(count <= extent.capacity, "more bytes than the extent has")
    if count == 0 { return ByteView("") }
    // SAFETY: the extent is within one block, and lines do not move.
    return unsafe ByteView(
      base: UnsafePointer(start(of: extent.line).assumingMemoryBound(to: UInt8.self)),
      count: count)
  }

  /// Writes two words at `offset` of an extent, followed by `bytes`.
  @inlinable
  package func write(
    _ words: (UInt64, UInt64), _ bytes: ByteView, to extent: Extent, at offset: Int
  ) {
    precondition(
      offset >= 0 && offset + 16 + bytes.count <= extent.capacity, "no room in the extent")
    // SAFETY: the line above checked the capacity; views never point into unused bytes.
    let start = unsafe start(of: extent.line) + offset
    unsafe start.storeBytes(of: words.0.littleEndian, as: UInt64.self)
    unsafe start.storeBytes(of: words.1.littleEndian, toByteOffset: 8, as: UInt64.self)
    unsafe (start + 16).copyMemory(from: bytes.base, byteCount: bytes.count)
  }

  /// Writes `bytes` at `offset` of an extent. Complexity: O(`bytes.count`).
  @inlinable
  package func write(_ bytes: ByteView, to extent: Extent, at offset: Int) {
    precondition(offset >= 0 && offset + bytes.count <= extent.capacity, "no room in the extent")
    // SAFETY: the line above checked the capacity; views never point into unused bytes.
    unsafe (start(of: extent.line) + offset).copyMemory(from: bytes.base, byteCount: bytes.count)
  }

  /// Writes a word at `offset` of an extent.
  @inlinable
  package func write(_ word: UInt64, to extent: Extent, at offset: Int) {
    precondition(offset >= 0 && offset + 8 <= extent.capacity, "no room in the extent")
    // SAFETY: the line above checked the capacity.
    unsafe start(of: extent.line).storeBytes(
      of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
  }

  /// Prefetches the two lines of `extent` from the one at `offset` on.
  @inlinable
  package func prefetch(_ extent: Extent, at offset: Int) {
    if extent.isNone || offset >= extent.capacity { return }
    unsafe Pipeline.prefetch(start(of: extent.line) + offset)
    unsafe Pipeline.prefetch(start(of: extent.line) + offset + Self.lineSize)
  }

  @unsafe @inlinable
  func start(of line: UInt32) -> UnsafeMutableRawPointer {
    unsafe chunks[Int(line) / Self.linesPerChunk] + Int(line) % Self.linesPerChunk * Self.lineSize
  }

  /// Makes at least `lines` unused lines out of a free extent, or out of a new chunk.
  @usableFromInline @inline(never)
  mutating func findUnused(_ lines: Int, _ sizeClass: UInt8) {
    freeUnused()
    for greater in Int(sizeClass) + 1..<Extent.classCount where free[greater] != .max {
      let extent = Extent(line: free[greater], sizeClass: UInt8(truncatingIfNeeded: greater))
      // SAFETY: a free extent has at least one line, and its first word is of this arena.
      free[greater] = unsafe start(of: extent.line).load(as: UInt32.self)
      unused = Int(extent.line)..<Int(extent.line) + extent.lines
      return
    }
    addBlock(lines)
  }

  private mutating func addBlock(_ lines: Int) {
    let count = (lines + Self.linesPerChunk - 1) / Self.linesPerChunk
    let first = unsafe chunks.count * Self.linesPerChunk
    unused = first..<first + count * Self.linesPerChunk
    precondition(unused.upperBound < Int(UInt32.max), "an arena has at most 256 GiB")
    let size = Self.linesPerChunk * Self.lineSize
    let block = UnsafeMutableRawPointer.allocate(byteCount: count * size, alignment: Self.lineSize)
    unsafe blocks.append(block)
    for index in 0..<count { unsafe chunks.append(block + index * size) }
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
