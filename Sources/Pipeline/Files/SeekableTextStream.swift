/// Makes the frames of a ``SeekableFile`` of text of unknown length, and has them compressed by a
/// ``ParallelFrameEncoder``. They need not go to a file.
///
/// A frame ends with the line that fills it to ``SeekableTextWriter/frameText`` bytes. So the bytes
/// of the file follow from the text, the level and the version of zstd alone. One thread at a time.
package final class SeekableTextStream<Target: FrameTarget> {
  private let target: Target
  private let encoder: ParallelFrameEncoder
  /// The frame that is filled now.
  private var frame: EncodeJob?
  private var isEmpty = true

  /// A stream whose frames go to `target`, which has none yet.
  package init(_ target: Target, _ encoder: ParallelFrameEncoder) {
    self.target = target
    self.encoder = encoder
  }

  /// Appends `piece`, which need not end with a line. Complexity: O(`piece.count`).
  /// - Throws: `io`, when a frame, perhaps of another file, cannot be written.
  package func append(_ piece: ByteView) throws(Failure) {
    var rest = piece
    while !rest.isEmpty {
      let frame = try open()
      let end = SeekableTextWriter.cut(rest, behind: frame.work.text.count)
      frame.work.text.append(rest[0..<(end ?? rest.count)])
      rest = rest.dropFirst(end ?? rest.count)
      if end != nil { try submit(frame) }
    }
  }

  /// Has the last frame (there is at least an empty one) compressed; `then` may finish the target.
  /// - Throws: as ``append(_:)``.
  package func end(then: @escaping (Target) throws(Failure) -> Void) throws(Failure) {
    if frame != nil || isEmpty { try submit(try open()) }
    encoder.then { [target] () throws(Failure) in try then(target) }
  }

  /// The frame that is filled now.
  @discardableResult
  fileprivate func open() throws(Failure) -> EncodeJob {
    if let frame { return frame }
    let opened = try encoder.take()
    frame = opened
    return opened
  }

  private func submit(_ frame: EncodeJob) throws(Failure) {
    self.frame = nil
    isEmpty = false
    try encoder.submit(frame, to: target)
  }
}

/// Writes text of unknown length as a ``SeekableFile`` on the calling thread, with one frame of
/// text in memory. One thread at a time.
package final class SeekableTextWriter {
  /// Bytes of text that a frame but the last has at least: enough for good compression, few enough
  /// for many frames to decode in parallel.
  package static let frameText = 1 << 20

  private let file: SeekableFile
  private let encoder: ParallelFrameEncoder
  private let stream: SeekableTextStream<SeekableFile>

  /// A writer to `file`, which must be empty.
  /// - Throws: `io`, when there is no memory to compress with.
  package init(_ file: OutputFile, level: Int) throws(Failure) {
    self.file = SeekableFile(file)
    encoder = ParallelFrameEncoder(nil, level: level)
    stream = SeekableTextStream(self.file, encoder)
    try stream.open()
  }

  /// Appends `piece`, which need not end with a line.
  /// - Throws: `io`, when a frame that became full cannot be written.
  package func append(_ piece: ByteView) throws(Failure) { try stream.append(piece) }

  /// Writes the last frame and the seek table, brings the file to the disk and closes it. Without
  /// any text the file has one empty frame.
  /// - Throws: `io`; then the file is not to be relied on.
  @discardableResult
  package func finish() throws(Failure) -> WrittenFile {
    try stream.end { _ in }
    return try file.finish()
  }

  /// Where in `piece` the frame ends that holds `count` bytes of text so far, or nil.
  package static func cut(_ piece: ByteView, behind count: Int) -> Int? {
    // The first byte that may be the line end that closes the frame.
    let first = max(SeekableTextWriter.frameText - count - 1, 0)
    guard first < piece.count else { return nil }
    return piece.dropFirst(first).firstIndex(of: JSONByte.lineFeed).map { first + $0 + 1 }
  }
}
