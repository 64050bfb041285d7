/// Plain elements in chunks that never move: growing copies nothing, so a table of gigabytes has no
/// moment in which it exists twice.
///
/// ```
/// element n = chunks[n >> bits] + n % 2^bits
/// ```
/// The elements of one call of ``add(_:)`` are contiguous; they hold any bits until they are
/// written.
///
/// Not for two threads at once, except reading.
@safe @frozen @usableFromInline
package struct Chunks<Element: BitwiseCopyable, let bits: Int>: ~Copyable {
  /// The most elements of a table, as many as of a ``HashIndex``.
  @inlinable package static var maximumCount: Int { Int(UInt32.max) - 1 }
  /// Elements of a chunk.
  @inlinable package static var size: Int { 1 << bits }

  /// Start of each chunk.
  @usableFromInline var starts: [UnsafeMutablePointer<Element>] = unsafe []
  /// The allocations: the first chunk of each.
  @usableFromInline var blocks: [UnsafeMutablePointer<Element>] = unsafe []
  /// Elements that were appended or added.
  @usableFromInline package private(set) var count = 0

  /// No elements; allocates on first use.
  @inlinable
  package init() {}

  @inlinable
  deinit {
    for index in unsafe blocks.indices { unsafe blocks[index].deallocate() }
  }

  /// Bytes allocated so far.
  package var footprint: Int { unsafe (starts.count * MemoryLayout<Element>.stride) << bits }

  /// The number the next appended element gets.
  @inlinable package var next: UInt32 { UInt32(truncatingIfNeeded: count) }

  /// Adds `length` elements or more, whole chunks of them; returns their indices.
  @usableFromInline @inline(never)
  mutating func add(_ length: Int) -> Range<Int> {
    let first = unsafe starts.count << bits
    let chunks = (length + Self.size - 1) >> bits
    // Aligned to the two cache lines that processors fetch together.
    let block = unsafe UnsafeMutableRawPointer.allocate(
      byteCount: (chunks * MemoryLayout<Element>.stride) << bits, alignment: 128
    ).bindMemory(to: Element.self, capacity: chunks << bits)
    unsafe blocks.append(block)
    for chunk in 0..<chunks { unsafe starts.append(block + chunk << bits) }
    count = unsafe starts.count << bits
    return first..<count
  }

  /// Appends an element. Complexity: O(1).
  @inlinable
  package mutating func append(_ element: Element) {
    precondition(count < Self.maximumCount, "a table holds at most 4294967294 entries")
    let index = count
    if index & (Self.size - 1) == 0 { _ = add(1) }
    count = index + 1
    unsafe start(of: index).initialize(to: element)
  }

  /// The element with the number `index`.
  @inlinable
  package subscript(index: UInt32) -> Element {
    get {
      precondition(Int(index) < count, "no such entry")
      return unsafe start(of: Int(index)).pointee
    }
    _modify {
      precondition(Int(index) < count, "no such entry")
      yield unsafe &start(of: Int(index)).pointee
    }
  }

  /// Where `length` elements begin at `index`; traps unless they were added together.
  @unsafe @inlinable @inline(__always)
  func start(of index: Int, _ length: Int = 1) -> UnsafeMutablePointer<Element> {
    let offset = index & (Self.size - 1)
    let end = UInt(bitPattern: offset &+ length)
    precondition(
      end <= UInt(bitPattern: Self.size) || areTogether(index, length),
      "elements that were not added together")
    return unsafe starts[index >> bits] + offset
  }

  @usableFromInline @inline(never)
  func areTogether(_ index: Int, _ length: Int) -> Bool {
    let (first, last) = (index >> bits, (index + length - 1) >> bits)
    return unsafe length > 0 && starts[last] - starts[first] == (last - first) << bits
  }
}

/// Bytes by their addresses.
extension Chunks where Element == UInt8 {
  /// `length` bytes, which must have been written; valid until they are overwritten or the chunks
  /// end.
  @inlinable
  func view(_ address: Int, _ length: Int) -> ByteView {
    if length == 0 { return ByteView("") }
    return unsafe ByteView(base: start(of: address, length), count: length)
  }

  /// Overwrites the bytes from `address` on by `bytes`.
  @inlinable
  func write(_ bytes: ByteView, at address: Int) {
    if bytes.count == 0 { return }
    unsafe start(of: address, bytes.count).update(from: bytes.base, count: bytes.count)
  }

  /// Overwrites the bytes from `address` on by two words, little-endian, and `bytes`.
  @inlinable
  func write(_ words: (UInt64, UInt64), _ bytes: ByteView, at address: Int) {
    let start = unsafe UnsafeMutableRawPointer(start(of: address, 16 + bytes.count))
    unsafe start.storeBytes(of: words.0.littleEndian, as: UInt64.self)
    unsafe start.storeBytes(of: words.1.littleEndian, toByteOffset: 8, as: UInt64.self)
    unsafe (start + 16).copyMemory(from: bytes.base, byteCount: bytes.count)
  }

  /// Overwrites the bytes from `address` on by those of `value`.
  @inlinable
  func write<Value: BitwiseCopyable>(_ value: Value, at address: Int) {
    unsafe UnsafeMutableRawPointer(start(of: address, MemoryLayout<Value>.size))
      .storeBytes(of: value, as: Value.self)
  }

  /// The value that was written at `address`.
  @inlinable
  func read<Value: BitwiseCopyable>(at address: Int, as type: Value.Type = Value.self) -> Value {
    unsafe UnsafeRawPointer(start(of: address, MemoryLayout<Value>.size))
      .loadUnaligned(as: Value.self)
  }

  /// The same, to be changed in its place; `address` must be aligned for it.
  @inlinable
  subscript<Value: BitwiseCopyable>(address: Int, as type: Value.Type) -> Value {
    get { read(at: address) }
    nonmutating _modify {
      precondition(address & (MemoryLayout<Value>.alignment - 1) == 0, "not aligned")
      let start = unsafe UnsafeMutableRawPointer(start(of: address, MemoryLayout<Value>.size))
      yield unsafe &start.assumingMemoryBound(to: Value.self).pointee
    }
  }

  /// Prefetches the cache line `distance` bytes after `address`.
  @inlinable
  func prefetch(_ address: Int, ahead distance: Int = 0) {
    unsafe Pipeline.prefetch(start(of: address) + distance)
  }
}
