/// Growable bytes with one owner.
///
/// Views made from it are valid until the next append, removal or the end of its life.
/// Not for two threads at once.
@usableFromInline
package typealias ByteBuffer = PlainList<UInt8>

extension ByteBuffer {
  /// A buffer with the bytes of `text`.
  package init(text: String) {
    self.init(capacity: text.utf8.count)
    append(text: text)
  }

  /// The bytes of `range`; valid until the buffer changes.
  @inlinable
  package subscript(range: Range<Int>) -> ByteView { view[range] }

  /// Appends the UTF-8 of `scalar`.
  @inlinable
  package mutating func append(_ scalar: Unicode.Scalar) {
    for byte in scalar.utf8 { append(byte) }
  }

  /// Appends the bytes of an array.
  package mutating func append(contentsOf bytes: [UInt8]) {
    ByteView.with(bytes) { append($0) }
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

  /// Writes `room` bytes after the content, at least one, without counting them: `first` and zeros.
  package mutating func pad(_ room: Int, with first: UInt8) {
    let count = count
    append(first)
    for _ in 1..<room { append(0) }
    truncate(to: count)
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
