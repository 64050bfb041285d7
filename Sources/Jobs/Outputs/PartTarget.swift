import Pipeline
import Stages

/// The destination of a part: frames of state and profiles, of changes if it continues another
/// one, and index entries.
final class PartTarget<Target: FrameTarget> {
  private let state: Target
  private let profiles: Target
  private let changes: Target?
  private let indexFrames: Target
  /// Its frame must be ended at the end of each section.
  let index: IndexWriter

  /// Files, or segments.
  /// - Throws: `io`, when there is no memory.
  init(state: Target, profiles: Target, changes: Target?, index: Target) throws(Failure) {
    self.state = state
    self.profiles = profiles
    self.changes = changes
    indexFrames = index
    self.index = try IndexWriter(index)
  }

  /// Appends the finished frames of `frames`.
  /// - Throws: `io`.
  func append(_ frames: borrowing SnapshotFrames) throws(Failure) {
    try frames.state.append(to: state)
    try frames.profiles.append(to: profiles)
    if let changes { try frames.changes.append(to: changes) }
    try frames.index.forEach { entry throws(Failure) in try index.append(entry) }
  }
}

extension PartTarget<SeekableFile> {
  /// Finishes the files.
  /// - Throws: `io`.
  func finish() throws(Failure) {
    for file in [profiles, state, changes, indexFrames] { try file?.finish() }
  }

  /// Appends the changes in `source`, which has a first frame without any of its own.
  /// - Throws: `corrupt`, `io`.
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
  /// Closes the files of the segments; there may be many.
  /// - Throws: `io`.
  func seal() throws(Failure) {
    for segment in [state, profiles, changes, indexFrames] { try segment?.seal() }
  }

  /// Appends the frames to the files of `part`.
  /// - Throws: `io`.
  func move(to part: PartTarget<SeekableFile>) throws(Failure) {
    try state.move(to: part.state)
    try profiles.move(to: part.profiles)
    if let found = changes, let target = part.changes { try found.move(to: target) }
    try indexFrames.move(to: part.indexFrames)
  }
}
