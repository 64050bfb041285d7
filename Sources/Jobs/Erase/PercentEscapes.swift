import Pipeline

/// Percent-encoding, as in URLs, where ids may occur in queries.
enum PercentEscapes {
  /// Most decodings of a text: URLs within queries of URLs are encoded again.
  private static let most = 4

  /// Whether `body` holds for the text with its percent-encoding decoded once or more.
  static func contains(_ text: ByteView, _ body: (ByteView) -> Bool) -> Bool {
    guard text.firstIndex(of: UInt8(ascii: "%")) != nil else { return false }
    var decoded = ByteBuffer(capacity: text.count)
    guard decode(text, into: &decoded) else { return false }
    if body(decoded.view) { return true }
    for _ in 1..<most {
      var next = ByteBuffer(capacity: decoded.count)
      guard decode(decoded.view, into: &next) else { return false }
      if body(next.view) { return true }
      swap(&decoded, &next)
    }
    return false
  }

  /// Appends a text with each `%XX` as its byte; false when it has none.
  private static func decode(_ text: ByteView, into out: inout ByteBuffer) -> Bool {
    var isChanged = false
    var index = 0
    while index < text.count {
      if text[index] == UInt8(ascii: "%"), index + 2 < text.count,
        let high = JSONByte.hexValue(text[index + 1]), let low = JSONByte.hexValue(text[index + 2])
      {
        out.append(UInt8(high << 4 | low))
        index += 3
        isChanged = true
      } else {
        out.append(text[index])
        index += 1
      }
    }
    return isChanged
  }
}
