package import Pipeline

/// Lines on their way into one file: rendered, then compressed into frames.
package struct FrameText: ~Copyable {
  /// What a frame in a file is made of.
  package struct Cut {
    /// Where it ends among the frames.
    let end: Int
    /// Bytes of its text.
    let text: Int
    let lines: Int
  }

  /// The lines of the frame that is being made.
  package var text = ByteBuffer(capacity: 1 << 16)
  /// How many they are.
  package var lines = 0
  /// The compressed frames, one after the other.
  private var frames = ByteBuffer(capacity: 1 << 17)
  private var cuts: [Cut] = []

  package init() {}

  /// Forgets everything and keeps the room of usual lines.
  package mutating func removeAll() {
    text.removeAll()
    text.shrink(to: KeptRoom.bytes)
    frames.removeAll()
    frames.shrink(to: KeptRoom.bytes)
    cuts.removeAll(keepingCapacity: true)
    lines = 0
  }

  /// Ends the frame, also one without lines.
  /// - Throws: `io`, when there is no memory.
  package mutating func cut(_ encoder: ZstdEncoder) throws(Failure) {
    try encoder.compress(text.view, into: &frames)
    cuts.append(Cut(end: frames.count, text: text.count, lines: lines))
    text.removeAll()
    lines = 0
  }

  /// Adds finished frames of another file as they are, which have `lines` lines in all.
  /// - Throws: `corrupt`, `io`, when they cannot be read.
  mutating func copy(
    _ numbers: Range<Int>, of file: FrameFile, lines: Int
  ) throws(Failure) {
    precondition(text.isEmpty, "a frame is not begun when others are copied")
    guard let first = numbers.first, let last = numbers.last else { return }
    let end = file.frames[last].offset + file.frames[last].compressed
    let start = frames.count
    try file.file.read(file.frames[first].offset..<end, into: &frames)
    for number in numbers {
      let frame = file.frames[number]
      cuts.append(
        Cut(
          end: start + frame.offset - file.frames[first].offset + frame.compressed,
          text: frame.decompressed, lines: number == first ? lines : 0))
    }
  }

  /// Appends the finished frames to a file or what will be one.
  /// - Throws: `io`.
  package borrowing func append(to file: any FrameTarget) throws(Failure) {
    var start = 0
    for cut in cuts {
      try file.append(
        frame: frames[start..<cut.end], decompressed: cut.text, lines: cut.lines)
      start = cut.end
    }
  }
}
