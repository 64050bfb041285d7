/// Writes text of unknown length as a ``SeekableFile``, frame by frame.
///
/// A frame ends with the line that fills it to ``frameText`` bytes. So the cuts, and with them the
/// bytes of the file, follow from the text, the level and the version of zstd alone, not from how
/// the text was handed over. Holds one frame of text in memory. One thread at a time.
package final class SeekableTextWriter {
  /// Bytes of text that a frame has at least, the last one aside: enough for good compression,
  /// little enough for many frames to decode in parallel.
  package static let frameText = 1 << 20

  /// Room in bytes that is kept after a line much longer than a frame.
  private static let keptRoom = 2 * frameText

  private let file: SeekableFile
  private let encoder: ZstdEncoder
  private var text = ByteBuffer(capacity: SeekableTextWriter.frameText)
  private var frame = ByteBuffer()

  /// A writer to `file`, which must be empty.
  /// - Throws: `io`, when there is no memory to compress with.
  package init(_ file: OutputFile, level: Int) throws(Failure) {
    encoder = try ZstdEncoder(level: level)
    self.file = SeekableFile(file)
  }

  /// Appends `piece`, which need not end with a line.
  /// - Throws: `io`, when a frame that became full cannot be written.
  package func append(_ piece: ByteView) throws(Failure) {
    var rest = piece
    while let end = SeekableTextWriter.cut(rest, behind: text.count) {
      text.append(rest[0..<end])
      try writeFrame()
      rest = rest.dropFirst(end)
    }
    text.append(rest)
  }

  /// Writes the last frame and the seek table, brings the file to the disk and closes it. Without
  /// any text the file has one empty frame.
  /// - Throws: `io`; then the file is not to be relied on.
  package func finish() throws(Failure) -> WrittenFile {
    if !text.isEmpty || file.frameCount == 0 { try writeFrame() }
    return try file.finish()
  }

  /// Where in `piece` the frame ends that holds `count` bytes of text so far, or nil.
  package static func cut(_ piece: ByteView, behind count: Int) -> Int? {
    // The first byte that may be the line end that closes the frame.
    let first = max(SeekableTextWriter.frameText - count - 1, 0)
    guard first < piece.count else { return nil }
    return piece.dropFirst(first).firstIndex(of: JSONByte.lineFeed).map { first + $0 + 1 }
  }

  private func writeFrame() throws(Failure) {
    frame.removeAll()
    frame.shrink(to: SeekableTextWriter.keptRoom)
    try encoder.compress(text.view, into: &frame)
    try file.append(
      frame: frame.view, decompressed: text.count, lines: Self.lineCount(text.view))
    text.removeAll()
    text.shrink(to: SeekableTextWriter.keptRoom)
  }

  /// How many lines `text` has; a rest without a line end is one.
  private static func lineCount(_ text: ByteView) -> Int {
    var lines = 0
    var rest = text
    while let end = rest.firstIndex(of: JSONByte.lineFeed) {
      lines += 1
      rest = rest.dropFirst(end + 1)
    }
    return rest.isEmpty ? lines : lines + 1
  }
}
