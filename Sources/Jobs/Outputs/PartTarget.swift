import Pipeline
import Stages

/// The destination of the frames of a part: state, profiles, and index entries.
final class PartTarget<Target: FrameTarget> {
  private let state: Target
  private let profiles: Target
  private let indexFrames: Target
  /// Its frame must be ended at the end of each section.
  let index: IndexWriter

  /// Three files, or three segments.
  /// - Throws: `io`, when there is no memory.
  init(state: Target, profiles: Target, index: Target) throws(Failure) {
    self.state = state
    self.profiles = profiles
    indexFrames = index
    self.index = try IndexWriter(index)
  }

  /// Appends the finished frames of `frames`.
  /// - Throws: `io`.
  func append(_ frames: borrowing SnapshotFrames) throws(Failure) {
    try frames.state.append(to: state)
    try frames.profiles.append(to: profiles)
    try frames.index.forEach { entry throws(Failure) in try index.append(entry) }
  }
}

extension PartTarget<SeekableFile> {
  /// Finishes the files.
  /// - Throws: `io`.
  func finish() throws(Failure) {
    for file in [profiles, state, indexFrames] { try file.finish() }
  }
}

extension PartTarget<FrameSegment> {
  /// Closes the files of the segments; there may be many.
  /// - Throws: `io`.
  func seal() throws(Failure) {
    for segment in [state, profiles, indexFrames] { try segment.seal() }
  }

  /// Appends the frames to the files of `part`.
  /// - Throws: `io`.
  func move(to part: PartTarget<SeekableFile>) throws(Failure) {
    try state.move(to: part.state)
    try profiles.move(to: part.profiles)
    try indexFrames.move(to: part.indexFrames)
  }
}
