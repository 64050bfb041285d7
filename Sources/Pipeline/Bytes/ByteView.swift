public import CSIMD

/// A borrowed, read-only range of bytes.
///
/// Invariants: `base` points to at least `count` readable, initialised bytes. Their owner (a
/// ``Block``, a ``ByteBuffer``, an array during a closure) outlives the view, and does not move or
/// change them while the view is used. A wrong index traps.
@safe @frozen @usableFromInline package struct ByteView: @unchecked Sendable {
  // @unchecked because of the second invariant: viewed bytes are only read.
  @usableFromInline let base: UnsafePointer<UInt8>
  @usableFromInline package let count: Int

  /// A view of `count` bytes at `base`; the caller guarantees the invariants above.
  @unsafe @inlinable package init(base: UnsafePointer<UInt8>, count: Int) {
    precondition(count >= 0, "a view cannot have a negative length")
    unsafe self.base = base
    self.count = count
  }

  @inlinable package init(_ literal: StaticString) {
    unsafe base = literal.utf8Start
    count = literal.utf8CodeUnitCount
  }

  @inlinable package var isEmpty: Bool { count == 0 }

  @inlinable package subscript(index: Int) -> UInt8 {
    precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "index outside the view")
    return unsafe base[index]
  }

  /// The bytes from `start` up to `end`, both relative to this view.
  @inlinable package subscript(range: Range<Int>) -> ByteView {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "range outside the view")
    return unsafe ByteView(base: base + range.lowerBound, count: range.count)
  }

  @inlinable package func dropFirst(_ start: Int) -> ByteView { self[start..<count] }

  /// The 8 bytes at `offset` as a little-endian word.
  @inlinable package func word64(at offset: Int) -> UInt64 {
    unsafe UnsafeRawPointer(start(of: 8, at: offset)).loadUnaligned(as: UInt64.self).littleEndian
  }

  @inlinable package func word32(at offset: Int) -> UInt32 {
    unsafe UnsafeRawPointer(start(of: 4, at: offset)).loadUnaligned(as: UInt32.self).littleEndian
  }

  /// The first eight bytes as a little-endian word; missing ones are zero.
  @inlinable package var head64: UInt64 {
    @inline(__always) get {
      if count >= 8 { return word64(at: 0) }
      let bits = UInt64(truncatingIfNeeded: count &* 8)
      if count >= 4 {
        // The first four and the last four, which may overlap.
        return UInt64(word32(at: 0)) | UInt64(word32(at: count &- 4)) &<< (bits &- 32)
      }
      if count == 0 { return 0 }
      // The first, the middle and the last, which may be the same.
      return UInt64(self[0]) | UInt64(self[count &>> 1]) &<< (bits &>> 1 & 8)
        | UInt64(self[count &- 1]) &<< (bits &- 8)
    }
  }

  @inlinable package static func == (a: ByteView, b: ByteView) -> Bool {
    a.count == b.count && (unsafe csimd_compare(a.base, b.base, a.count)) == 0
  }

  package static func == (view: ByteView, bytes: [UInt8]) -> Bool { with(bytes) { view == $0 } }

  /// The byte order used everywhere: unsigned bytes, a prefix first.
  @inlinable package static func < (a: ByteView, b: ByteView) -> Bool {
    // SAFETY: neither view is empty. Most texts differ in the first byte.
    if a.count > 0, b.count > 0, unsafe a.base[0] != b.base[0] {
      return unsafe a.base[0] < b.base[0]
    }
    let order = unsafe csimd_compare(a.base, b.base, min(a.count, b.count))
    return order != 0 ? order < 0 : a.count < b.count
  }

  @inlinable package func starts(with prefix: ByteView) -> Bool {
    count >= prefix.count && (unsafe csimd_compare(base, prefix.base, prefix.count)) == 0
  }

  /// The position of the first `byte`, or nil. O(`count`), as other searches, many bytes at a time.
  @inlinable package func firstIndex(of byte: UInt8) -> Int? {
    guard let found = unsafe csimd_find(base, byte, count) else { return nil }
    return unsafe found - base
  }

  package func lastIndex(of byte: UInt8) -> Int? {
    guard let found = unsafe csimd_find_last(base, byte, count) else { return nil }
    return unsafe found - base
  }

  var lineFeeds: Int { unsafe csimd_count_newlines(base, count) }

  /// The position of the first byte from `start` on that hints at the magic bytes of a compression,
  /// as their first or fourth; text may have such bytes, too.
  func magicHint(from start: Int) -> Int? {
    let rest = dropFirst(start)
    let hint = unsafe csimd_find_magic_hint(rest.base, rest.count)
    return hint < rest.count ? start + hint : nil
  }

  @inlinable package func contains(_ pattern: ByteView) -> Bool {
    unsafe csimd_contains(base, count, pattern.base, pattern.count)
  }

  /// Calls `body` with a view, valid during the call.
  package static func with<Result>(_ text: String, _ body: (ByteView) -> Result) -> Result {
    var text = text
    return text.withUTF8 { bytes in
      guard let base = bytes.baseAddress else { return body("") }
      // SAFETY: the text's bytes do not move during the closure.
      return unsafe body(ByteView(base: base, count: bytes.count))
    }
  }

  package static func with<Result>(_ bytes: [UInt8], _ body: (ByteView) -> Result) -> Result {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return body("") }
      // SAFETY: the bytes do not move during the closure.
      return unsafe body(ByteView(base: base, count: bytes.count))
    }
  }

  /// A copy. Allocates: not for the hot path.
  package var array: [UInt8] { unsafe Array(UnsafeBufferPointer(start: base, count: count)) }

  /// The text, with U+FFFD for invalid UTF-8. Allocates: not for the hot path.
  package var text: String {
    unsafe String(decoding: UnsafeBufferPointer(start: base, count: count), as: UTF8.self)
  }
}

/// Tests of 16 or 64 bytes at a time, as bits: bit i is the byte at `position` + i. Traps unless
/// the view has as many bytes there.
extension ByteView {
  @unsafe @inlinable @inline(__always)
  func start(of length: Int, at position: Int) -> UnsafePointer<UInt8> {
    precondition(position >= 0 && position <= count &- length, "bytes outside the view")
    return unsafe base + position
  }

  /// Which of the 16 bytes are quotes, backslashes or control characters.
  @inlinable @inline(__always) func stringStops16(at position: Int) -> UInt32 {
    unsafe csimd_string_stops16(start(of: 16, at: position))
  }

  /// Which of the 16 bytes are hexadecimal digits, hyphens, and small letters among the digits.
  @inlinable @inline(__always)
  func hex16(at position: Int) -> (digits: UInt32, hyphens: UInt32, lower: UInt32) {
    var (hyphens, lower): (UInt32, UInt32) = (0, 0)
    let digits = unsafe csimd_hex16(start(of: 16, at: position), &hyphens, &lower)
    return (digits, hyphens, lower)
  }

  /// How many of the first bytes are ASCII. Complexity: O(``count``).
  var asciiLength: Int { unsafe csimd_ascii(base, count) }

  /// How many of the first bytes are well-formed UTF-8. Complexity: O(``count``).
  package var utf8Length: Int { unsafe csimd_utf8(base, count) }

  /// The length of the well-formed sequence at `position`, which is in the view; 0 for none.
  func sequenceLength(at position: Int) -> Int {
    unsafe csimd_utf8_sequence(start(of: 1, at: position), count - position)
  }
}

/// Bytes for a reader that has checked that they end with something it does not pass. Only a debug
/// build checks each position.
///
/// Invariant: the reader is not used after the bytes end, and asks only for bytes that can be read.
@safe @frozen @usableFromInline struct UncheckedBytes: BitwiseCopyable {
  @usableFromInline let base: UnsafePointer<UInt8>
  #if DEBUG
    @usableFromInline let readable: Int
  #endif

  @unsafe init(_ view: ByteView, padding: Int = 0) {
    unsafe base = view.base
    #if DEBUG
      readable = view.count + padding
    #endif
  }

  @unsafe @inlinable @inline(__always)
  func start(of length: Int, at position: Int) -> UnsafePointer<UInt8> {
    #if DEBUG
      precondition(position >= 0 && position + length <= readable, "bytes outside the source")
    #endif
    return unsafe base + position
  }

  @inlinable subscript(position: Int) -> UInt8 {
    @inline(__always) get { unsafe start(of: 1, at: position).pointee }
  }

  @inlinable @inline(__always) func view(from first: Int, to end: Int) -> ByteView {
    unsafe ByteView(base: start(of: end &- first, at: first), count: end &- first)
  }

  @inlinable @inline(__always) func word<Word: FixedWidthInteger & BitwiseCopyable>(
    at position: Int, as type: Word.Type = UInt64.self
  ) -> Word {
    unsafe UnsafeRawPointer(start(of: Word.bitWidth / 8, at: position))
      .loadUnaligned(as: type).littleEndian
  }

  /// Which of the 16 bytes are quotes, backslashes or control characters.
  @inlinable @inline(__always) func stringStops16(at position: Int) -> UInt32 {
    unsafe csimd_string_stops16(start(of: 16, at: position))
  }

  @inlinable @inline(__always)
  func quotes32(at position: Int) -> UInt32 { unsafe csimd_quotes32(start(of: 32, at: position)) }

  /// Which of the 64 bytes are control characters, quotes and backslashes.
  @inlinable @inline(__always)
  func stringParts64(at position: Int) -> (controls: UInt64, quotes: UInt64, backslashes: UInt64) {
    var (quotes, backslashes): (UInt64, UInt64) = (0, 0)
    let bytes = unsafe start(of: 64, at: position)
    let controls = unsafe csimd_string_parts64(bytes, &quotes, &backslashes)
    return (controls, quotes, backslashes)
  }

  /// Whether there is a backslash or a control character among the `length` bytes, at least 32.
  @inlinable @inline(__always) func hasSpecials(_ length: Int, at position: Int) -> Bool {
    unsafe csimd_has_specials(start(of: length, at: position), length)
  }
}

extension ByteView: Equatable, Comparable, ExpressibleByStringLiteral {
  @inlinable package init(stringLiteral literal: StaticString) { self.init(literal) }
}
