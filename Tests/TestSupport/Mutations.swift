package enum Mutations {
  /// Bytes that matter in JSON and UTF-8.
  package static let bytes: [UInt8] =
    Array("{}[]\",:\\/u0123456789dDcC8fF-+.eEtruefalsnl \t\r\u{0}\u{1F}\u{7F}aé€😀".utf8) + [
      0xC0, 0xED, 0xF4, 0xFF, 0x80, 0xBF,
    ]

  /// `text` with one to four random changes, but no line feeds added.
  package static func mutate(_ text: [UInt8], _ random: inout RepeatableRandom) -> [UInt8] {
    var text = text
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let position = Int.random(in: 0...text.count, using: &random)
      let byte = bytes[Int.random(in: 0..<bytes.count, using: &random)]
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1: text.insert(byte, at: position)
      case 2, 3: if position < text.count { text[position] = byte }
      case 4, 5: if position < text.count { text.remove(at: position) }
      case 6:
        let end = min(text.count, position + Int.random(in: 0...12, using: &random))
        text.insert(
          contentsOf: Array(text[position..<end]),
          at: Int.random(in: 0...text.count, using: &random))
      default:
        if Int.random(in: 0..<4, using: &random) == 0 { text.removeLast(text.count - position) }
      }
    }
    return text
  }

  private static let numbers = [
    "-1", "0", "1", "4096", "1048577", "4294967296", "281474976710656", "9223372036854775807",
    "9223372036854775808", "-9223372036854775808", "1e9", "1e30", "0.5", "null", "\"x\"", "[]",
    "{}",
  ]

  /// `text` with random changes, or with an unusual value in place of a number.
  package static func change(_ text: [UInt8], _ random: inout RepeatableRandom) -> [UInt8] {
    if Bool.random(using: &random) { return mutate(text, &random) }
    let isDigit = { (byte: UInt8) in 0x30...0x39 ~= byte }
    var start = Int.random(in: 0..<text.count, using: &random)
    while start < text.count, !isDigit(text[start]) { start += 1 }
    var end = start
    while end < text.count, isDigit(text[end]) { end += 1 }
    let other = numbers[Int.random(in: 0..<numbers.count, using: &random)]
    return text[..<start] + Array(other.utf8) + text[end...]
  }
}
