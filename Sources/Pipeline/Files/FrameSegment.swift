/// Some frames of a segment, and where it describes them (``FrameRuns``), with the XXH64 of that.
private struct FramePiece {
  let description: Range<Int>
  let hash: UInt64
}

/// Frames made before their position in a file is known, in pieces: their bytes and descriptions
/// are in memory while they are few, else in a file. Frames that are copied are only described. One
/// thread at a time.
package final class FrameSegment: FrameTarget {
  /// Bytes kept in memory, unless there is less room.
  package static let mostKept = 4 << 20
  /// Bytes of frames after which a piece ends.
  private static let usualPiece = 256 << 10

  private let mostKept: Int
  private let makeFile: () throws(Failure) -> OutputFile
  private var pieces: [FramePiece] = []
  /// The frames of the next piece, and the files that frames are copied from.
  private var frames = FrameRuns()
  private var others: [PositionedFile] = []
  private var kept = ByteBuffer()
  private var made = 0
  private var file: OutputFile?

  /// A segment that makes a file for more than `mostKept` bytes.
  package init(
    mostKept: Int = FrameSegment.mostKept,
    _ makeFile: @escaping () throws(Failure) -> OutputFile
  ) {
    (self.mostKept, self.makeFile) = (mostKept, makeFile)
  }

  package func append(_ frames: ArraySlice<WrittenFrame>, _ bytes: ByteView) throws(Failure) {
    let start = made
    try write(bytes)
    try add(frames, nil, from: start)
  }

  /// The frames are read, and compared, when they are taken out (``SegmentFrames``).
  package func append(
    _ frames: ArraySlice<WrittenFrame>, of file: PositionedFile, from start: Int
  ) throws(Failure) {
    try add(frames, file, from: start)
  }

  private func add(
    _ added: ArraySlice<WrittenFrame>, _ file: PositionedFile?, from start: Int
  ) throws(Failure) {
    var start = start
    for frame in added {
      frames.add(frame, of: file, from: start)
      start += frame.compressed
      if frames.bytes >= Self.usualPiece { try endPiece() }
    }
  }

  private func endPiece() throws(Failure) {
    guard !frames.frames.isEmpty else { return }
    var text = ByteBuffer()
    frames.append(to: &text, &others)
    frames.removeAll()
    let start = made
    try write(text.view)
    pieces.append(FramePiece(description: start..<made, hash: XXH64.hash(text.view)))
  }

  private func write(_ bytes: ByteView) throws(Failure) {
    if file == nil, kept.count + bytes.count > mostKept {
      let file = try makeFile()
      try file.append(kept.view)
      kept = ByteBuffer()
      self.file = file
    }
    if let file { try file.append(bytes) } else { kept.append(bytes) }
    made += bytes.count
  }

  /// Closes the file, if there is one, and takes the frames out: nothing may follow.
  package func finish() throws(Failure) -> SegmentFrames {
    try endPiece()
    _ = try file?.finish()
    let own = try file.map { file throws(Failure) in
      // There may be many segments.
      try PositionedFile(file.location, doing: "reading back", isHeld: false, system: file.system)
    }
    var bytes = ByteBuffer()
    swap(&bytes, &kept)
    return SegmentFrames(pieces: pieces, own: own, kept: Frozen(bytes), others: others)
  }
}

/// The frames of a segment, in pieces that any thread may read.
package struct SegmentFrames: Sendable {
  fileprivate let pieces: [FramePiece]
  fileprivate let own: PositionedFile?
  fileprivate let kept: Frozen<ByteBuffer>
  fileprivate let others: [PositionedFile]

  package var count: Int { pieces.count }

  /// Appends the bytes of the frames of a piece to `bytes`, and returns these.
  /// - Throws: `corrupt`, when those of another file are not the frames that were written; `io`.
  package func read(
    _ number: Int, into bytes: inout ByteBuffer
  ) throws(Failure) -> ArraySlice<WrittenFrame> {
    let piece = pieces[number]
    var text = ByteBuffer()
    try read(piece.description, into: &text)
    if let own, XXH64.hash(text.view) != piece.hash { throw own.otherBytes }
    let found = FrameRuns(text.view, others)
    for run in found.runs {
      let before = bytes.count
      guard let file = run.file else {
        try read(run.bytes, into: &bytes)
        if let own, !run.frames.match(bytes.view.dropFirst(before)) { throw own.otherBytes }
        continue
      }
      try file.read(run.bytes, into: &bytes)
      try file.check(run.frames, bytes.view.dropFirst(before))
    }
    return found.frames[...]
  }

  private func read(_ range: Range<Int>, into bytes: inout ByteBuffer) throws(Failure) {
    if let own { try own.read(range, into: &bytes) } else { bytes.append(kept.value[range]) }
  }
}
