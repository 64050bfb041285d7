/// Frames one after the other: in another file, or made here.
package struct FrameRun {
  package let frames: ArraySlice<WrittenFrame>
  /// Nil when they are made here.
  package let file: PositionedFile?
  /// Where they are in it, or in the bytes made here.
  package let bytes: Range<Int>
}

/// Finished frames, and where their bytes are.
package struct FrameRuns {
  /// The beginning of a run: of its first frame, and where that is.
  private struct Start {
    let file: PositionedFile?
    let start: Int
    let first: Int
  }

  /// The frames, in order.
  private(set) package var frames: [WrittenFrame] = []
  private var starts: [Start] = []
  /// Where the next frame of the last run would be.
  private var end = 0
  /// Bytes of all frames.
  private(set) package var bytes = 0

  package init() {}

  /// Adds a frame that is at the bytes from `start` on: of `file`, or of those made here.
  package mutating func add(_ frame: WrittenFrame, of file: PositionedFile?, from start: Int) {
    if starts.last.map({ $0.file !== file || end != start }) ?? true {
      starts.append(Start(file: file, start: start, first: frames.count))
    }
    frames.append(frame)
    end = start + frame.compressed
    bytes += frame.compressed
  }

  /// Removes all frames and keeps the capacity.
  package mutating func removeAll() {
    frames.removeAll(keepingCapacity: true)
    starts.removeAll(keepingCapacity: true)
    bytes = 0
  }

  /// The runs, in order.
  package var runs: some Sequence<FrameRun> {
    starts.indices.lazy.map { number in
      let run = starts[number]
      let end = number + 1 < starts.count ? starts[number + 1].first : frames.count
      let found = frames[run.first..<end]
      return FrameRun(
        frames: found, file: run.file, bytes: run.start..<run.start + found.compressed)
    }
  }
}

// MARK: - As bytes

extension FrameRuns {
  /// Appends them to `text`, 16 bytes for each frame and each run, with the files by their numbers
  /// from 1 on in `files`, to which those that are missing are added.
  ///
  /// ```
  /// number of frames (32) │ of runs (32)
  /// for each frame:   compressed bytes (32) │ bytes of its text (32) │ lines (32) │ hash (32)
  /// for each run:     file (32) │ first frame (32) │ start (64)
  /// ```
  func append(to text: inout ByteBuffer, _ files: inout [PositionedFile]) {
    text.append(word32: UInt32(frames.count))
    text.append(word32: UInt32(starts.count))
    for frame in frames {
      for number in [frame.compressed, frame.text, frame.lines] {
        text.append(word32: UInt32(number))
      }
      text.append(word32: frame.hash)
    }
    for run in starts {
      text.append(word32: UInt32(run.file.map { Self.number(of: $0, &files) } ?? 0))
      text.append(word32: UInt32(run.first))
      text.append(word64: UInt64(run.start))
    }
  }

  private static func number(of file: PositionedFile, _ files: inout [PositionedFile]) -> Int {
    if let known = files.lastIndex(where: { $0 === file }) { return known + 1 }
    files.append(file)
    return files.count
  }

  /// Those that `text` has, which must not be damaged (``append(to:_:)``).
  init(_ text: ByteView, _ files: [PositionedFile]) {
    let (count, runs) = (Int(text.word32(at: 0)), Int(text.word32(at: 4)))
    frames = (0..<count).map { frame in
      func number(_ offset: Int) -> Int { Int(text.word32(at: 8 + 16 * frame + offset)) }
      return WrittenFrame(
        compressed: number(0), text: number(4), lines: number(8), hash: UInt32(number(12)))
    }
    starts = (count..<count + runs).map { run in
      let file = Int(text.word32(at: 8 + 16 * run))
      return Start(
        file: file > 0 ? files[file - 1] : nil, start: Int(text.word64(at: 16 + 16 * run)),
        first: Int(text.word32(at: 12 + 16 * run)))
    }
    bytes = frames[...].compressed
  }
}
