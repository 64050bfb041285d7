/// Walks the lines of a block.
package struct LineCursor {
  private let bytes: ByteView
  /// The beginning of the next line.
  package var start = 0
  package init(bytes: ByteView) { self.bytes = bytes }

  /// The next line, or the rest, without its line feed (but with a carriage return before it).
  package mutating func next() -> Range<Int>? {
    guard start < bytes.count else { return nil }
    let rest = bytes.dropFirst(start)
    let line = start..<start + (rest.firstIndex(of: JSONByte.lineFeed) ?? rest.count)
    start = line.upperBound + 1
    return line
  }

  /// Skips the next blank lines (space, tab, CR) that end within `limit` bytes; their number.
  package mutating func skipBlankLines(within limit: Int) -> Int {
    let end = start + min(limit, bytes.count - start)
    var (position, lines) = (start, 0)
    while position < end, JSONByte.isSpace(bytes[position]) {
      position += 1
      guard bytes[position - 1] == JSONByte.lineFeed else { continue }
      lines += 1
      start = position
    }
    return lines
  }
}

/// The line feeds in some bytes: their number, and the position of the last one.
package struct NewlineScan: Equatable, Sendable {
  package let count: Int
  /// Position of the last line feed, counted from the beginning of the view; nil without any.
  package let last: Int?

  /// Scans the bytes from `start` on. Complexity: O(bytes), many at a time.
  package init(_ bytes: ByteView, from start: Int = 0) {
    let rest = bytes.dropFirst(start)
    count = rest.lineFeeds
    last = count == 0 ? nil : rest.lastIndex(of: JSONByte.lineFeed).map { start + $0 }
  }
}
