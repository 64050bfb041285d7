import Pipeline

/// Compares a file of an output with text that is written again. For one thread at a time.
final class TextComparison {
  /// Longest line that is read: one with a count for each day that there is.
  private static let longestLine = 4 << 20

  private let reader: BlockReader
  private let promised: Compression
  private let block = Block(capacity: BlockReader.defaultBlockSize)
  /// Bytes of the block that were compared, and those that were written.
  private var (position, written) = (0, 0)
  /// The line that differs first; 1 after the equal ones until one does.
  private(set) var line = 1
  private(set) var differs = false

  /// A comparison with `file`; `position` counts its bytes.
  /// - Throws: `io`, `corrupt`.
  init(_ file: InputFile, position: ReadPosition) throws(Failure) {
    promised = Compression.promised(by: file.path) ?? .none
    reader = try BlockReader(file, index: 0, maxLine: Self.longestLine, position: position)
  }

  /// Receives the next text that should be there.
  /// - Throws: `corrupt`, when the file is damaged; `io`.
  func take(_ text: ByteView) throws(Failure) {
    written += text.count
    var rest = text
    while !differs, !rest.isEmpty {
      if position == block.content.count, try !fill() { return differs = true }
      let found = block.bytes.dropFirst(position)
      let length = min(rest.count, found.count)
      let equal = (0..<length).first { rest[$0] != found[$0] } ?? length
      line += NewlineScan(rest[0..<equal]).count
      differs = equal < length
      position += equal
      rest = rest.dropFirst(equal)
    }
  }

  /// Reads the rest of the file, and returns what was read of all of it.
  /// - Throws: as ``take(_:)``.
  func end() throws(Failure) -> InputSummary {
    differs = differs || position < block.content.count
    while try fill() { differs = true }
    // A byte order mark, or a last line without its end, is in no block. Readers of plain text
    // would not decompress it.
    differs =
      differs || reader.summary.decompressedBytes != written
      || reader.summary.compression != promised
    return reader.summary
  }

  private func fill() throws(Failure) -> Bool {
    position = 0
    return try reader.fill(block)
  }
}
