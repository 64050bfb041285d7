import Pipeline
import Stages

/// Where the frames of a part go: of state and profiles, and what the index says of them.
final class PartTarget: @unchecked Sendable {
  // @unchecked because only the flow's last queue appends while it runs.
  private let state: any FrameTarget
  private let profiles: any FrameTarget
  private let indexFrames: any FrameTarget
  /// Its frame has to be ended where a section ends.
  let index: IndexWriter

  /// Three files, or three segments.
  /// - Throws: `io`, when there is no memory.
  init(
    state: any FrameTarget, profiles: any FrameTarget, index: any FrameTarget
  ) throws(Failure) {
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

  /// Closes the files of segments, of which there may be many.
  /// - Throws: `io`.
  func seal() throws(Failure) {
    for target in [state, profiles, indexFrames] { try (target as? FrameSegment)?.seal() }
  }

  /// Appends the frames of segments to `target`.
  /// - Throws: `io`.
  func move(to target: PartTarget) throws(Failure) {
    for (from, to) in [
      (state, target.state), (profiles, target.profiles), (indexFrames, target.indexFrames),
    ] {
      guard let segment = from as? FrameSegment else {
        preconditionFailure("only segments are moved")
      }
      try segment.move(to: to)
    }
  }
}
