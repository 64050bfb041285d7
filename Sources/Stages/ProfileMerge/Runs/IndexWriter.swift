package import Pipeline

/// Writes the index of a part: its entries in frames, each of one section.
///
/// A frame ends before an entry that begins a group of keys, so that the merge may be split there,
/// and at the end of a section. So the cuts depend on the entries alone. One thread at a time.
package final class IndexWriter {
  /// Entries from which on a frame ends at the next group: about as many as a piece of the merge
  /// has.
  private static let usualEntries = 64
  /// Most entries of a frame, even within a group.
  static let mostEntries = 1024
  /// Marks look random and hardly compress, and keys are short.
  private static let level = ZstdEncoder.fastest

  private let target: any FrameTarget
  private let encoder: ZstdEncoder
  private var text = ByteBuffer()
  private var frame = ByteBuffer()
  private var entries = 0

  /// A writer of frames to `target`.
  /// - Throws: `io`, when there is no memory.
  package init(_ target: any FrameTarget) throws(Failure) {
    self.target = target
    encoder = try ZstdEncoder(level: IndexWriter.level)
  }

  /// Appends an entry.
  /// - Throws: `io`, when a frame cannot be written.
  package func append(_ entry: IndexEntry) throws(Failure) {
    if entries >= Self.mostEntries || entries >= Self.usualEntries && entry.beginsGroup {
      try endFrame()
    }
    entry.append(to: &text)
    entries += 1
  }

  /// Ends the frame, if it has entries: a section ends.
  /// - Throws: `io`, when it cannot be written.
  package func endFrame() throws(Failure) {
    guard entries > 0 else { return }
    frame.removeAll()
    try encoder.compress(text.view, into: &frame)
    try target.append(frame: frame.view, decompressed: text.count, lines: 0)
    text.removeAll()
    text.shrink(to: RetainedCapacity.bytes)
    entries = 0
  }
}
