package import Pipeline

/// Writes key states, sorted by partition, section and key, into a file from which any stretch of
/// them can be read again (a *spill*): what does not fit into memory, and what partial runs hand
/// over.
///
/// ```
/// zstd frame │ zstd frame │ … │ index, a zstd frame │ trailer
/// ```
/// One thread at a time.
package final class SpillWriter {
  /// Bytes of finished frames that are collected before they are written.
  private static let collected = 256 << 10

  private let file: OutputFile
  private let encoder: ZstdEncoder
  private var frames = SpillFrames()
  private var index = SpillIndex()

  /// A writer to `file`, which must be empty.
  /// - Throws: `io`, when there is no memory to compress with.
  package init(_ file: OutputFile, level: Int) throws(Failure) {
    encoder = try ZstdEncoder(level: level)
    self.file = file
  }

  /// Appends the state of a key of `section`, whose text has the hash `hash`.
  /// - Throws: `io`, when frames cannot be written.
  func append(
    _ state: KeyState, section: KeySection, hash: UInt64, partition: Int
  ) throws(Failure) {
    try frames.append(state, section: section, hash: hash, partition: partition, encoder)
    guard frames.bytes.count >= SpillWriter.collected else { return }
    try frames.cut(encoder)
    try append(frames)
    frames.removeAll()
  }

  /// Appends what a lane has merged.
  /// - Throws: `io`.
  package func take(_ unit: SpillUnit) throws(Failure) { try append(unit.frames) }

  /// Appends finished frames, behind which nothing of theirs may be missing.
  /// - Throws: `io`.
  func append(_ frames: borrowing SpillFrames) throws(Failure) {
    let start = file.bytes
    try file.append(frames.bytes.view)
    for (number, frame) in frames.index.frames.enumerated() {
      index.append(
        partition: frame.partition, section: frame.section, beginsGroup: frame.beginsGroup,
        range: start + frame.range.lowerBound..<start + frame.range.upperBound,
        length: frame.length, keys: frame.keys, firstKey: frames.index.firstKey(number))
    }
  }

  /// Writes what is left and the index, and closes the file.
  /// - Parameter isDurable: whether the file is brought to the disk.
  /// - Throws: `io`; then the file is not to be relied on.
  package func finish(isDurable: Bool) throws(Failure) -> WrittenFile {
    try frames.cut(encoder)
    try append(frames)
    let offset = file.bytes
    var text = ByteBuffer()
    index.append(to: &text)
    var frame = ByteBuffer()
    try encoder.compress(text.view, into: &frame)
    try file.append(frame.view)
    let trailer = SpillTrailer(offset: offset, compressed: frame.count, text: text.count)
    text.removeAll()
    trailer.append(to: &text)
    try file.append(text.view)
    return try file.finish(isDurable: isDurable)
  }
}
