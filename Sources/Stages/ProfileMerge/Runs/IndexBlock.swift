package import Pipeline

/// A block of a run's index, without the frames themselves. Reusable; for one thread.
package struct IndexBlock: ~Copyable {
  private let reader: FrameFileReader
  private var text = ByteBuffer(capacity: 0)
  /// Its frames, in order.
  package private(set) var entries: [FrameEntry] = []
  private var next: SortedRun.Stretch?

  package init(_ reader: FrameFileReader) { self.reader = reader }

  /// Reads block `number` of `run`.
  /// - Throws: `corrupt`, `io`.
  package mutating func read(_ number: Int, of run: SortedRun) throws(Failure) {
    entries.removeAll(keepingCapacity: true)
    try run.read(stretch: number, reader, text: &text, &entries)
    next = run.stretch(behind: number)
  }

  /// The first key after a frame; nil at the end of the section.
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
