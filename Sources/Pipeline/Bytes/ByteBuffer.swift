/// Growable bytes with one owner.
///
/// Views made from it are valid until the next append, removal or the end of its life.
/// Not for two threads at once.
@frozen @usableFromInline
package struct ByteBuffer: ~Copyable, Sendable {
  @usableFromInline static var least: Int { 16 }
  @usableFromInline var bytes: PlainList<UInt8>

  /// An empty buffer with capacity for `capacity` bytes.
  @inlinable
  package init(capacity: Int = 256) { bytes = PlainList(capacity: max(capacity, Self.least)) }

  /// A buffer with the bytes of `text`.
  package init(text: String) {
    self.init(capacity: text.utf8.count)
    append(text: text)
  }

  /// Number of bytes written.
  @inlinable package var count: Int { bytes.count }

  /// Whether nothing was written.
  @inlinable package var isEmpty: Bool { bytes.isEmpty }

  /// The bytes written so far; valid until the buffer changes.
  @inlinable
  package var view: ByteView { unsafe ByteView(base: UnsafePointer(bytes.base), count: count) }

  /// The bytes of `range`; valid until the buffer changes.
  @inlinable
  package subscript(range: Range<Int>) -> ByteView { view[range] }

  /// The byte at `index`.
  @inlinable
  package subscript(index: Int) -> UInt8 {
    get { bytes[index] }
    set { bytes[index] = newValue }
  }

  /// Removes the bytes and keeps the capacity.
  @inlinable package mutating func removeAll() { bytes.removeAll() }

  /// Removes the bytes from `count` on.
  @inlinable package mutating func truncate(to count: Int) { bytes.truncate(to: count) }

  /// Reserves capacity for `extra` more bytes. Complexity: amortised O(1) per byte appended.
  @inlinable package mutating func reserve(_ extra: Int) { bytes.reserve(extra) }

  /// Releases capacity above `limit` bytes, when the buffer is empty and larger than that.
  package mutating func shrink(to limit: Int) { bytes.shrink(to: max(limit, Self.least)) }

  /// Appends one byte.
  @inlinable package mutating func append(_ byte: UInt8) { bytes.append(byte) }

  /// Appends the bytes of `view`; traps when the buffer must grow and `view` shows its own bytes.
  @inlinable
  package mutating func append(_ view: ByteView) {
    unsafe bytes.append(from: view.base, view.count)
  }

  /// Appends up to `room` bytes that `fill` writes; it returns their number.
  @unsafe @inlinable @inline(__always)
  package mutating func append<Failure: Error>(
    room: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) {
    try unsafe bytes.append(room: room) { start throws(Failure) in
      try unsafe fill(UnsafeMutableRawBufferPointer(start: start, count: room))
    }
  }

  /// Whether `view` begins among this buffer's bytes.
  @inlinable
  func holds(_ view: ByteView) -> Bool { unsafe bytes.holds(view.base) }

  /// Appends the UTF-8 of `scalar`.
  @inlinable
  package mutating func append(_ scalar: Unicode.Scalar) {
    for byte in scalar.utf8 { append(byte) }
  }

  /// Appends the bytes of an array.
  package mutating func append(contentsOf bytes: [UInt8]) {
    unsafe bytes.withUnsafeBufferPointer { source in
      if let start = source.baseAddress { unsafe self.bytes.append(from: start, source.count) }
    }
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
  package mutating func append(word64 word: UInt64) { append(word, length: 8) }

  /// Appends the eight bytes of each of `words`, little-endian.
  package mutating func append(words64 words: [UInt64]) {
    reserve(8 * words.count)
    for word in words { append(word64: word) }
  }

  /// Appends the four bytes of `word`, little-endian.
  @inlinable
  package mutating func append(word32 word: UInt32) { append(word, length: 4) }

  /// Appends the lowest `length` bytes of `word`, little-endian.
  @inlinable @inline(__always)
  mutating func append<Word: FixedWidthInteger & BitwiseCopyable>(_ word: Word, length: Int) {
    unsafe bytes.append(room: Word.bitWidth / 8) { start in
      unsafe UnsafeMutableRawPointer(start).storeBytes(of: word.littleEndian, as: Word.self)
      return length
    }
  }

  /// Replaces the four bytes from `offset` on by those of `word`, little-endian.
  @inlinable
  package mutating func replace(word32 word: UInt32, at offset: Int) {
    precondition(offset >= 0 && offset <= count &- 4, "word outside the buffer")
    // SAFETY: the line above checked that there are four bytes.
    unsafe UnsafeMutableRawPointer(bytes.base + offset).storeBytes(
      of: word.littleEndian, as: UInt32.self)
  }

  /// Writes `room` bytes after the content, at least one, without counting them: `first` and zeros.
  package mutating func pad(_ room: Int, with first: UInt8) {
    let count = count
    append(first)
    for _ in 1..<room { append(0) }
    truncate(to: count)
  }

  /// Whether `first` follows the content, and there is capacity for `room` bytes.
  func isPadded(_ room: Int, with first: UInt8) -> Bool {
    // SAFETY: with capacity for a byte after the content it can be read.
    unsafe bytes.capacity - count >= room && bytes.base[count] == first
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
    append(word >> UInt64(zeros * 8), length: 8 - zeros)
  }
}
