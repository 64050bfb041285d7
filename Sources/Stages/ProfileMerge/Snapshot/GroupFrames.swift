package import Pipeline

/// The lines of some keys, in order, in two files at once: state and profiles. Their frames are cut at
/// the same keys, so a frame of one belongs to the frame of the other with its number.
///
/// A frame ends before a key with which a group begins (``KeyHash/beginsGroup(_:)``), and behind the
/// key that makes it too long. So the cuts follow from the keys and their lines alone.
package struct GroupFrames: ~Copyable {
  /// Keys of a frame at most: a group is rarely that long, unless somebody makes up its keys.
  private static let mostKeys = 512
  /// Bytes of text from which on a frame ends before the next key.
  private static let longestText = 1 << 20

  package var state = FrameText()
  package var profiles = FrameText()
  /// Keys of the frame that is being made.
  private var keys = 0
  /// Whether there is neither a finished frame nor a key.
  private(set) var isEmpty = true

  package init() {}

  /// Forgets everything.
  package mutating func removeAll() {
    state.removeAll()
    profiles.removeAll()
    keys = 0
    isEmpty = true
  }

  /// Begins a key, whose text has the hash `hash`.
  /// - Throws: `io`, when a frame cannot be compressed.
  mutating func begin(_ hash: UInt64, _ encoder: ZstdEncoder) throws(Failure) {
    let isFull =
      keys >= Self.mostKeys || state.text.count >= Self.longestText
      || profiles.text.count >= Self.longestText
    if keys > 0, isFull || KeyHash.beginsGroup(hash) { try cut(encoder) }
    keys += 1
    isEmpty = false
  }

  /// Ends the frames, if a key was begun.
  /// - Throws: `io`, when they cannot be compressed.
  mutating func cut(_ encoder: ZstdEncoder) throws(Failure) {
    guard keys > 0 else { return }
    try state.cut(encoder)
    try profiles.cut(encoder)
    keys = 0
  }

  /// Appends the finished frames to two files.
  /// - Throws: `io`.
  package borrowing func append(
    to state: any FrameTarget, _ profiles: any FrameTarget
  ) throws(Failure) {
    try self.state.append(to: state)
    try self.profiles.append(to: profiles)
  }

  /// Adds the frames `numbers` of a part as they are.
  /// - Throws: `corrupt`, `io`, when they cannot be read or compressed.
  mutating func copy(
    _ numbers: Range<Int>, of part: PreviousPart, stateLines: Int, profileLines: Int,
    _ encoder: ZstdEncoder
  ) throws(Failure) {
    try cut(encoder)
    try state.copy(numbers, of: part.state, lines: stateLines)
    try profiles.copy(numbers, of: part.profiles, lines: profileLines)
    isEmpty = false
  }
}
