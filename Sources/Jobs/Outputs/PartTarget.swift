import Pipeline
import Stages

/// The destination of a part: frames of state and profiles, lines of changes if it continues
/// another one, and index entries.
final class PartTarget<Target: FrameTarget, Changes: FrameTarget> {
  private let state: Target
  private let profiles: Target
  private let changes: Changes?
  private let indexFrames: Target
  /// Its frame must be ended at the end of each section.
  let index: IndexWriter

  /// Files, or segments.
  /// - Throws: `io`, when there is no memory.
  init(state: Target, profiles: Target, changes: Changes?, index: Target) throws(Failure) {
    self.state = state
    self.profiles = profiles
    self.changes = changes
    indexFrames = index
    self.index = try IndexWriter(index)
  }

  /// Appends the result of a piece.
  /// - Throws: `io`.
  func append(_ unit: SnapshotUnit) throws(Failure) {
    try append(unit.frames)
    if unit.changes.isEmpty { return }
    try changes?.append(frame: unit.changes.view, decompressed: unit.changes.count, lines: 0)
  }

  /// Appends the finished frames of `frames`.
  /// - Throws: `io`.
  func append(_ frames: borrowing SnapshotFrames) throws(Failure) {
    try frames.state.append(to: state)
    try frames.profiles.append(to: profiles)
    try frames.index.forEach { entry throws(Failure) in try index.append(entry) }
  }
}

extension PartTarget<SeekableFile, ChangeWriter> {
  /// Finishes the files.
  /// - Throws: `io`.
  func finish() throws(Failure) {
    for file in [profiles, state, indexFrames] { try file.finish() }
    try changes?.finish()
  }

  /// Appends the changes in `file`.
  /// - Throws: `corrupt`, `io`.
  func append(changesOf file: FrameFile) throws(Failure) { try changes?.append(contentsOf: file) }
}

extension PartTarget<FrameSegment, FrameSegment> {
  /// Closes the files of the segments; there may be many.
  /// - Throws: `io`.
  func seal() throws(Failure) {
    for segment in [state, profiles, changes, indexFrames] { try segment?.seal() }
  }

  /// Appends the frames to the files of `part`.
  /// - Throws: `io`.
  func move(to part: PartTarget<SeekableFile, ChangeWriter>) throws(Failure) {
    try state.move(to: part.state)
    try profiles.move(to: part.profiles)
    if let found = changes, let target = part.changes { try found.move(to: target) }
    try indexFrames.move(to: part.indexFrames)
  }
}
