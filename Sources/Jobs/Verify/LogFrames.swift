import Pipeline

/// Compares the frames of a log with the cuts of its text (``SeekableTextWriter``), and its seek
/// table with the frames. For one thread at a time.
final class LogFrames {
  private let file: FrameFile
  /// The current frame, and the length of its text so far.
  private var frame = 0
  private var filled = 0
  private var compressed = ByteBuffer()
  /// The first problem; after a frame with a different cut all others differ.
  private(set) var fault: (frame: Int, finding: Finding)?

  init(_ file: FrameFile) { self.file = file }

  /// Receives the next lines of the text.
  ///
  /// - Throws: `io`, when the file cannot be read.
  func take(_ text: ByteView) throws(Failure) {
    var rest = text
    while fault == nil, let end = SeekableTextWriter.cut(rest, behind: filled) {
      filled += end
      rest = rest.dropFirst(end)
      try endFrame()
    }
    filled += rest.count
  }

  /// Ends the text.
  ///
  /// - Throws: as ``take(_:)``.
  func end() throws(Failure) {
    if filled > 0 || frame == 0, fault == nil { try endFrame() }
    if fault == nil, frame < file.frames.count {
      fault = (frame, Finding(.extraFrame))
    }
  }

  private func endFrame() throws(Failure) {
    defer { (frame, filled) = (frame + 1, 0) }
    guard frame < file.frames.count else {
      fault = (frame, Finding(.missingFrame))
      return
    }
    let extent = file.frames[frame]
    compressed.removeAll()
    guard extent.compressed <= SeekTable.Frame.longest else {
      fault = (frame, Finding(.longFrame))
      return
    }
    try file.read(frame: frame, into: &compressed)
    if let mismatch = extent.mismatch(of: compressed.view) {
      fault = (frame, Finding(.damagedFrame, [mismatch]))
    } else if extent.decompressed != filled {
      fault = (frame, Finding(.otherFrameText, [extent.decompressed, filled]))
    }
  }
}

/// Compares frames that were made again with those in a log. One thread at a time.
final class FrameComparison: FrameTarget {
  private let path: String
  private let file: FrameFile
  private var frame = 0
  private var compressed = ByteBuffer()
  /// The first frame that differs.
  private(set) var difference: VerifyProblem?

  /// A comparison with the frames of `file`, which is called `path`.
  init(_ path: String, _ file: FrameFile) {
    self.path = path
    self.file = file
  }

  func append(frame made: ByteView, decompressed: Int, lines: Int) throws(Failure) {
    defer { frame += 1 }
    guard difference == nil else { return }
    compressed.removeAll()
    if frame < file.frames.count, file.frames[frame].compressed == made.count {
      try file.read(frame: frame, into: &compressed)
    }
    if compressed.view != made {
      difference = VerifyProblem(file: path, frame: frame, finding: Finding(.otherFrameBytes))
    }
  }
}
