import Dispatch
import Pipeline

/// A range of keys on its way into an output: rendered, compressed, appended.
final class FrameUnit: FlowUnit, @unchecked Sendable {
  // @unchecked because the flow hands a unit from queue to queue, never to two at once.
  var sequence = 0
  /// The rendered lines.
  var text = ByteBuffer(capacity: 1 << 20)
  /// The compressed frames, one after the other.
  var frames = ByteBuffer(capacity: 1 << 18)
  /// Where each frame ends in `frames`, how long its text is, and how many lines it has.
  var cuts: [(end: Int, text: Int, lines: Int)] = []
  var tally = SnapshotTally()
  var failure: Failure?

  /// Prepares the unit for its chunk; false when all `chunks` are taken.
  func begin(of chunks: Int) -> Bool {
    text.removeAll()
    frames.removeAll()
    cuts.removeAll(keepingCapacity: true)
    tally = SnapshotTally()
    failure = nil
    return sequence < chunks
  }
}

/// Renders and compresses the units of one lane.
final class RenderLane: @unchecked Sendable {
  // @unchecked because only the lane's queue calls it, and `time` is read when it has ended.
  private let encoder: ZstdEncoder
  private(set) var time = StageTime(name: "publish")

  init(_ encoder: ZstdEncoder) { self.encoder = encoder }

  /// Lets `write` fill the unit's text, and compresses it into frames cut at line ends.
  func render(_ unit: FrameUnit, _ write: () -> Void) {
    let start = DispatchTime.now().uptimeNanoseconds
    write()
    do throws(Failure) {
      try compress(unit)
    } catch {
      unit.failure = error
    }
    time.nanoseconds += DispatchTime.now().uptimeNanoseconds - start
    time.units += 1
  }

  private func compress(_ unit: FrameUnit) throws(Failure) {
    var start = 0
    while start < unit.text.count {
      let end = unit.text.view.lineEnd(from: start, atLeast: SeekableTextWriter.frameText)
      let piece = unit.text[start..<end]
      try encoder.compress(piece, into: &unit.frames)
      unit.cuts.append(
        (end: unit.frames.count, text: piece.count, lines: NewlineScan(piece).count))
      start = end
    }
  }
}

/// Appends the frames of the units, in order, to a file.
final class FrameSink: @unchecked Sendable {
  // @unchecked because only the flow's last queue calls it, and `finish` when the flow has ended.
  private let file: SeekableFile
  private(set) var tally = SnapshotTally()

  init(_ file: SeekableFile) { self.file = file }

  func take(_ unit: FrameUnit) throws(Failure) {
    if let failure = unit.failure { throw failure }
    var start = 0
    for cut in unit.cuts {
      try file.append(
        frame: unit.frames[start..<cut.end], decompressed: cut.text, lines: cut.lines)
      start = cut.end
    }
    tally.merge(unit.tally)
  }

  func finish() throws(Failure) -> WrittenFile { try file.finish() }
}

extension ByteView {
  /// The end of the line that holds the byte `length` bytes behind `start`, or the end of the view.
  func lineEnd(from start: Int, atLeast length: Int) -> Int {
    guard start + length < count else { return count }
    let rest = dropFirst(start + length - 1)
    return rest.firstIndex(of: UInt8(ascii: "\n")).map { start + length + $0 } ?? count
  }
}
