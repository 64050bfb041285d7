package import Pipeline

/// A stretch of a part of the previous snapshot, as its index tells it, without the frames
/// themselves. Made to be used again and again; for one thread.
package struct IndexBlock: ~Copyable {
  private let reader: FrameFileReader
  private var text = ByteBuffer()
  /// Its frames, side by side.
  package private(set) var entries: [PreviousEntry] = []
  private var end: ByteView?

  package init(_ reader: FrameFileReader) { self.reader = reader }

  /// Reads the stretch `number` of `part`.
  /// - Throws: `corrupt`, `io`.
  package mutating func read(_ number: Int, of part: PreviousPart) throws(Failure) {
    entries.removeAll(keepingCapacity: true)
    try part.read(stretch: number, reader, text: &text, &entries)
    end = part.end(of: number)
  }

  /// The first key behind a frame; nil at the end of the section.
  func end(of entry: Int) -> ByteView? {
    entry + 1 < entries.count ? entries[entry + 1].entry.key : end
  }
}
