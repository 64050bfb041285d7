/// The line feeds among some bytes: how many there are, and where the last one is.
package struct NewlineScan: Equatable, Sendable {
  /// Number of line feeds.
  package let count: Int
  /// Position of the last line feed, counted from the beginning of the view; nil without any.
  package let last: Int?

  private static let width = 64

  /// Scans the bytes from `start` on, 64 at a time.
  package init(_ bytes: ByteView, from start: Int = 0) {
    precondition(start >= 0 && start <= bytes.count, "a scan cannot begin outside the bytes")
    var count = 0
    var last: Int?
    var position = start
    while position + NewlineScan.width <= bytes.count {
      let mask = bytes.lineFeeds64(at: position)
      if mask != 0 {
        count += mask.nonzeroBitCount
        last = position + NewlineScan.width - 1 - mask.leadingZeroBitCount
      }
      position += NewlineScan.width
    }
    while position < bytes.count {
      if bytes[position] == UInt8(ascii: "\n") {
        count += 1
        last = position
      }
      position += 1
    }
    self.count = count
    self.last = last
  }
}
