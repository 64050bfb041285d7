/// Walks the lines of a block.
package struct LineCursor {
  private let bytes: ByteView
  /// The beginning of the next line.
  package var start = 0

  /// A cursor before the first line of `bytes`.
  package init(bytes: ByteView) { self.bytes = bytes }

  /// The next line without its line feed (but with a carriage return before it), or nil at the end.
  /// Bytes after the last line feed are a line, too.
  package mutating func next() -> Range<Int>? {
    guard start < bytes.count else { return nil }
    let rest = bytes.dropFirst(start)
    let line = start..<start + (rest.firstIndex(of: 0x0A) ?? rest.count)
    start = line.upperBound + 1
    return line
  }

  /// Skips the next blank lines (space, tab, CR) that end within `limit` bytes; returns their
  /// number.
  package mutating func skipBlankLines(within limit: Int) -> Int {
    guard start < bytes.count, bytes[start] <= UInt8(ascii: " ") else { return 0 }
    let most = min(limit, bytes.count - start)
    let blank = LineCursor.countBlank(bytes[start..<start + most])
    let lines = NewlineScan(bytes[start..<start + blank])
    guard let last = lines.last else { return 0 }
    start += last + 1
    return lines.count
  }

  /// Number of leading bytes that are white space or line ends.
  private static func countBlank(_ bytes: ByteView) -> Int {
    var position = 0
    while position + 64 <= bytes.count {
      let mask = bytes.blanks64(at: position)
      if mask != .max { return position + (~mask).trailingZeroBitCount }
      position += 64
    }
    while position < bytes.count, JSONByte.isSpace(bytes[position]) { position += 1 }
    return position
  }
}
