/// Frames one after the other, and where they are in a file, or in the bytes made here.
package struct FrameRun {
  package let frames: ArraySlice<WrittenFrame>
  /// Nil when they are made here.
  package let file: PositionedFile?
  package let bytes: Range<Int>
}

/// Finished frames, and where their bytes are.
package struct FrameRuns {
  /// Of a run: its first frame, and where that is.
  private struct Start {
    let file: PositionedFile?
    let start: Int
    let first: Int
  }

  private(set) package var frames: [WrittenFrame] = []
  private var starts: [Start] = []
  /// The place of the frame that would continue the last run.
  private var end = 0
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

  package mutating func removeAll() {
    frames.removeAll(keepingCapacity: true)
    starts.removeAll(keepingCapacity: true)
    bytes = 0
  }

  package var runs: some Sequence<FrameRun> {
    starts.indices.lazy.map { number in
      let run = starts[number]
      let end = number + 1 < starts.count ? starts[number + 1].first : frames.count
      let found = frames[run.first..<end]
      return FrameRun(
        frames: found, file: run.file, bytes: run.start..<run.start + found.compressed)
    }
  }

  /// Appends them to `text`; files by their numbers from 1 on in `files`, to which missing ones are
  /// added.
  ///
  /// ```
  /// number of frames (32) │ of runs (32)
  /// for each frame:   compressed bytes (32) │ bytes of its text (32) │ lines (32) │ hash (32)
  /// for each run:     file (32) │ first frame (32) │ start (64)
  /// ```
  func append(to text: inout ByteBuffer, _ files: inout [PositionedFile]) {
    for number in [frames.count, starts.count] { text.append(word32: UInt32(number)) }
    for frame in frames {
      for number in [frame.compressed, frame.text, frame.lines, Int(frame.hash)] {
        text.append(word32: UInt32(number))
      }
    }
    for run in starts {
      let known = run.file.map { file in files.lastIndex { $0 === file } ?? files.count }
      if let known, known == files.count, let file = run.file { files.append(file) }
      text.append(word32: UInt32(known.map { $0 + 1 } ?? 0))
      text.append(word32: UInt32(run.first))
      text.append(word64: UInt64(run.start))
    }
  }

  /// Reads what ``append(to:_:)`` has written, which must not be damaged.
  init(_ text: ByteView, _ files: [PositionedFile]) {
    func number(_ offset: Int) -> Int { Int(text.word32(at: offset)) }
    let (count, runs) = (number(0), number(4))
    frames = stride(from: 8, to: 8 + 16 * count, by: 16).map { at in
      WrittenFrame(
        compressed: number(at), text: number(at + 4), lines: number(at + 8),
        hash: text.word32(at: at + 12))
    }
    starts = stride(from: 8 + 16 * count, to: 8 + 16 * (count + runs), by: 16).map { at in
      Start(
        file: number(at) > 0 ? files[number(at) - 1] : nil, start: Int(text.word64(at: at + 8)),
        first: number(at + 4))
    }
    bytes = frames[...].compressed
  }
}
