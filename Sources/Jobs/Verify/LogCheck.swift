import Pipeline
import Stages

/// Compares one canonical log with the canonical form of its lines: text, frames, compressed bytes.
/// For one thread at a time.
final class LogCheck {
  private let path: String
  private let frames: LogFrames?
  /// Makes the frames again.
  private let stream: SeekableTextStream<FrameComparison>?
  /// Bytes of the canonical text.
  private var textBytes = 0
  /// Whether everything was equal so far.
  private var isSound = true

  /// A check of the log `path` in the directory `output`, whose frames are made again by `encoder`.
  init(_ path: String, in output: String, encoder: ParallelFrameEncoder?) {
    self.path = path
    // The reader reports why a log cannot be opened.
    let file = try? FrameFile("\(output)/\(path)", doing: FrameWalk.doing)
    frames = file.map { LogFrames($0) }
    stream =
      if let file, let encoder {
        SeekableTextStream(FrameComparison(path, file), encoder)
      } else {
        nil
      }
  }

  /// Receives the next block of the log.
  ///
  /// - Throws: `io`, when the file cannot be read again.
  func take(_ unit: WorkUnit, _ problems: inout ProblemList) throws(Failure) {
    if unit.text.view != unit.block.bytes {
      isSound = false
      CanonicalLines(unit).differences(in: path, &problems)
    }
    textBytes += unit.text.count
    guard isSound else { return }
    try frames?.take(unit.text.view)
    try stream?.append(unit.text.view)
  }

  /// Ends the log, whose reading had the result `outcome`. A frame that differs when it is made
  /// again is passed to `differs`, when the encoder has made it.
  ///
  /// - Throws: as ``take(_:_:)``.
  func end(
    _ outcome: InputOutcome, _ problems: inout ProblemList,
    differs: @escaping (VerifyProblem) -> Void
  ) throws(Failure) {
    let isRead = isSound && outcome.lost == nil
    // An invalid log must also return the frame that it has begun.
    try stream?.end { made in
      if isRead, let difference = made.difference { differs(difference) }
    }
    if let lost = outcome.lost {
      problems.add(path, frame: lost.frame, .unreadable, lost.why)
    }
    guard isRead else { return }
    guard let frames else {
      return problems.add(path, .noSeekTable)
    }
    if let read = outcome.summary?.decompressedBytes, read != textBytes {
      problems.add(path, .otherText, read, textBytes)
    }
    try frames.end()
    if let (frame, fault) = frames.fault {
      problems.add(VerifyProblem(file: path, frame: frame, finding: fault))
    }
  }
}
