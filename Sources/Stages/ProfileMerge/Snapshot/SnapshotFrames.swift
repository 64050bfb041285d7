package import Pipeline

/// Compresses the frames of a snapshot. One thread at a time.
package struct SnapshotEncoders {
  let state: ZstdEncoder
  let profiles: ZstdEncoder

  /// Encoders of that level. Only the next night reads a state: it is not compressed further than
  /// its profiles, and least with the least level.
  package init(level: Int) throws(Failure) {
    profiles = try ZstdEncoder(level: level)
    let isLeast = level == ZstdEncoder.levels.lowerBound
    state = try ZstdEncoder(level: isLeast ? ZstdEncoder.fastest : level)
  }
}

/// The lines of some keys, in order, in two files at once: state and profiles. Their frames are cut
/// at the same keys, so a frame of one belongs to the frame of the other with its number, and both
/// share one entry in the index. A third file has lines about profiles that have changed, in frames
/// of their own.
///
/// The end of a frame depends only on its keys, its text and the next key (``begins(with:)``): so a
/// frame of another snapshot is a frame of this one, if it begins at the same key and its content
/// is the same.
package struct SnapshotFrames: ~Copyable {
  /// The rule for frame ends, and whether there are profiles.
  package enum Layout: Sendable {
    /// Short frames; most are unchanged after a night.
    case snapshot
    /// Long frames of states only, which are read as a whole.
    case spill
  }

  /// Keys of a snapshot's frame after which it ends at the next key that may end one
  /// (``KeyHash/mayEndFrame(_:)``): enough to compress well, and few enough for most frames to be
  /// unchanged after a night.
  private static let usualKeys = 8
  /// Bytes of text after which it does, and of states alone: installations that fold into people
  /// have no profile, and a longer frame of them would hardly ever be unchanged.
  private static let (usualText, usualState) = (8 << 10, 2 << 10)
  /// Most keys of it.
  private static let mostKeys = 128
  /// Bytes of text after which a frame of a spill ends before the next key that begins a group.
  private static let spilledText = 64 << 10
  /// Bytes of text after which any frame ends before the next key.
  private static let longestText = 1 << 20
  /// Bytes of text after which a frame of changes ends before the next line.
  private static let usualChanges = 256 << 10

  package var state: StateText
  package var profiles: FrameText
  package private(set) var changes = FrameText()
  package private(set) var index = IndexText()
  private var keys = 0
  /// Whether a group of keys has begun since the last line of changes.
  private var hasBegunGroup = false
  private let layout: Layout

  /// See ``FrameText`` for `readsCopies`.
  package init(_ layout: Layout = .snapshot, readsCopies: Bool = true) {
    self.layout = layout
    state = StateText(readsCopies: readsCopies)
    profiles = FrameText(readsCopies: readsCopies)
  }

  package mutating func removeAll() {
    state.removeAll()
    profiles.removeAll()
    changes.removeAll()
    index.removeAll()
    (keys, hasBegunGroup) = (0, false)
  }

  /// Whether a frame begins with the next key if its text has the hash `hash`.
  func begins(with hash: UInt64) -> Bool {
    if layout == .spill {
      let isLong = state.count >= Self.spilledText && KeyHash.beginsGroup(hash)
      return keys == 0 || isLong || state.count >= Self.longestText
    }
    if keys == 0 || keys >= Self.mostKeys || KeyHash.beginsGroup(hash) { return true }
    let isLong =
      state.count >= Self.usualState || state.count + profiles.text.count >= Self.usualText
    if isLong, keys >= Self.usualKeys, KeyHash.mayEndFrame(hash) { return true }
    return state.count >= Self.longestText || profiles.text.count >= Self.longestText
  }

  /// Makes the first frames of a part: the header of the state, and no profiles or changes.
  package mutating func writeHeader(
    _ header: StateHeader, _ encoders: SnapshotEncoders
  ) throws(Failure) {
    precondition(keys == 0, "the header precedes all keys")
    header.append(to: &state.frames.text)
    try state.frames.cut(encoders.state)
    try profiles.cut(encoders.profiles)
    try changes.cut(encoders.profiles)
    index.end(state: state.frames.last, profiles: profiles.last)
  }

  /// Begins the key `key`, whose text has the hash `hash`.
  mutating func begin(
    _ key: ByteView, _ hash: UInt64, _ encoders: SnapshotEncoders
  ) throws(Failure) {
    var goesOn = false
    if keys > 0, begins(with: hash) {
      goesOn = layout == .spill && state.endsWith(key)
      try cut(encoders)
    }
    if keys == 0 { index.begin(key, goesOn: goesOn) }
    if layout == .snapshot { index.facts.begin(key, hash) }
    if KeyHash.beginsGroup(hash) { hasBegunGroup = true }
    keys += 1
  }

  /// Appends a line about the profile of the current key to the changes. Their frames end where
  /// groups of keys begin, as the pieces of the merge do, so their bytes do not depend on these.
  mutating func append(_ change: ChangeLine, _ encoders: SnapshotEncoders) throws(Failure) {
    if !changes.text.isEmpty, hasBegunGroup || changes.text.count >= Self.usualChanges {
      try changes.cut(encoders.profiles)
    }
    hasBegunGroup = false
    change.append(to: &changes.text)
    changes.lines += 1
  }

  /// Ends all frames at the end of a piece.
  mutating func finish(_ encoders: SnapshotEncoders) throws(Failure) {
    try cut(encoders)
    if !changes.text.isEmpty { try changes.cut(encoders.profiles) }
  }

  /// Appends the state of the current key (``StateText``), and the line of its profile, if that is
  /// copied.
  mutating func append(
    _ key: KeyState, published: [EventsRegister.Row] = [], withValues: Bool = true,
    _ profile: ByteView? = nil, names: SnapshotNames, oldestID: Int
  ) {
    state.append(
      key, published: published, withValues: withValues, names: names, oldestID: oldestID,
      noting: &index.facts)
    index.facts.end()
    guard let profile else { return }
    profiles.text.append(profile)
    profiles.lines += 1
  }

  /// Ends the frames, if a key was begun, or reads those that were copied.
  mutating func cut(_ encoders: SnapshotEncoders) throws(Failure) {
    guard keys > 0 else {
      try state.frames.readCopies()
      return try profiles.readCopies()
    }
    try state.cut(encoders.state)
    if layout == .snapshot { try profiles.cut(encoders.profiles) }
    index.end(state: state.frames.last, profiles: profiles.last)
    keys = 0
  }

  mutating func removeFinished() {
    state.frames.removeFinished()
    index.removeFinished()
  }

  /// Adds a frame of the previous snapshot unchanged. Adjacent frames are read together.
  mutating func copy(
    _ entry: FrameEntry, of part: SortedRun, _ encoders: SnapshotEncoders
  ) throws(Failure) {
    if keys > 0 { try cut(encoders) }
    if KeyHash.beginsGroup(XXH64.hash(entry.entry.key)) { hasBegunGroup = true }
    try state.frames.copy(entry.entry.state, of: part.state, from: entry.state.lowerBound)
    if let file = part.profiles {
      try profiles.copy(entry.entry.profiles, of: file, from: entry.profiles.lowerBound)
    }
    index.copy(entry.entry)
  }
}

/// The result of a piece of the merge, on its way into the files.
package final class SnapshotUnit: FlowUnit {
  package var sequence = 0
  package var frames: SnapshotFrames
  package let members = StateSlice()
  package var persons: [UInt64] = []

  /// A unit for pieces of a snapshot, or of a spill. See ``FrameText`` for `readsCopies`.
  package init(_ layout: SnapshotFrames.Layout = .snapshot, readsCopies: Bool = true) {
    frames = SnapshotFrames(layout, readsCopies: readsCopies)
  }

  package func recycle() {
    frames.removeAll()
    members.removeAll()
    persons.removeAll(keepingCapacity: true)
  }
}
