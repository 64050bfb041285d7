/// Growable bytes with one owner.
///
/// ```
/// base                    base + count              base + capacity
///  | bytes written so far  | uninitialised           |
/// ```
/// Invariant: `0 <= count <= capacity`, and `capacity` bytes at `base` belong to this buffer.
/// Views made from it are valid until the next append, removal or the end of its life.
/// Not for two threads at once.
@safe @frozen @usableFromInline
package struct ByteBuffer: ~Copyable, @unchecked Sendable {
  // @unchecked because a buffer is the only owner of its bytes, and changes them only while it has
  // a single user.
  @usableFromInline var base: UnsafeMutablePointer<UInt8>
  @usableFromInline var used: Int
  @usableFromInline var capacity: Int

  /// An empty buffer with capacity for `capacity` bytes.
  @inlinable
  package init(capacity: Int = 256) {
    precondition(capacity >= 0, "a buffer cannot have a negative capacity")
    self.capacity = max(capacity, 16)
    unsafe base = UnsafeMutablePointer<UInt8>.allocate(capacity: self.capacity)
    used = 0
  }

  /// A buffer with the bytes of `text`.
  package init(text: String) {
    self.init(capacity: text.utf8.count)
    append(text: text)
  }

  @inlinable
  deinit { unsafe base.deallocate() }

  /// Number of bytes written.
  @inlinable package var count: Int { used }

  /// Whether nothing was written.
  @inlinable package var isEmpty: Bool { used == 0 }

  /// The bytes written so far; valid until the buffer changes.
  @inlinable
  package var view: ByteView { unsafe ByteView(base: UnsafePointer(base), count: used) }

  /// The bytes of `range`; valid until the buffer changes.
  @inlinable
  package subscript(range: Range<Int>) -> ByteView { view[range] }

  /// The byte at `index`.
  @inlinable
  package subscript(index: Int) -> UInt8 {
    get { view[index] }
    set {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: used), "index outside the buffer")
      unsafe base[index] = newValue
    }
  }

  /// Removes the bytes and keeps the capacity.
  @inlinable package mutating func removeAll() { used = 0 }

  /// Removes the bytes from `count` on.
  @inlinable
  package mutating func truncate(to count: Int) {
    precondition(count >= 0 && count <= used, "cannot truncate to more than there is")
    used = count
  }

  /// Reserves capacity for `extra` more bytes. Complexity: amortised O(1) per byte appended.
  @inlinable
  package mutating func reserve(_ extra: Int) {
    if capacity - used < extra { grow(extra) }
  }

  @usableFromInline @inline(never)
  mutating func grow(_ extra: Int) {
    let needed = used + extra
    let larger = max(needed, capacity * 2)
    let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    unsafe moved.update(from: base, count: used)
    unsafe base.deallocate()
    unsafe base = moved
    capacity = larger
  }

  /// Releases capacity above `limit` bytes, when the buffer is empty and larger than that.
  package mutating func shrink(to limit: Int) {
    guard used == 0, capacity > limit else { return }
    unsafe base.deallocate()
    capacity = max(limit, 16)
    unsafe base = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
  }

  /// Appends one byte.
  @inlinable
  package mutating func append(_ byte: UInt8) {
    if used == capacity { grow(1) }
    unsafe base[used] = byte
    used += 1
  }

  /// Appends the bytes of `view`; traps when the buffer must grow and `view` shows its own bytes.
  @inlinable
  package mutating func append(_ view: ByteView) {
    if capacity - used < view.count {
      precondition(!holds(view), "a view of a buffer cannot be appended to the buffer it moves")
      grow(view.count)
    }
    unsafe (base + used).update(from: view.base, count: view.count)
    used += view.count
  }

  /// Appends up to `room` bytes that `write` writes at the pointer; it returns their number.
  @unsafe @inlinable @inline(__always)
  package mutating func append(room: Int, _ write: (_ start: UnsafeMutablePointer<UInt8>) -> Int) {
    reserve(room)
    let count = unsafe write(base + used)
    precondition(UInt(bitPattern: count) <= UInt(bitPattern: room), "more was written than fits")
    used += count
  }

  /// Whether `view` begins among this buffer's bytes.
  @inlinable
  func holds(_ view: ByteView) -> Bool {
    let distance = unsafe UInt(bitPattern: view.base) &- UInt(bitPattern: base)
    return distance < UInt(bitPattern: capacity)
  }

  /// Appends the UTF-8 of `scalar`.
  @inlinable
  package mutating func append(_ scalar: Unicode.Scalar) {
    for byte in scalar.utf8 { append(byte) }
  }

  /// Appends the bytes of an array.
  package mutating func append(contentsOf bytes: [UInt8]) {
    reserve(bytes.count)
    unsafe bytes.withUnsafeBufferPointer { source in
      if let start = source.baseAddress {
        unsafe (base + used).update(from: start, count: source.count)
      }
    }
    used += bytes.count
  }

  /// Appends constant text.
  @inlinable @_disfavoredOverload
  package mutating func append(_ literal: StaticString) { append(ByteView(literal)) }

  /// Appends the UTF-8 of `text`. Not for the hot path.
  package mutating func append(text: String) {
    for byte in text.utf8 { append(byte) }
  }

  /// Appends the eight bytes of `word`, little-endian.
  @inlinable
  package mutating func append(word64 word: UInt64) {
    reserve(8)
    // SAFETY: the line above reserved eight bytes.
    unsafe UnsafeMutableRawPointer(base + used).storeBytes(of: word.littleEndian, as: UInt64.self)
    used += 8
  }

  /// Appends the eight bytes of each of `words`, little-endian.
  package mutating func append(words64 words: [UInt64]) {
    reserve(8 * words.count)
    unsafe words.withUnsafeBytes { source in
      // SAFETY: the line above reserved the bytes. Every supported machine is little-endian.
      if let start = source.baseAddress {
        unsafe UnsafeMutableRawPointer(base + used).copyMemory(from: start, byteCount: source.count)
      }
    }
    used += 8 * words.count
  }

  /// Appends the four bytes of `word`, little-endian.
  @inlinable
  package mutating func append(word32 word: UInt32) {
    reserve(4)
    // SAFETY: the line above reserved four bytes.
    unsafe UnsafeMutableRawPointer(base + used).storeBytes(of: word.littleEndian, as: UInt32.self)
    used += 4
  }

  /// Replaces the four bytes from `offset` on by those of `word`, little-endian.
  @inlinable
  package mutating func replace(word32 word: UInt32, at offset: Int) {
    precondition(offset >= 0 && offset <= used &- 4, "word outside the buffer")
    // SAFETY: the line above checked that there are four bytes.
    unsafe UnsafeMutableRawPointer(base + offset).storeBytes(
      of: word.littleEndian, as: UInt32.self)
  }

  /// Appends up to `room` bytes that `fill` writes; it returns their number.
  @inlinable
  package mutating func append<Failure: Error>(
    room: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) {
    reserve(room)
    let written = try unsafe fill(UnsafeMutableRawBufferPointer(start: base + used, count: room))
    precondition(written >= 0 && written <= room, "more was written than there was room for")
    used += written
  }

  /// Writes `room` bytes after the content, at least one, without counting them: `first` and zeros.
  package mutating func pad(_ room: Int, with first: UInt8) {
    reserve(room)
    // SAFETY: the line above reserved the bytes.
    unsafe (base + used).initialize(repeating: 0, count: room)
    unsafe base[used] = first
  }

  /// Whether `first` follows the content, and there are `room` bytes after it.
  func isPadded(_ room: Int, with first: UInt8) -> Bool {
    // SAFETY: there is a byte after the content.
    unsafe capacity - used >= room && base[used] == first
  }

  /// Appends `value` in decimal.
  @inlinable
  package mutating func append(decimal value: Int) {
    if value < 0 { append(UInt8(ascii: "-")) }
    let magnitude = UInt64(value.magnitude)
    guard magnitude >= 10 else { return append(UInt8(ascii: "0") + UInt8(magnitude)) }
    // Written from the front in groups of eight digits, the first one without its zeros.
    let (high, low) = magnitude.quotientAndRemainder(dividingBy: 100_000_000)
    if high == 0 { return append(digits: low) }
    let (highest, middle) = high.quotientAndRemainder(dividingBy: 100_000_000)
    if highest == 0 {
      append(digits: middle)
    } else {
      append(digits: highest)
      append(word64: DecimalDigits.eight(middle))
    }
    append(word64: DecimalDigits.eight(low))
  }

  /// Appends a number from 1 to 99,999,999 in decimal.
  @inlinable
  mutating func append(digits number: UInt64) {
    let word = DecimalDigits.eight(number)
    let zeros = (word ^ DecimalDigits.zeros).trailingZeroBitCount / 8
    reserve(8)
    // SAFETY: the line above reserved eight bytes.
    unsafe UnsafeMutableRawPointer(base + used).storeBytes(
      of: (word >> UInt64(zeros * 8)).littleEndian, as: UInt64.self)
    used += 8 - zeros
  }
}
