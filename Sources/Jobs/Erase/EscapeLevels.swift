import Pipeline

/// Unescapes a text level by level: the text itself, the text with its JSON escapes decoded, and so
/// on until nothing is left to decode, as in JSON texts within strings of JSON texts. For one
/// thread.
struct EscapeLevels: ~Copyable {
  /// Number of levels decoded separately. Each level of quotes doubles the length; contrived texts
  /// with more are searched once with all levels decoded.
  private static let most = 32

  private var undone = ByteBuffer()
  private var next = ByteBuffer()

  init() {}

  /// Whether `body` holds for one of the texts. Complexity: O(`text.count`) per level.
  mutating func contains(_ text: ByteView, _ body: (ByteView) -> Bool) -> Bool {
    if body(text) { return true }
    guard text.firstIndex(of: UInt8(ascii: "\\")) != nil,
      Self.undo(text, everything: false, into: &undone)
    else { return false }
    for _ in 0..<Self.most {
      if body(undone.view) { return true }
      guard Self.undo(undone.view, everything: false, into: &next) else { return false }
      swap(&undone, &next)
    }
    _ = Self.undo(text, everything: true, into: &undone)
    return body(undone.view)
  }

  /// Writes a text with its escapes decoded into `out`; false when it has none. With `everything` a
  /// decoded backslash may begin another escape.
  private static func undo(_ text: ByteView, everything: Bool, into out: inout ByteBuffer) -> Bool {
    out.removeAll()
    var isChanged = false
    var isOpen = false
    var position = 0
    while position < text.count || isOpen {
      if !isOpen {
        isOpen = text[position] == UInt8(ascii: "\\")
        if !isOpen { out.append(text[position]) }
        position += 1
      } else if let (scalar, length) = escaped(text, position) {
        isChanged = true
        position += length
        isOpen = everything && scalar == "\\"
        if !isOpen { out.append(scalar) }
      } else {
        out.append(UInt8(ascii: "\\"))
        isOpen = false
      }
    }
    return isChanged
  }

  /// The character after a backslash, and its length in bytes; nil when it is not an escape.
  private static func escaped(
    _ text: ByteView, _ position: Int
  ) -> (scalar: Unicode.Scalar, length: Int)? {
    guard position < text.count else { return nil }
    switch text[position] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
      return (Unicode.Scalar(text[position]), 1)
    case UInt8(ascii: "b"): return ("\u{8}", 1)
    case UInt8(ascii: "f"): return ("\u{C}", 1)
    case UInt8(ascii: "n"): return ("\n", 1)
    case UInt8(ascii: "r"): return ("\r", 1)
    case UInt8(ascii: "t"): return ("\t", 1)
    case UInt8(ascii: "u"):
      guard let unit = unit(text, position + 1) else { return nil }
      if let scalar = Unicode.Scalar(unit) { return (scalar, 5) }
      if unit < 0xDC00, position + 6 < text.count, text[position + 5] == UInt8(ascii: "\\"),
        text[position + 6] == UInt8(ascii: "u"), let second = self.unit(text, position + 7),
        0xDC00...0xDFFF ~= second,
        let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + second - 0xDC00)
      {
        return (scalar, 11)
      }
      return ("\u{FFFD}", 5)
    default: return nil
    }
  }

  /// The value of four hexadecimal digits.
  private static func unit(_ text: ByteView, _ position: Int) -> UInt32? {
    guard position + 4 <= text.count else { return nil }
    var unit: UInt32 = 0
    for index in position..<position + 4 {
      guard let digit = JSONByte.hexValue(text[index]) else { return nil }
      unit = unit << 4 | digit
    }
    return unit
  }
}
