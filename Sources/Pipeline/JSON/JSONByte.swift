/// The bytes with a meaning in JSON text.
@usableFromInline package enum JSONByte {
  @inlinable package static var tab: UInt8 { 0x09 }
  @inlinable package static var lineFeed: UInt8 { 0x0A }
  @inlinable package static var carriageReturn: UInt8 { 0x0D }
  @inlinable package static var space: UInt8 { 0x20 }
  @inlinable package static var quote: UInt8 { 0x22 }
  @inlinable package static var plus: UInt8 { 0x2B }
  @inlinable package static var comma: UInt8 { 0x2C }
  @inlinable package static var minus: UInt8 { 0x2D }
  @inlinable package static var point: UInt8 { 0x2E }
  @inlinable package static var zero: UInt8 { 0x30 }
  @inlinable package static var colon: UInt8 { 0x3A }
  @inlinable package static var openBracket: UInt8 { 0x5B }
  @inlinable package static var backslash: UInt8 { 0x5C }
  @inlinable package static var closeBracket: UInt8 { 0x5D }
  @inlinable package static var n: UInt8 { 0x6E }
  @inlinable package static var t: UInt8 { 0x74 }
  @inlinable package static var u: UInt8 { 0x75 }
  @inlinable package static var openBrace: UInt8 { 0x7B }
  @inlinable package static var closeBrace: UInt8 { 0x7D }

  /// The letters of short escapes, and what they stand for; a slash needs none when it is written.
  static var escapes: ByteView { "\"\\nrtbf/" }
  static var escaped: ByteView { "\"\\\n\r\t\u{8}\u{C}/" }

  /// `""` and `null`, as little-endian words.
  @inlinable package static var quotes: UInt32 { UInt32(quote) | UInt32(quote) << 8 }
  @inlinable package static var null: UInt32 { 0x6C6C_756E }
  /// `":`, as a little-endian word.
  @inlinable package static var quoteAndColon: UInt16 { UInt16(quote) | UInt16(colon) << 8 }

  /// Space, tab, line feed, carriage return.
  @inlinable @inline(__always) package static func isSpace(_ byte: UInt8) -> Bool {
    byte == space || byte == tab || byte == carriageReturn || byte == lineFeed
  }

  /// The value of a hexadecimal digit of either case, or nil.
  package static func hexValue(_ byte: UInt8) -> UInt32? {
    switch byte {
    case 0x30...0x39: UInt32(byte) - 0x30
    case 0x41...0x46: UInt32(byte) - 0x41 + 10
    case 0x61...0x66: UInt32(byte) - 0x61 + 10
    default: nil
    }
  }
}
