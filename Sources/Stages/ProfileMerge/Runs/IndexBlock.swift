package import Pipeline

/// A stretch of a run, as its index tells it, without the frames themselves. Made to be used again
/// and again; for one thread.
package struct IndexBlock: ~Copyable {
  private let reader: FrameFileReader
  private var text = ByteBuffer(capacity: 0)
  /// Its frames, side by side.
  package private(set) var entries: [FrameEntry] = []
  private var next: SortedRun.Stretch?

  package init(_ reader: FrameFileReader) { self.reader = reader }

  /// Reads the stretch `number` of `run`.
  /// - Throws: `corrupt`, `io`.
  package mutating func read(_ number: Int, of run: SortedRun) throws(Failure) {
    entries.removeAll(keepingCapacity: true)
    try run.read(stretch: number, reader, text: &text, &entries)
    next = run.stretch(behind: number)
  }

  /// The first key behind a frame; nil at the end of the section.
  func end(of entry: Int) -> ByteView? {
    entry + 1 < entries.count ? entries[entry + 1].entry.key : next?.key
  }

  /// Whether all keys of a frame are before `limit`.
  func isFrame(_ entry: Int, before limit: ByteView) -> Bool {
    guard let end = end(of: entry) else { return false }
    if end == limit { return entry + 1 < entries.count || !(next?.goesOn ?? false) }
    return end < limit
  }
}
