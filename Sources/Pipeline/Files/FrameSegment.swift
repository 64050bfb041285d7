/// Frames one after the other: in another file, or made here.
private struct FrameRun {
  let file: PositionedFile?
  let start: Int
  var end: Int
  /// The number of the first one.
  let first: Int
}

/// Frames made before their position in a file is known: in memory while they are few, else in a
/// file of their own; of those that are copied only the position. One thread at a time.
package final class FrameSegment: FrameTarget {
  /// Bytes kept in memory, unless there is less room.
  package static let mostKept = 4 << 20

  private let mostKept: Int
  private let makeFile: () throws(Failure) -> OutputFile
  private var frames: [WrittenFrame] = []
  private var runs: [FrameRun] = []
  private var kept = ByteBuffer()
  /// Bytes made here.
  private var made = 0
  private var file: OutputFile?

  /// A segment that creates its file with `makeFile` for more than `mostKept` bytes.
  package init(
    mostKept: Int = FrameSegment.mostKept,
    _ makeFile: @escaping () throws(Failure) -> OutputFile
  ) {
    self.mostKept = mostKept
    self.makeFile = makeFile
  }

  package func append(
    _ frames: ArraySlice<WrittenFrame>, _ bytes: ByteView
  ) throws(Failure) {
    if file == nil, kept.count + bytes.count > mostKept {
      let file = try makeFile()
      try file.append(kept.view)
      kept = ByteBuffer()
      self.file = file
    }
    if let file { try file.append(bytes) } else { kept.append(bytes) }
    add(frames, nil, made..<made + bytes.count)
    made += bytes.count
  }

  /// The frames are read, and compared, when they are taken out (``SegmentFrames``).
  package func append(
    _ frames: ArraySlice<WrittenFrame>, of file: PositionedFile, from start: Int
  ) {
    add(frames, file, start..<start + frames.compressed)
  }

  private func add(
    _ added: ArraySlice<WrittenFrame>, _ file: PositionedFile?, _ bytes: Range<Int>
  ) {
    if let last = runs.last, last.file === file, last.end == bytes.lowerBound {
      runs[runs.count - 1].end = bytes.upperBound
    } else {
      runs.append(
        FrameRun(file: file, start: bytes.lowerBound, end: bytes.upperBound, first: frames.count))
    }
    frames += added
  }

  /// Closes the file, if there is one, and takes the frames out: nothing may follow.
  /// - Throws: `io`.
  package func finish() throws(Failure) -> SegmentFrames {
    _ = try file?.finish()
    let own = try file.map { file throws(Failure) in
      // There may be many segments.
      try PositionedFile(
        file.location, doing: "reading back", isHeld: false, system: file.system)
    }
    var bytes = ByteBuffer()
    swap(&bytes, &kept)
    return SegmentFrames(frames, runs, own, Frozen(bytes))
  }
}

/// The frames of a segment, in pieces that any thread may read.
package final class SegmentFrames: Sendable {
  /// About the bytes of a piece.
  private static let usual = 256 << 10

  /// Some frames, the run that has the first of them, and its position in that.
  private struct Piece {
    var frames: Range<Int>
    let run: Int
    let start: Int
  }

  private let frames: [WrittenFrame]
  private let runs: [FrameRun]
  private let own: PositionedFile?
  private let kept: Frozen<ByteBuffer>
  private let pieces: [Piece]

  /// Number of pieces.
  package var count: Int { pieces.count }

  fileprivate init(
    _ frames: [WrittenFrame], _ runs: [FrameRun], _ own: PositionedFile?, _ kept: Frozen<ByteBuffer>
  ) {
    (self.frames, self.runs, self.own, self.kept) = (frames, runs, own, kept)
    var pieces: [Piece] = []
    var length = Self.usual
    for (number, run) in runs.enumerated() {
      var start = run.start
      for frame in run.first..<Self.end(of: number, in: runs, frames) {
        if length >= Self.usual {
          pieces.append(Piece(frames: frame..<frame, run: number, start: start))
          length = 0
        }
        length += frames[frame].compressed
        start += frames[frame].compressed
        pieces[pieces.count - 1].frames = pieces[pieces.count - 1].frames.lowerBound..<frame + 1
      }
    }
    self.pieces = pieces
  }

  private static func end(of run: Int, in runs: [FrameRun], _ frames: [WrittenFrame]) -> Int {
    run + 1 < runs.count ? runs[run + 1].first : frames.count
  }

  /// Appends the bytes of the frames of a piece to `bytes`, and returns these.
  /// - Throws: `corrupt`, when they are not the frames that were written; `io`.
  package func read(
    _ number: Int, into bytes: inout ByteBuffer
  ) throws(Failure) -> ArraySlice<WrittenFrame> {
    let piece = pieces[number]
    var (frame, run, start) = (piece.frames.lowerBound, piece.run, piece.start)
    while frame < piece.frames.upperBound {
      let end = min(Self.end(of: run, in: runs, frames), piece.frames.upperBound)
      let length = frames[frame..<end].compressed
      if let file = runs[run].file ?? own {
        let before = bytes.count
        try file.read(start..<start + length, into: &bytes)
        try file.check(frames[frame..<end], bytes.view.dropFirst(before))
      } else {
        bytes.append(kept.value[start..<start + length])
      }
      (frame, run) = (end, run + 1)
      if run < runs.count { start = runs[run].start }
    }
    return frames[piece.frames]
  }
}
