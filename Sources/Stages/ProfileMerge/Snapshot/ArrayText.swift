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
}
