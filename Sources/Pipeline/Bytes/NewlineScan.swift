/// The line feeds in some bytes: their number, and the position of the last one.
package struct NewlineScan: Equatable, Sendable {
  /// Number of line feeds.
  package let count: Int
  /// Position of the last line feed, counted from the beginning of the view; nil without any.
  package let last: Int?

  /// Scans the bytes from `start` on. Complexity: O(bytes), many at a time.
  package init(_ bytes: ByteView, from start: Int = 0) {
    precondition(start >= 0 && start <= bytes.count, "a scan cannot begin outside the bytes")
    let rest = bytes.dropFirst(start)
    count = rest.lineFeeds
    last = count == 0 ? nil : rest.lastIndex(of: JSONByte.lineFeed).map { start + $0 }
  }
}
