/// Bytes in chunks of 1 MiB that never move: growing copies nothing, so gigabytes of them have no
/// moment in which they exist twice. Those of one call of ``add(_:)`` are contiguous; they hold any
/// bits until they are written.
///
/// Invariant: an access is within bytes that were added together, which is checked. Not for two
/// threads at once, except reading.
@safe @frozen @usableFromInline
struct ByteChunks: ~Copyable {
  @usableFromInline static var bits: Int { 20 }
  /// Bytes of a chunk.
  @inlinable static var size: Int { 1 << bits }

  /// Start of each chunk.
  @usableFromInline var starts: [UnsafeMutablePointer<UInt8>] = unsafe []
  /// The allocations: the first chunk of each.
  @usableFromInline var blocks: [UnsafeMutablePointer<UInt8>] = unsafe []

  /// No bytes; allocates on first use.
  @inlinable
  init() {}

  @inlinable
  deinit {
    for index in unsafe blocks.indices { unsafe blocks[index].deallocate() }
  }

  /// Adds `length` bytes or more, whole chunks of them; returns their addresses.
  @usableFromInline @inline(never)
  mutating func add(_ length: Int) -> Range<Int> {
    let first = unsafe starts.count << Self.bits
    let chunks = (length + Self.size - 1) >> Self.bits
    // Aligned to the two cache lines that processors fetch together.
    let block = unsafe UnsafeMutableRawPointer.allocate(
      byteCount: chunks << Self.bits, alignment: 128
    ).bindMemory(to: UInt8.self, capacity: chunks << Self.bits)
    unsafe blocks.append(block)
    for chunk in 0..<chunks { unsafe starts.append(block + chunk << Self.bits) }
    return first..<first + chunks << Self.bits
  }

  /// Where `length` bytes begin at `address`; traps unless they were added together.
  @unsafe @inlinable @inline(__always)
  func start(of address: Int, _ length: Int) -> UnsafeMutablePointer<UInt8> {
    let offset = address & (Self.size - 1)
    let end = UInt(bitPattern: offset &+ length)
    precondition(
      end <= UInt(bitPattern: Self.size) || areTogether(address, length),
      "bytes that were not added together")
    return unsafe starts[address >> Self.bits] + offset
  }

  @usableFromInline @inline(never)
  func areTogether(_ address: Int, _ length: Int) -> Bool {
    let (first, last) = (address >> Self.bits, (address + length - 1) >> Self.bits)
    return unsafe length > 0 && starts[last] - starts[first] == (last - first) << Self.bits
  }

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

  /// Overwrites the bytes from `address` on by those of `value`.
  @inlinable
  func write<Value: BitwiseCopyable>(_ value: Value, at address: Int) {
    unsafe UnsafeMutableRawPointer(start(of: address, MemoryLayout<Value>.size))
      .storeBytes(of: value, as: Value.self)
  }
}
