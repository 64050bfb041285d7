package import Pipeline

/// Lines on their way into one file: rendered, then compressed into frames.
package struct FrameText: ~Copyable {
  /// Bytes of frames that are read at once.
  private static let mostUnread = 1 << 20

  package var text = ByteBuffer(capacity: 1 << 16)
  package var lines = 0
  /// The finished frames, and the bytes of those made here.
  private var finished = FrameRuns()
  private var made = ByteBuffer(capacity: 1 << 17)
  /// Frames that are copied, and not read yet.
  private var unread = FrameRuns()
  /// Whether frames that are copied are read here, and not where they are appended to.
  private let readsCopies: Bool

  /// With `readsCopies` frames that are copied are read; without, only a segment takes them.
  package init(readsCopies: Bool = true) { self.readsCopies = readsCopies }

  package mutating func removeAll() {
    text.removeAll()
    text.shrink(to: RetainedCapacity.bytes)
    removeFinished()
    made.shrink(to: RetainedCapacity.bytes)
    lines = 0
  }

  var hasFinished: Bool { !finished.frames.isEmpty }

  mutating func removeFinished() {
    made.removeAll()
    finished.removeAll()
    unread.removeAll()
  }

  /// Ends the frame, even without lines.
  /// - Throws: `limit`, when its text is longer than readers accept; `io`, when there is no memory.
  package mutating func cut(_ encoder: ZstdEncoder, isIndex: Bool = false) throws(Failure) {
    try Self.check(text.count, isIndex: isIndex)
    try readCopies()
    let start = made.count
    try encoder.compress(text.view, into: &made)
    let frame = WrittenFrame(made.view.dropFirst(start), text: text.count, lines: lines)
    finished.add(frame, of: nil, from: start)
    text.removeAll()
    lines = 0
  }

  /// Checks that readers accept a frame of `bytes` bytes of text.
  /// - Throws: `limit`, when they do not.
  static func check(_ bytes: Int, isIndex: Bool) throws(Failure) {
    guard bytes > FrameFileReader.longestText else { return }
    throw Failure(
      .limit, doing: "writing \(isIndex ? "an index" : "the data of a key")",
      why:
        "it has \(NumberFormat.count(bytes, "byte")); the most is \(NumberFormat.grouped(FrameFileReader.longestText))",
      advice: isIndex
        ? ["run over fewer inputs at a time"]
        : [
          "find its id under hot_ids in the report, and add that id to the --nobody file",
          "leave it out of the logs",
        ])
  }

  /// The frame that was made last; nothing before the first.
  var last: WrittenFrame {
    finished.frames.last ?? WrittenFrame(compressed: 0, text: 0, lines: 0, hash: 0)
  }

  /// Adds a finished frame of `file`, which is at the bytes from `start` on.
  mutating func copy(
    _ frame: WrittenFrame, of file: PositionedFile, from start: Int
  ) throws(Failure) {
    precondition(text.isEmpty, "a frame is not begun when others are copied")
    guard readsCopies else { return finished.add(frame, of: file, from: start) }
    unread.add(frame, of: file, from: start)
    if unread.bytes >= Self.mostUnread { try readCopies() }
  }

  /// Reads what was copied last.
  mutating func readCopies() throws(Failure) {
    for run in unread.runs {
      guard let file = run.file else { continue }
      var start = made.count
      try file.read(run.bytes, into: &made)
      try file.check(run.frames, made.view.dropFirst(start))
      for frame in run.frames {
        finished.add(frame, of: nil, from: start)
        start += frame.compressed
      }
    }
    unread.removeAll()
  }

  /// Appends the finished frames to a file or a segment of one.
  package borrowing func append(to target: any FrameTarget) throws(Failure) {
    for run in finished.runs {
      if let file = run.file {
        try target.append(run.frames, of: file, from: run.bytes.lowerBound)
      } else {
        try target.append(run.frames, made[run.bytes])
      }
    }
  }
}
