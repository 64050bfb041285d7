package import Pipeline

/// Writes key states, sorted by partition, section and key, into a file from which any stretch of
/// them can be read again (a *spill*): what does not fit into memory, and what partial runs hand over.
///
/// ```
/// zstd frame │ zstd frame │ … │ index, a zstd frame │ trailer
/// ```
/// A frame holds about 64 KiB of states (``KeyState``), of one section of one partition. One thread at
/// a time.
package final class SpillWriter {
  /// Bytes of text from which on a frame ends before the next key that begins a group,
  private static let usualText = 64 << 10
  /// and from which on it ends before the next key.
  private static let longestText = 1 << 20

  private let file: OutputFile
  private let encoder: ZstdEncoder
  private var text = ByteBuffer(capacity: SpillWriter.usualText * 2)
  private var frame = ByteBuffer()
  private var index = SpillIndex()
  private var firstKey = ByteBuffer()
  private var partition = 0
  private var section = KeySection.anonymous
  private var beginsGroup = false
  private var keys = 0

  /// A writer to `file`, which must be empty.
  /// - Throws: `io`, when there is no memory to compress with.
  package init(_ file: OutputFile, level: Int) throws(Failure) {
    encoder = try ZstdEncoder(level: level)
    self.file = file
  }

  /// Appends the state of a key of `section`, whose text has the hash `hash`.
  /// - Throws: `io`, when a frame that became full cannot be written.
  func append(
    _ state: KeyState, section: KeySection, hash: UInt64, partition: Int
  ) throws(Failure) {
    let begins = KeyHash.beginsGroup(hash)
    if keys > 0, partition != self.partition || section != self.section || isFull(before: begins) {
      try writeFrame()
    }
    if keys == 0 {
      (self.partition, self.section, beginsGroup) = (partition, section, begins)
      firstKey.removeAll()
      firstKey.append(state.key)
    }
    state.append(to: &text)
    keys += 1
  }

  /// Writes what is left and the index, and closes the file.
  /// - Parameter isDurable: whether the file is brought to the disk.
  /// - Throws: `io`; then the file is not to be relied on.
  package func finish(isDurable: Bool) throws(Failure) -> WrittenFile {
    if keys > 0 { try writeFrame() }
    let offset = file.bytes
    index.append(to: &text)
    frame.removeAll()
    try encoder.compress(text.view, into: &frame)
    try file.append(frame.view)
    let trailer = SpillTrailer(offset: offset, compressed: frame.count, text: text.count)
    text.removeAll()
    trailer.append(to: &text)
    try file.append(text.view)
    return try file.finish(isDurable: isDurable)
  }

  private func isFull(before begins: Bool) -> Bool {
    text.count >= (begins ? SpillWriter.usualText : SpillWriter.longestText)
  }

  private func writeFrame() throws(Failure) {
    frame.removeAll()
    frame.shrink(to: 2 * SpillWriter.longestText)
    try encoder.compress(text.view, into: &frame)
    let start = file.bytes
    try file.append(frame.view)
    index.append(
      partition: partition, section: section, beginsGroup: beginsGroup,
      range: start..<file.bytes, length: text.count, keys: keys, firstKey: firstKey.view)
    text.removeAll()
    text.shrink(to: 2 * SpillWriter.longestText)
    keys = 0
  }
}
