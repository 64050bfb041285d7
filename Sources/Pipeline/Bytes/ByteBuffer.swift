/// Growable bytes with one owner; views of it are valid until it changes or ends.
@usableFromInline package typealias ByteBuffer = PlainList<UInt8>

extension ByteBuffer {
  package init(text: String) {
    self.init(capacity: text.utf8.count)
    append(text: text)
  }

  /// The bytes of `range`; valid until the buffer changes.
  @inlinable package subscript(range: Range<Int>) -> ByteView { view[range] }

  @inlinable package mutating func append(_ scalar: Unicode.Scalar) {
    for byte in scalar.utf8 { append(byte) }
  }

  package mutating func append(contentsOf bytes: [UInt8]) { ByteView.with(bytes) { append($0) } }

  @inlinable @_disfavoredOverload
  package mutating func append(_ literal: StaticString) { append(ByteView(literal)) }

  /// Appends the UTF-8 of `text`. Not for the hot path.
  package mutating func append(text: String) { for byte in text.utf8 { append(byte) } }

  // Words are little-endian.
  @inlinable package mutating func append(word64 word: UInt64) { append(word, length: 8) }
  @inlinable package mutating func append(word32 word: UInt32) { append(word, length: 4) }

  /// Writes `room` bytes after the content, at least one, without counting them: `first` and zeros.
  package mutating func pad(_ room: Int, with first: UInt8) {
    let count = count
    append(first)
    for _ in 1..<room { append(0) }
    truncate(to: count)
  }

  @inlinable package mutating func append(decimal value: Int) {
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
  @inlinable mutating func append(digits number: UInt64) {
    let word = DecimalDigits.eight(number)
    let zeros = (word ^ DecimalDigits.zeros).trailingZeroBitCount / 8
    append(word >> UInt64(zeros * 8), length: 8 - zeros)
  }
}
