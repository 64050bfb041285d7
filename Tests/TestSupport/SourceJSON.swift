/// Valid JSON as the text it was written in: for tests that must hand a text on byte for byte.
package struct SourceJSON {
  /// The text of the value, without white space around it.
  package let bytes: [UInt8]

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package subscript(name: String) -> SourceJSON? { parts.last { $0.name == name }?.value }

  /// The items of an array; nothing for anything else.
  package var items: [SourceJSON] { parts.filter { $0.name == nil }.map(\.value) }

  /// The fields of an object or the items, which have no names, of an array.
  private var parts: [(name: String?, value: SourceJSON)] {
    var parser = NaiveParser(bytes: bytes, maxDepth: .max)
    let isObject = parser.take("{")
    guard isObject || parser.take("[") else { return [] }
    var parts: [(name: String?, value: SourceJSON)] = []
    while true {
      parser.skipSpace()
      let name = isObject ? try? parser.string() : nil
      parser.skipSpace()
      _ = parser.take(":")
      parser.skipSpace()
      let start = parser.position
      guard (try? parser.value(depth: 1)) != nil else { return parts }
      parts.append((name, SourceJSON(Array(bytes[start..<parser.position]))))
      parser.skipSpace()
      guard parser.take(",") else { return parts }
    }
  }
}
