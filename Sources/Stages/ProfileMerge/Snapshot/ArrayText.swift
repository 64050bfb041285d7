import Pipeline

/// Reads the plain items out of the canonical text of an array of strings (`["a","b\n"]`).
final class ArrayText {
  private var plain = ByteBuffer()

  /// The items of `text`, or nil when it is not an array. They are valid until the next call.
  ///
  /// `text` is canonical: no spaces, only strings inside, the shortest escaping (data-model 2).
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

  /// Whether a text is a valid value of an attribute: a text, an array of texts in canonical form,
  /// or characters of numbers and booleans (data-model 9). Complexity: O(length).
  static func isValue(_ text: ByteView) -> Bool {
    guard text.count > 0 else { return false }
    if text[0] == UInt8(ascii: "\"") {
      let rest = text.dropFirst(1)
      if rest.firstIndex(of: UInt8(ascii: "\\")) == nil {
        return rest.firstIndex(of: UInt8(ascii: "\"")) == rest.count - 1
      }
      return end(ofText: text, from: 0) == text.count
    }
    guard text[0] == UInt8(ascii: "[") else {
      return (0..<text.count).allSatisfy { index in
        let byte = text[index]
        return 0x30...0x39 ~= byte || 0x61...0x7A ~= byte || byte == UInt8(ascii: "E")
          || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
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
      guard let length = characterLength(text, position) else { return nil }
      position = text.jsonStop(from: position + length)
    }
    return nil
  }

  /// Bytes of a character or an escape that begins at `position`; nil when it is truncated, or an
  /// invalid escape.
  private static func characterLength(_ text: ByteView, _ position: Int) -> Int? {
    guard text[position] == UInt8(ascii: "\\") else { return 1 }
    guard position + 1 < text.count else { return nil }
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
