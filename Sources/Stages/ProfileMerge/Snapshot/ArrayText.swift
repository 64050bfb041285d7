import Pipeline

/// Reads the plain items out of the canonical text of an array of strings (`["a","b\n"]`).
final class ArrayText {
  private var plain = ByteBuffer()

  /// The items of `text`, or nil when it is not an array. They are valid until the next call.
  ///
  /// `text` has no spaces, and only strings inside, whose escapes are those of data-model 2.
  /// Anything else traps, because the validator and ``isValue(_:)`` reject it. Complexity:
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
      while true {
        let stop = text.jsonStop(from: position)
        plain.append(text[position..<stop])
        guard text[stop] == UInt8(ascii: "\\") else {
          position = stop
          break
        }
        guard let next = try? text.decodeEscape(at: stop, to: &plain) else {
          preconditionFailure("the text of an array is not canonical")
        }
        position = next
      }
      items.append(plain[start..<plain.count])
      position += 1
      if text[position] == UInt8(ascii: ",") { position += 1 }
    }
    precondition(
      text[position] == UInt8(ascii: "]") && position == text.count - 1,
      "the text of an array is not canonical")
    return items
  }

  /// Whether a text may be a value of an attribute (data-model 9): a text, an array of texts, a
  /// boolean, or characters of numbers in any order. UTF-8 is not checked. Complexity: O(length).
  static func isValue(_ text: ByteView) -> Bool {
    guard text.count > 0 else { return false }
    if text[0] == UInt8(ascii: "\"") { return end(ofText: text, from: 0) == text.count }
    guard text[0] == UInt8(ascii: "[") else {
      return text == "true" || text == "false"
        || (0..<text.count).allSatisfy { index in
          let byte = text[index]
          return 0x2B...0x39 ~= byte && byte != 0x2C && byte != 0x2F || byte | 0x20 == 0x65
        }
    }
    var position = 1
    while position < text.count, text[position] == UInt8(ascii: "\"") {
      guard let end = end(ofText: text, from: position), end < text.count else { return false }
      position = end
      if text[position] == UInt8(ascii: ",") {
        position += 1
        guard position < text.count, text[position] == UInt8(ascii: "\"") else { return false }
      }
    }
    return position == text.count - 1 && text[position] == UInt8(ascii: "]")
  }

  /// The index after the text whose quote is at `start`; nil when it does not end.
  private static func end(ofText text: ByteView, from start: Int) -> Int? {
    var position = text.jsonStop(from: start + 1)
    while position < text.count {
      if text[position] == UInt8(ascii: "\"") { return position + 1 }
      guard let length = escapeLength(text, position) else { return nil }
      position = text.jsonStop(from: position + length)
    }
    return nil
  }

  /// Bytes of the escape that begins at `position`; nil when it is truncated or invalid, and for a
  /// control character.
  private static func escapeLength(_ text: ByteView, _ position: Int) -> Int? {
    guard text[position] == UInt8(ascii: "\\"), position + 1 < text.count else { return nil }
    let letter = text[position + 1]
    guard letter == UInt8(ascii: "u") else {
      return ByteView("\"\\bfnrt").firstIndex(of: letter).map { _ in 2 }
    }
    // For control characters only: two zeros, one or zero, a digit.
    guard position + 6 <= text.count, text[position + 2..<position + 4] == "00",
      0x30...0x31 ~= text[position + 4],
      0x30...0x39 ~= text[position + 5] || 0x61...0x66 ~= text[position + 5]
    else { return nil }
    return 6
  }
}
