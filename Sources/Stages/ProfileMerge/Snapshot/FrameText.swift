package import Pipeline

/// Lines on their way into one file: rendered, then compressed into frames.
package struct FrameText: ~Copyable {
  /// The size of a finished frame.
  package struct Cut {
    /// Its end offset among the frames.
    let end: Int
    /// Bytes of its text.
    let text: Int
    let lines: Int
  }

  /// The lines of the current frame.
  package var text = ByteBuffer(capacity: 1 << 16)
  /// Number of lines in it.
  package var lines = 0
  /// The compressed frames, one after the other.
  private var frames = ByteBuffer(capacity: 1 << 17)
  private var cuts: [Cut] = []

  package init() {}

  /// Removes everything and keeps the usual capacity.
  package mutating func removeAll() {
    text.removeAll()
    text.shrink(to: RetainedCapacity.bytes)
    frames.removeAll()
    frames.shrink(to: RetainedCapacity.bytes)
    cuts.removeAll(keepingCapacity: true)
    lines = 0
  }

  /// Whether there are finished frames.
  var hasFinished: Bool { !cuts.isEmpty }

  /// Removes the finished frames.
  mutating func removeFinished() {
    frames.removeAll()
    cuts.removeAll(keepingCapacity: true)
  }

  /// Ends the frame, even without lines.
  /// - Throws: `limit`, when its text is longer than readers accept; `io`, when there is no memory.
  package mutating func cut(_ encoder: ZstdEncoder) throws(Failure) {
    try Self.check(text.count, of: "a key", advice: "leave out keys such as guest or 0")
    try encoder.compress(text.view, into: &frames)
    cuts.append(Cut(end: frames.count, text: text.count, lines: lines))
    text.removeAll()
    lines = 0
  }

  /// Checks that readers accept a frame of `bytes` bytes of text.
  /// - Throws: `limit`, when they do not.
  static func check(_ bytes: Int, of what: String, advice: String) throws(Failure) {
    guard bytes > FrameFileReader.longestText else { return }
    throw Failure(
      .limit, doing: "writing the data of \(what)",
      why:
        "it has \(NumberFormat.count(bytes, "byte")); the most is \(NumberFormat.grouped(FrameFileReader.longestText))",
      advice: advice)
  }

  /// The index data of the frame that was made last; zero before the first.
  var last: IndexEntry.Frame {
    guard let cut = cuts.last else { return IndexEntry.Frame(compressed: 0, text: 0, lines: 0) }
    let start = cuts.count > 1 ? cuts[cuts.count - 2].end : 0
    return IndexEntry.Frame(compressed: cut.end - start, text: cut.text, lines: cut.lines)
  }

  /// Adds the finished frames in the bytes `range` of another file unchanged; ``note(_:)``
  /// registers each.
  /// - Throws: `corrupt`, `io`, when they cannot be read.
  mutating func copy(_ range: Range<Int>, of file: PositionedFile) throws(Failure) {
    precondition(text.isEmpty, "a frame is not begun when others are copied")
    try file.read(range, into: &frames)
  }

  /// Registers the next of the copied frames.
  mutating func note(_ frame: IndexEntry.Frame) {
    cuts.append(
      Cut(end: (cuts.last?.end ?? 0) + frame.compressed, text: frame.text, lines: frame.lines))
  }

  /// Appends the finished frames to a file or a segment of one.
  /// - Throws: `io`.
  package borrowing func append(to file: any FrameTarget) throws(Failure) {
    var start = 0
    for cut in cuts {
      try file.append(
        frame: frames[start..<cut.end], decompressed: cut.text, lines: cut.lines)
      start = cut.end
    }
  }
}
