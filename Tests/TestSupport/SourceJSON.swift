/// A JSON value as the text it was written in: for tests that must hand a text on byte for byte.
///
/// The text must be valid JSON; anything else gives a wrong answer or none.
package struct SourceJSON {
  /// The text of the value, without white space around it.
  package let bytes: [UInt8]

  /// The value that `bytes` are the text of.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The value of the last field with this name, which must not need an escape.
  package subscript(name: String) -> SourceJSON? {
    let key = Array("\"\(name)\"".utf8)
    return members.last { $0.key == key }.map { SourceJSON($0.value) }
  }

  /// The items of an array; nothing for anything else.
  package var items: [SourceJSON] {
    guard bytes.first == UInt8(ascii: "[") else { return [] }
    var items: [SourceJSON] = []
    var position = skipSpace(from: 1)
    while position < bytes.count, bytes[position] != UInt8(ascii: "]") {
      let end = endOfValue(from: position)
      items.append(SourceJSON(Array(bytes[position..<end])))
      position = skipSpace(from: end)
      if position < bytes.count, bytes[position] == UInt8(ascii: ",") { position += 1 }
      position = skipSpace(from: position)
    }
    return items
  }

  private var members: [(key: [UInt8], value: [UInt8])] {
    guard bytes.first == UInt8(ascii: "{") else { return [] }
    var members: [(key: [UInt8], value: [UInt8])] = []
    var position = skipSpace(from: 1)
    while position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
      let endOfKey = endOfValue(from: position)
      let start = skipSpace(from: skipSpace(from: endOfKey) + 1)
      let end = endOfValue(from: start)
      members.append((Array(bytes[position..<endOfKey]), Array(bytes[start..<end])))
      position = skipSpace(from: end)
      if position < bytes.count, bytes[position] == UInt8(ascii: ",") { position += 1 }
      position = skipSpace(from: position)
    }
    return members
  }

  private func skipSpace(from start: Int) -> Int {
    var position = start
    while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) {
      position += 1
    }
    return position
  }

  /// Where the value ends that begins at `start`.
  private func endOfValue(from start: Int) -> Int {
    var position = start
    var depth = 0
    while position < bytes.count {
      switch Unicode.Scalar(bytes[position]) {
      case "\"":
        position = endOfString(from: position)
        if depth == 0 { return position }
        continue
      case "{", "[": depth += 1
      case "}", "]":
        // The end of what surrounds a number or a literal.
        if depth == 0 { return position }
        depth -= 1
        if depth == 0 { return position + 1 }
      case ",", " ", "\t", "\n", "\r": if depth == 0 { return position }
      default: break
      }
      position += 1
    }
    return position
  }

  private func endOfString(from start: Int) -> Int {
    var position = start + 1
    while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    return position + 1
  }
}
