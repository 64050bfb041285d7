/// A file of independent zstd frames with a seek table at its end (docs/reference/file-formats.md):
/// any zstd tool reads it, and frames can be made and decoded in parallel; they are appended in
/// order. One thread at a time.
package final class SeekableFile: FrameTarget {
  private let file: OutputFile
  private var table = SeekTableWriter()

  package init(_ file: OutputFile) {
    precondition(file.bytes == 0, "a seek table describes a file from its beginning")
    self.file = file
  }

  package func append(_ frames: ArraySlice<WrittenFrame>, _ bytes: ByteView) throws(Failure) {
    var lines = 0
    for frame in frames {
      table.append(compressed: frame.compressed, decompressed: frame.text)
      lines += frame.lines
    }
    try file.append(bytes, lines: lines)
  }

  /// Appends all frames of `source`, unchanged. Of `lines` only the sum is needed: a frame does not
  /// contain its own.
  package func append(_ source: FrameFile, lines: Int) throws(Failure) {
    var bytes = ByteBuffer()
    for (index, frame) in source.frames.enumerated() {
      bytes.removeAll()
      try source.read(frame: index, into: &bytes)
      try append(frame: bytes.view, decompressed: frame.decompressed, lines: index == 0 ? lines : 0)
    }
  }

  /// Writes the seek table and closes the file. After a failure its content is undefined.
  @discardableResult
  package func finish() throws(Failure) -> WrittenFile {
    try table.write { bytes throws(Failure) in try file.append(bytes) }
    return try file.finish()
  }
}

/// Splits text of unknown length into the frames of a ``SeekableFile``, compressed by a
/// ``ParallelFrameEncoder``. The target need not be a file.
///
/// A frame ends with the line that fills it to ``SeekableTextWriter/frameText`` bytes. So the bytes
/// of the file depend only on the text, the level and the version of zstd. One thread at a time.
package final class SeekableTextStream<Target: FrameTarget> {
  fileprivate let target: Target
  private let encoder: ParallelFrameEncoder
  private var frame: EncodeJob?
  private var isEmpty = true

  package init(_ target: Target, _ encoder: ParallelFrameEncoder) {
    self.target = target
    self.encoder = encoder
  }

  /// Appends `piece`, which need not end with a line. Complexity: O(`piece.count`).
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
  package func end(then: @escaping (Target) throws(Failure) -> Void) throws(Failure) {
    if frame != nil || isEmpty { try submit(try open()) }
    encoder.then { [target] () throws(Failure) in try then(target) }
  }

  @discardableResult
  fileprivate func open() throws(Failure) -> EncodeJob {
    let opened = if let frame { frame } else { try encoder.take() }
    frame = opened
    return opened
  }

  private func submit(_ frame: EncodeJob) throws(Failure) {
    self.frame = nil
    isEmpty = false
    try encoder.submit(frame, to: target)
  }
}

/// Writes text as a ``SeekableFile`` on the calling thread, with one frame of text in memory.
package typealias SeekableTextWriter = SeekableTextStream<SeekableFile>

extension SeekableTextWriter {
  /// Least bytes of text in every frame but the last: enough for good compression, few enough for
  /// many frames to decode in parallel.
  package static var frameText: Int { 1 << 20 }

  package convenience init(_ file: OutputFile, level: Int) throws(Failure) {
    self.init(SeekableFile(file), ParallelFrameEncoder(nil, level: level))
    try open()
  }

  /// Writes the last frame, at least an empty one, and the seek table, syncs the file to disk and
  /// closes it. After a failure its content is undefined.
  @discardableResult
  package func finish() throws(Failure) -> WrittenFile {
    try end { _ in }
    return try target.finish()
  }

  /// The index in `piece` where a frame with `count` bytes of text so far ends, or nil: behind the
  /// first line end that may close it.
  package static func cut(_ piece: ByteView, behind count: Int) -> Int? {
    let first = max(frameText - count - 1, 0)
    guard first < piece.count else { return nil }
    return piece.dropFirst(first).firstIndex(of: JSONByte.lineFeed).map { first + $0 + 1 }
  }
}
