/// A destination of finished frames, in order. Each call throws `io`, when they cannot be written.
package protocol FrameTarget: AnyObject {
  /// Appends whole frames, whose bytes are in `bytes`, one after the other.
  func append(_ frames: ArraySlice<WrittenFrame>, _ bytes: ByteView) throws(Failure)

  /// Appends whole frames of `file`, which are in its bytes from `start` on: only to a segment.
  func append(
    _ frames: ArraySlice<WrittenFrame>, of file: PositionedFile, from start: Int
  ) throws(Failure)
}

extension FrameTarget {
  /// Appends a whole frame of `decompressed` bytes of text, which are `lines` lines.
  package func append(frame: ByteView, decompressed: Int, lines: Int) throws(Failure) {
    try append([WrittenFrame(frame, text: decompressed, lines: lines)], frame)
  }

  package func append(
    _ frames: ArraySlice<WrittenFrame>, of file: PositionedFile, from start: Int
  ) throws(Failure) {
    preconditionFailure("frames are read before they are appended to a file")
  }
}

/// The facts of a frame that are needed to copy it.
package struct WrittenFrame: Equatable, BitwiseCopyable, Sendable {
  private let (storedBytes, storedText, storedLines): (UInt32, UInt32, UInt32)
  /// Half of the XXH64 of its bytes.
  package let hash: UInt32

  /// Bytes in the file, those of its text, and the lines of that.
  package var compressed: Int { Int(storedBytes) }
  package var text: Int { Int(storedText) }
  package var lines: Int { Int(storedLines) }

  package init(compressed: Int, text: Int, lines: Int, hash: UInt32) {
    precondition(
      max(compressed, text, lines) <= Int(UInt32.max), "a frame is shorter than 4 GiB")
    (storedBytes, storedText, storedLines) = (UInt32(compressed), UInt32(text), UInt32(lines))
    self.hash = hash
  }

  package init(_ frame: ByteView, text: Int, lines: Int) {
    self.init(compressed: frame.count, text: text, lines: lines, hash: XXH64.half(frame))
  }
}

extension ArraySlice<WrittenFrame> {
  package var compressed: Int { reduce(0) { $0 + $1.compressed } }

  /// Whether `bytes` are these frames.
  func match(_ bytes: ByteView) -> Bool {
    var matches = true
    forEach(in: bytes) { matches = matches && XXH64.half($1) == $0.hash }
    return matches
  }

  /// Calls `body` with each frame, and its bytes in `bytes`, in which they are one after the other.
  package func forEach<Fault>(
    in bytes: ByteView, _ body: (WrittenFrame, ByteView) throws(Fault) -> Void
  ) throws(Fault) {
    var start = 0
    for frame in self {
      try body(frame, bytes[start..<start + frame.compressed])
      start += frame.compressed
    }
  }
}

extension PositionedFile {
  var otherFrame: Failure { damaged("a frame does not match the index") }

  package func check(_ frames: ArraySlice<WrittenFrame>, _ bytes: ByteView) throws(Failure) {
    guard frames.match(bytes) else { throw otherFrame }
  }
}
