import CSIMD

/// Walks the lines of a block and tells of each whether it is ASCII, in one pass of 64 bytes at a
/// time.
///
/// State: bytes before `chunk + 64` have been looked at. `newlines` and `foreign` have a bit for
/// each byte of the 64 at `chunk` that is a line feed, or is outside ASCII, and has not been
/// reported yet.
package struct LineCursor {
  /// One line of a block.
  package struct Line: Sendable, Equatable {
    /// The bytes without the line feed; a carriage return before it is still among them.
    package let range: Range<Int>
    /// Whether no byte is above 0x7F.
    package let isASCII: Bool

    package init(range: Range<Int>, isASCII: Bool) {
      self.range = range
      self.isASCII = isASCII
    }
  }

  private static let width = 64

  private let bytes: ByteView
  private var chunk = -width
  private var newlines: UInt64 = 0
  private var foreign: UInt64 = 0
  private var start = 0

  /// A cursor before the first line of `bytes`.
  package init(bytes: ByteView) { self.bytes = bytes }

  /// The next line, or nil behind the last one. Bytes behind the last line feed are a line, too; an
  /// empty rest is none. Complexity: O(length of the line).
  package mutating func next() -> Line? {
    var isASCII = true
    while newlines == 0 {
      isASCII = isASCII && foreign == 0
      guard chunk + LineCursor.width < bytes.count else { return lastLine(isASCII) }
      chunk += LineCursor.width
      load()
    }
    // All ones up to and with the lowest line feed.
    let upToFeed = newlines ^ (newlines &- 1)
    let end = chunk + newlines.trailingZeroBitCount
    isASCII = isASCII && foreign & upToFeed == 0
    newlines &= newlines &- 1
    foreign &= ~upToFeed
    defer { start = end + 1 }
    return Line(range: start..<end, isASCII: isASCII)
  }

  private mutating func lastLine(_ isASCII: Bool) -> Line? {
    guard start < bytes.count else { return nil }
    defer {
      start = bytes.count
      foreign = 0
    }
    return Line(range: start..<bytes.count, isASCII: isASCII)
  }

  /// Looks at the 64 bytes at `chunk`, or those of them that there are.
  private mutating func load() {
    guard chunk + LineCursor.width > bytes.count else {
      // SAFETY: 64 bytes at `chunk` are within the view.
      foreign = unsafe csimd_newlines64(bytes.base + chunk, &newlines)
      return
    }
    foreign = 0
    for index in chunk..<bytes.count {
      let bit = UInt64(1) << UInt64(index - chunk)
      if bytes[index] == 0x0A { newlines |= bit }
      if bytes[index] > 0x7F { foreign |= bit }
    }
  }
}
