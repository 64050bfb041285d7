/// Splits text of unknown length into the frames of a ``SeekableFile``, compressed by a
/// ``ParallelFrameEncoder``. The target need not be a file.
///
/// A frame ends with the line that fills it to ``SeekableTextWriter/frameText`` bytes. So the bytes
/// of the file depend only on the text, the level and the version of zstd. One thread at a time.
package final class SeekableTextStream<Target: FrameTarget> {
  fileprivate let target: Target
  private let encoder: ParallelFrameEncoder
  /// The frame being filled.
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

  /// Submits the last frame (there is at least an empty one); `then` may finish the target.
  /// - Throws: as ``append(_:)``.
  package func end(then: @escaping (Target) throws(Failure) -> Void) throws(Failure) {
    if frame != nil || isEmpty { try submit(try open()) }
    encoder.then { [target] () throws(Failure) in try then(target) }
  }

  /// The frame being filled.
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
package typealias SeekableTextWriter = SeekableTextStream<SeekableFile>

extension SeekableTextWriter {
  /// Least bytes of text in every frame but the last: enough for good compression, few enough for
  /// many frames to decode in parallel.
  package static var frameText: Int { 1 << 20 }

  /// A writer to `file`, which must be empty.
  /// - Throws: `io`, when there is no memory to compress with.
  package convenience init(_ file: OutputFile, level: Int) throws(Failure) {
    self.init(SeekableFile(file), ParallelFrameEncoder(nil, level: level))
    try open()
  }

  /// Writes the last frame and the seek table, syncs the file to disk and closes it. Without any
  /// text the file has one empty frame.
  /// - Throws: `io`; then the content of the file is undefined.
  @discardableResult
  package func finish() throws(Failure) -> WrittenFile {
    try end { _ in }
    return try target.finish()
  }

  /// The index in `piece` where a frame with `count` bytes of text so far ends, or nil.
  package static func cut(_ piece: ByteView, behind count: Int) -> Int? {
    // The first byte that may be the line end that closes the frame.
    let first = max(frameText - count - 1, 0)
    guard first < piece.count else { return nil }
    return piece.dropFirst(first).firstIndex(of: JSONByte.lineFeed).map { first + $0 + 1 }
  }
}
