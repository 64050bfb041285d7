/// A destination of finished frames, in order.
package protocol FrameTarget: AnyObject {
  /// Appends a whole frame of `decompressed` bytes of text, which are `lines` lines.
  /// - Throws: `io`, when the frame cannot be written.
  func append(frame: ByteView, decompressed: Int, lines: Int) throws(Failure)
}

extension SeekableFile: FrameTarget {}

/// Frames made before their position in a file is known: in memory while they are few, else in a
/// file of their own. One thread at a time.
package final class FrameSegment: FrameTarget {
  /// Bytes kept in memory, unless there is less room.
  package static let mostKept = 4 << 20
  /// Bytes moved at a time, unless a frame is longer.
  private static let moved = 256 << 10

  private struct Frame: BitwiseCopyable {
    let compressed: UInt32
    let decompressed: UInt32
    let lines: UInt32
  }

  private let mostKept: Int
  private let makeFile: () throws(Failure) -> OutputFile
  private var frames = PlainList<Frame>()
  private var kept = ByteBuffer()
  private var file: OutputFile?
  private var isSealed = false

  /// A segment that creates its file with `makeFile` for more than `mostKept` bytes.
  package init(
    mostKept: Int = FrameSegment.mostKept,
    _ makeFile: @escaping () throws(Failure) -> OutputFile
  ) {
    self.mostKept = mostKept
    self.makeFile = makeFile
  }

  package func append(frame: ByteView, decompressed: Int, lines: Int) throws(Failure) {
    precondition(
      max(frame.count, decompressed, lines) <= Int(UInt32.max), "a frame is shorter than 4 GiB")
    frames.append(
      Frame(
        compressed: UInt32(frame.count), decompressed: UInt32(decompressed), lines: UInt32(lines)))
    if file == nil, kept.count + frame.count > mostKept {
      let file = try makeFile()
      try file.append(kept.view)
      kept = ByteBuffer()
      self.file = file
    }
    if let file { try file.append(frame) } else { kept.append(frame) }
  }

  /// Closes the file, if there is one; nothing may be appended afterwards.
  package func seal() throws(Failure) {
    guard let file, !isSealed else { return }
    isSealed = true
    _ = try file.finish()
  }

  /// Appends all frames to `target`.
  package func move(to target: any FrameTarget) throws(Failure) {
    try seal()
    var source: PositionedFile?
    if let file {
      source = try PositionedFile(file.location, doing: "reading back", system: file.system)
    }
    var buffer = ByteBuffer()
    // What was read of the file.
    var read = 0..<(source == nil ? kept.count : 0)
    var offset = 0
    for index in 0..<frames.count {
      let frame = frames[index]
      let end = offset + Int(frame.compressed)
      if let source, end > read.upperBound {
        read = offset..<max(end, min(offset + Self.moved, file?.bytes ?? 0))
        buffer.removeAll()
        try source.read(read, into: &buffer)
      }
      let bytes = source == nil ? kept.view : buffer.view
      try target.append(
        frame: bytes[offset - read.lowerBound..<end - read.lowerBound],
        decompressed: Int(frame.decompressed), lines: Int(frame.lines))
      offset = end
    }
  }
}
