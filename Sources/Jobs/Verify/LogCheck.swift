import Pipeline
import Stages

/// Compares one canonical log with the canonical form of its lines: its text, its frames with the
/// cuts of that (``SeekableTextWriter``), its seek table with the frames, and perhaps their bytes.
/// For one thread at a time.
final class LogCheck {
  private let path: String
  private let file: FrameFile?
  /// Makes the frames again.
  private let stream: SeekableTextStream<FrameComparison>?
  /// Bytes of the canonical text.
  private var textBytes = 0
  /// Whether everything was equal so far.
  private var isSound = true
  /// The current frame, and the length of its text so far.
  private var frame = 0
  private var filled = 0
  private var compressed = ByteBuffer()
  /// The first problem of a frame; after a frame with a different cut all others differ.
  private var fault: VerifyProblem?

  /// A check of the log `path` in the directory `output`, whose frames are made again by `encoder`.
  init(_ path: String, in output: String, encoder: ParallelFrameEncoder?) {
    self.path = path
    // The reader reports why a log cannot be opened.
    file = try? FrameFile("\(output)/\(path)", doing: FrameWalk.doing)
    stream =
      if let file, let encoder {
        SeekableTextStream(FrameComparison(path, file), encoder)
      } else {
        nil
      }
  }

  /// Receives the next block of the log.
  func take(_ unit: WorkUnit, _ problems: inout ProblemList) throws(Failure) {
    if unit.text.view != unit.block.bytes {
      isSound = false
      CanonicalLines(unit).differences(in: path, &problems)
    }
    textBytes += unit.text.count
    guard isSound else { return }
    try stream?.append(unit.text.view)
    var rest = unit.text.view
    while fault == nil, let end = SeekableTextWriter.cut(rest, behind: filled) {
      filled += end
      rest = rest.dropFirst(end)
      try endFrame()
    }
    filled += rest.count
  }

  private func endFrame() throws(Failure) {
    defer { (frame, filled) = (frame + 1, 0) }
    guard let file, frame < file.frames.count else { return fail(.missingFrame) }
    let extent = file.frames[frame]
    compressed.removeAll()
    guard extent.compressed <= SeekTable.Frame.longest else { return fail(.longFrame) }
    try file.read(frame: frame, into: &compressed)
    if let mismatch = extent.mismatch(of: compressed.view) {
      fail(.damagedFrame, mismatch)
    } else if extent.decompressed != filled {
      fail(.otherFrameText, extent.decompressed, filled)
    }
  }

  private func fail(_ code: ProblemCode, _ figures: any CustomStringConvertible...) {
    fault = VerifyProblem(file: path, frame: frame, finding: Finding(code, figures))
  }

  /// Ends the log, whose reading had the result `outcome`. A frame that differs when it is made
  /// again is passed to `differs`, when the encoder has made it.
  func end(
    _ outcome: InputOutcome, _ problems: inout ProblemList,
    differs: @escaping (VerifyProblem) -> Void
  ) throws(Failure) {
    let isRead = isSound && outcome.lost == nil
    // An invalid log must also return the frame that it has begun.
    try stream?.end { made in if isRead, let difference = made.difference { differs(difference) } }
    if let lost = outcome.lost { problems.add(path, frame: lost.frame, .unreadable, lost.why) }
    guard isRead else { return }
    guard let file else { return problems.add(path, .noSeekTable) }
    if let read = outcome.summary?.decompressedBytes, read != textBytes {
      problems.add(path, .otherText, read, textBytes)
    }
    if fault == nil, filled > 0 || frame == 0 { try endFrame() }
    if fault == nil, frame < file.frames.count { fail(.extraFrame) }
    if let fault { problems.add(fault) }
  }
}

/// Compares frames that were made again with those in a log. One thread at a time.
final class FrameComparison: FrameTarget {
  private let path: String
  private let file: FrameFile
  private var frame = 0
  private var compressed = ByteBuffer()
  private(set) var difference: VerifyProblem?

  init(_ path: String, _ file: FrameFile) { (self.path, self.file) = (path, file) }

  func append(_ frames: ArraySlice<WrittenFrame>, _ bytes: ByteView) throws(Failure) {
    try frames.forEach(in: bytes) { _, made throws(Failure) in try compare(made) }
  }

  private func compare(_ made: ByteView) throws(Failure) {
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

/// The lines of a block that are not canonical, one by one.
struct CanonicalLines {
  private let unit: WorkUnit

  /// The lines of a unit whose text differs from its block.
  init(_ unit: WorkUnit) { self.unit = unit }

  /// Reports the problem of each, as lines of the log `path`. Complexity: O(bytes of the block).
  func differences(in path: String, _ problems: inout ProblemList) {
    // The canonical form, line by line; a line without accepted parts has none.
    var written = LineCursor(bytes: unit.text.view)
    for index in unit.batch.lines.indices {
      let line = unit.batch.lines[index]
      let start = Int(line.start)
      let found = unit.block.bytes[start..<start + Int(line.length)]
      let text = isWritten(line) ? written.next().map { unit.text.view[$0] } : nil
      guard let finding = fault(line, found, text) else { continue }
      let number = unit.block.number(of: line)
      problems.add(VerifyProblem(file: path, line: number, finding: finding))
    }
  }

  private func isWritten(_ line: LineEntry) -> Bool {
    line.outcome == .record && unit.batch.isWritten(unit.batch.records[line.record.index])
  }

  /// The problem of a line that is `found` and has the canonical form `text`.
  private func fault(_ line: LineEntry, _ found: ByteView, _ text: ByteView?) -> Finding? {
    switch line.outcome {
    case .blank: return Finding(.blankLine)
    case .rejected: return Finding(.rejectedLine, [message(line.reasons)])
    case .record: break
    }
    let (batch, record) = (unit.batch, unit.batch.records[line.record.index])
    for (number, index) in record.eventIndices.enumerated() where !batch.events[index].isAccepted {
      return Finding(.rejectedEvent, [number, message(batch.events[index].reasons)])
    }
    for (number, index) in record.operationIndices.enumerated()
    where !batch.operations[index].isApplied {
      return Finding(.refusedOperation, [number, message(batch.operations[index].reasons)])
    }
    guard let text else { return Finding(.nothingWritten) }
    if text == found {
      // A CR before the line end is not part of the line.
      let end = Int(line.start) + Int(line.length)
      return unit.block.bytes[end] == UInt8(ascii: "\n") ? nil : Finding(.carriageReturn)
    }
    let common = min(text.count, found.count)
    let offset = (0..<common).first { text[$0] != found[$0] } ?? common
    return Finding(
      .notCanonical, [offset, found.dropFirst(offset).shown, text.dropFirst(offset).shown])
  }

  private func message(_ range: ReasonRange) -> String {
    guard let index = range.indices.first else { return "for no reason" }
    let reason = unit.batch.reasons[index]
    return unit.batch.reasons.message(of: reason)
  }
}
