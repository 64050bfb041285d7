import Pipeline

/// Reads the plain items out of the canonical text of an array of strings (`["a","b\n"]`).
final class ArrayText {
  private var plain = ByteBuffer()

  /// The items of `text`, or nil when it is not an array. They are valid until the next call.
  ///
  /// `text` is canonical: no spaces, only strings inside, the shortest escaping (data-model 2).
  /// Anything else traps, because the validator and ``FrameLayout`` reject it. Complexity:
  /// O(`text.count`).
  func items(of text: ByteView) -> [ByteView]? {
    guard !text.isEmpty, text[0] == UInt8(ascii: "[") else { return nil }
    plain.removeAll()
    // Plain text is never longer than its JSON, so the views below do not move.
    plain.reserve(text.count)
    var items: [ByteView] = []
    var position = 1
    while text[position] == UInt8(ascii: "\"") {
      position += 1
      let start = plain.count
      while text[position] != UInt8(ascii: "\"") { appendCharacter(of: text, &position) }
      items.append(plain[start..<plain.count])
      position += 1
      if text[position] == UInt8(ascii: ",") { position += 1 }
    }
    precondition(
      text[position] == UInt8(ascii: "]") && position == text.count - 1,
      "the text of an array is not canonical")
    return items
  }

  private func appendCharacter(of text: ByteView, _ position: inout Int) {
    let byte = text[position]
    position += 1
    guard byte == UInt8(ascii: "\\") else { return plain.append(byte) }
    let escape = text[position]
    position += 1
    switch escape {
    case UInt8(ascii: "b"): plain.append(0x08)
    case UInt8(ascii: "f"): plain.append(0x0C)
    case UInt8(ascii: "n"): plain.append(0x0A)
    case UInt8(ascii: "r"): plain.append(0x0D)
    case UInt8(ascii: "t"): plain.append(0x09)
    case UInt8(ascii: "u"):
      let digit = text[position + 3]
      let low = digit <= UInt8(ascii: "9") ? digit - UInt8(ascii: "0") : digit - UInt8(ascii: "W")
      plain.append((text[position + 2] - UInt8(ascii: "0")) << 4 | low)
      position += 4
    default: plain.append(escape)
    }
  }
}
