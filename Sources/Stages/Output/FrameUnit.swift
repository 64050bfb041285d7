import Dispatch
import Pipeline

/// Lines on their way into one file: rendered, then compressed.
struct FrameText: ~Copyable {
  /// The rendered lines.
  var text = ByteBuffer(capacity: 1 << 20)
  /// The compressed frames, one after the other.
  private(set) var frames = ByteBuffer(capacity: 1 << 18)
  /// Where each frame ends in `frames`, how long its text is, and how many lines it has.
  private(set) var cuts: [(end: Int, text: Int, lines: Int)] = []

  /// Forgets the lines and keeps the room.
  mutating func removeAll() {
    text.removeAll()
    frames.removeAll()
    cuts.removeAll(keepingCapacity: true)
  }

  /// Compresses the text, which has `lines` lines, into frames that end at line ends.
  /// - Throws: `io`, when there is no memory.
  mutating func compress(_ encoder: ZstdEncoder, lines: Int) throws(Failure) {
    var rest = lines
    var start = 0
    while start < text.count {
      let end = text.view.lineEnd(from: start, atLeast: SeekableTextWriter.frameText)
      let piece = text[start..<end]
      try encoder.compress(piece, into: &frames)
      // Most pieces are one frame: then nothing has to be counted.
      let inFrame = end < text.count ? NewlineScan(piece).count : rest
      cuts.append((end: frames.count, text: piece.count, lines: inFrame))
      rest -= inFrame
      start = end
    }
  }

  /// Appends the frames to a file.
  /// - Throws: `io`.
  borrowing func append(to file: SeekableFile) throws(Failure) {
    var start = 0
    for cut in cuts {
      try file.append(
        frame: frames[start..<cut.end], decompressed: cut.text, lines: cut.lines)
      start = cut.end
    }
  }
}

/// A piece of a snapshot on its way into the profiles and the state.
final class FrameUnit: FlowUnit, @unchecked Sendable {
  // @unchecked because the flow hands a unit from queue to queue, never to two at once.
  var sequence = 0
  var profiles = FrameText()
  var state = FrameText()
  var tally = SnapshotTally()
  var failure: Failure?

  /// Prepares the unit for its piece; false when all `pieces` are taken.
  func begin(of pieces: Int) -> Bool {
    profiles.removeAll()
    state.removeAll()
    tally = SnapshotTally()
    failure = nil
    return sequence < pieces
  }
}

/// Renders and compresses the units of one lane.
final class RenderLane: @unchecked Sendable {
  // @unchecked because only the lane's queue calls it, and `time` is read when it has ended.
  private let encoder: ZstdEncoder
  private(set) var time = StageTime(name: "publish")

  init(_ encoder: ZstdEncoder) { self.encoder = encoder }

  /// Renders a piece of `plan` into the unit and compresses it.
  func render(_ piece: SnapshotPiece, of plan: SnapshotPlan, into unit: FrameUnit) {
    let start = DispatchTime.now().uptimeNanoseconds
    plan.render(
      piece, profiles: &unit.profiles.text, state: &unit.state.text, tally: &unit.tally)
    do throws(Failure) {
      try unit.profiles.compress(encoder, lines: piece.profileLines)
      try unit.state.compress(encoder, lines: piece.stateLines)
    } catch {
      unit.failure = error
    }
    time.nanoseconds += DispatchTime.now().uptimeNanoseconds - start
    time.units += 1
  }
}

/// Appends the frames of the units, in order, to the files of a part.
final class FrameSink: @unchecked Sendable {
  // @unchecked because only the flow's last queue calls it, and `finish` when the flow has ended.
  private let profiles: SeekableFile
  private let state: SeekableFile
  private(set) var tally = SnapshotTally()

  init(profiles: OutputFile, state: OutputFile) {
    self.profiles = SeekableFile(profiles)
    self.state = SeekableFile(state)
  }

  func take(_ unit: FrameUnit) throws(Failure) {
    if let failure = unit.failure { throw failure }
    try unit.profiles.append(to: profiles)
    try unit.state.append(to: state)
    tally.merge(unit.tally)
  }

  /// Ends the files: profiles, then state.
  func finish() throws(Failure) -> [WrittenFile] {
    [try profiles.finish(), try state.finish()]
  }
}

extension ByteView {
  /// The end of the line that holds the byte `length` bytes behind `start`, or the end of the view.
  func lineEnd(from start: Int, atLeast length: Int) -> Int {
    guard start + length < count else { return count }
    let rest = dropFirst(start + length - 1)
    return rest.firstIndex(of: UInt8(ascii: "\n")).map { start + length + $0 } ?? count
  }
}
