import Pipeline
import Stages

/// The destination of a part: frames of state, profiles and changes, and index entries.
final class PartTarget<Target: FrameTarget> {
  private let state: Target
  private let profiles: Target
  private let changes: Target?
  private let indexFrames: Target
  /// Its frame must be ended at the end of each section.
  let index: IndexWriter

  init(state: Target, profiles: Target, changes: Target?, index: Target) throws(Failure) {
    self.state = state
    self.profiles = profiles
    self.changes = changes
    indexFrames = index
    self.index = try IndexWriter(index)
  }

  private var targets: [Target?] { [profiles, state, changes, indexFrames] }

  func append(_ frames: borrowing SnapshotFrames) throws(Failure) {
    try frames.state.frames.append(to: state)
    try frames.profiles.append(to: profiles)
    if let changes { try frames.changes.append(to: changes) }
    try frames.index.forEach { entry throws(Failure) in try index.append(entry) }
  }
}

extension PartTarget<SeekableFile> {
  func finish() throws(Failure) { for file in targets { try file?.finish() } }

  /// Appends frames of the segment with that number (``finish()``).
  func append(
    _ frames: ArraySlice<WrittenFrame>, _ bytes: ByteView, of segment: Int
  ) throws(Failure) { try targets[segment]?.append(frames, bytes) }

  /// Appends the changes in `source`, which has a first frame without any of its own.
  func append(_ source: PublishedChanges) throws(Failure) {
    var bytes = ByteBuffer()
    var lines = source.lines
    for (number, frame) in source.file.frames.enumerated() where frame.decompressed > 0 {
      bytes.removeAll()
      try source.file.read(frame: number, into: &bytes)
      try changes?.append(frame: bytes.view, decompressed: frame.decompressed, lines: lines)
      lines = 0
    }
  }
}

extension PartTarget<FrameSegment> {
  /// The frames of the segments, in the order of the files of a part.
  func finish() throws(Failure) -> [SegmentFrames?] {
    try index.endFrame()
    return try targets.map { segment throws(Failure) in try segment?.finish() }
  }
}

/// Frames on their way from a segment into a part.
final class SegmentUnit: FlowUnit {
  var sequence = 0
  private var bytes = ByteBuffer()
  private var frames: ArraySlice<WrittenFrame> = []

  func read(_ segment: SegmentFrames) throws(Failure) {
    bytes.removeAll()
    frames = try segment.read(sequence, into: &bytes)
  }

  func append(to part: PartTarget<SeekableFile>?, of segment: Int) throws(Failure) {
    try part?.append(frames, bytes.view, of: segment)
  }
}
