package import Pipeline

/// Lines on their way into one file: rendered, then compressed into frames.
package struct FrameText: ~Copyable {
  /// Finished frames one after the other: of another file, or made here.
  private struct Run {
    let file: PositionedFile?
    let start: Int
    let first: Int
  }

  /// Bytes of frames that are read at once.
  private static let mostUnread = 1 << 20

  /// The lines of the current frame.
  package var text = ByteBuffer(capacity: 1 << 16)
  /// Number of lines in it.
  package var lines = 0
  /// The finished frames, and the bytes of those made here.
  private var frames: [WrittenFrame] = []
  private var made = ByteBuffer(capacity: 1 << 17)
  private var runs: [Run] = []
  /// The bytes of the last run, if it is of another file.
  private var copied = 0..<0
  /// Whether frames that are copied are read here, and not where they are appended to.
  private let readsCopies: Bool

  /// With `readsCopies` frames that are copied are read; without, only a segment takes them.
  package init(readsCopies: Bool = true) { self.readsCopies = readsCopies }

  /// Removes everything and keeps the usual capacity.
  package mutating func removeAll() {
    text.removeAll()
    text.shrink(to: RetainedCapacity.bytes)
    removeFinished()
    made.shrink(to: RetainedCapacity.bytes)
    lines = 0
  }

  /// Whether there are finished frames.
  var hasFinished: Bool { !frames.isEmpty }

  /// Removes the finished frames.
  mutating func removeFinished() {
    made.removeAll()
    frames.removeAll(keepingCapacity: true)
    runs.removeAll(keepingCapacity: true)
  }

  /// Ends the frame, even without lines.
  /// - Throws: `limit`, when its text is longer than readers accept; `io`, when there is no memory.
  package mutating func cut(_ encoder: ZstdEncoder) throws(Failure) {
    try Self.check(text.count, of: "a key", advice: "leave out keys such as guest or 0")
    try readCopies()
    let start = made.count
    try encoder.compress(text.view, into: &made)
    if runs.last.map({ $0.file != nil }) ?? true {
      runs.append(Run(file: nil, start: start, first: frames.count))
    }
    frames.append(WrittenFrame(made.view.dropFirst(start), text: text.count, lines: lines))
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

  /// The frame that was made last; nothing before the first.
  var last: WrittenFrame {
    frames.last ?? WrittenFrame(compressed: 0, text: 0, lines: 0, hash: 0)
  }

  /// Adds a finished frame of `file`, which is at the bytes from `start` on.
  /// - Throws: as ``readCopies()``.
  mutating func copy(
    _ frame: WrittenFrame, of file: PositionedFile, from start: Int
  ) throws(Failure) {
    precondition(text.isEmpty, "a frame is not begun when others are copied")
    if runs.last?.file !== file || copied.upperBound != start || copied.count >= Self.mostUnread {
      try readCopies()
      runs.append(Run(file: file, start: start, first: frames.count))
      copied = start..<start
    }
    copied = copied.lowerBound..<start + frame.compressed
    frames.append(frame)
  }

  /// Reads what was copied last.
  /// - Throws: `corrupt`, when it is not what was written; `io`.
  mutating func readCopies() throws(Failure) {
    guard readsCopies, let run = runs.last, let file = run.file else { return }
    let start = made.count
    try file.read(copied, into: &made)
    try file.check(frames[run.first...], made.view.dropFirst(start))
    runs.removeLast()
    if runs.isEmpty { runs.append(Run(file: nil, start: start, first: run.first)) }
  }

  /// Appends the finished frames to a file or a segment of one.
  /// - Throws: `io`; `corrupt`, when frames that are copied are not those that were written.
  package borrowing func append(to target: any FrameTarget) throws(Failure) {
    for (number, run) in runs.enumerated() {
      let end = number + 1 < runs.count ? runs[number + 1].first : frames.count
      let found = frames[run.first..<end]
      if let file = run.file {
        target.append(found, of: file, from: run.start)
      } else {
        try target.append(found, made[run.start..<run.start + found.compressed])
      }
    }
  }
}
