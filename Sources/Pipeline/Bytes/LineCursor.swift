/// Walks the lines of a block.
package struct LineCursor {
  private let bytes: ByteView
  private var start = 0

  /// A cursor before the first line of `bytes`.
  package init(bytes: ByteView) { self.bytes = bytes }

  /// Where the next line stands, without its line feed (a carriage return before that is still in
  /// it), or nil behind the last one. Bytes behind the last line feed are a line, too; an empty rest
  /// is none. Complexity: O(length of the line), many bytes at a time.
  package mutating func next() -> Range<Int>? {
    guard start < bytes.count else { return nil }
    let rest = bytes.dropFirst(start)
    let line = start..<start + (rest.firstIndex(of: 0x0A) ?? rest.count)
    start = line.upperBound + 1
    return line
  }
}
