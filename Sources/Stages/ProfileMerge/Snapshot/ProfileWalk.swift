package import Pipeline

/// Walks the published profiles of two outputs side by side, and finds those that differ. For one
/// thread.
///
/// Frames with equal bytes on both sides are skipped without being decoded. Frames are cut by their
/// keys, so after a difference both sides soon have equal frames again. Memory is that of a frame
/// for each part.
package struct ProfileWalk: ~Copyable {
  /// A profile that differs: its line in each output, with its line end; nil where it is missing.
  /// Valid until the next call.
  package typealias Difference = (old: ByteView?, new: ByteView?)

  private var old: ProfileSide
  private var new: ProfileSide
  private var handedOut = (old: false, new: false)
  private var oldFrame = ByteBuffer(capacity: 0)
  private var newFrame = ByteBuffer(capacity: 0)
  /// Profiles so far that are equal on both sides.
  package private(set) var equalCount = 0
  package var key: ByteView? { handedOut.new ? new.first?.key : old.first?.key }
  /// Compressed bytes of the frames of both sides so far.
  package var bytes: Int { old.bytes + new.bytes }

  /// A walk through parts of two states, each with the parts whose keys the other's may have.
  package init(_ old: [SortedRun], _ new: [SortedRun]) throws(Failure) {
    (self.old, self.new) = (try ProfileSide(old), try ProfileSide(new))
  }

  package mutating func next() throws(Failure) -> Difference? {
    if handedOut.old { try old.advance() }
    if handedOut.new { try new.advance() }
    handedOut = (false, false)
    while old.first != nil || new.first != nil {
      if let left = old.first, let right = new.first, left.key == right.key {
        if try take(left, right) { continue }
        handedOut = (true, true)
        return (left.profile, right.profile)
      }
      let isOldFirst = new.first.map { old.first?.isBefore($0) ?? false } ?? true
      if isOldFirst ? try old.decode() : try new.decode() { continue }
      handedOut = (isOldFirst, !isOldFirst)
      return isOldFirst ? (old.first?.profile, nil) : (nil, new.first?.profile)
    }
    return nil
  }

  /// Skips what is equal on both sides, which have the same key, or decodes a frame; false when
  /// there are two lines that differ.
  private mutating func take(_ left: RunCursor, _ right: RunCursor) throws(Failure) -> Bool {
    if let one = left.begunFrame, let other = right.begunFrame, try isSame(one, left, other, right)
    {
      equalCount += one.entry.profiles.lines
      try old.pass()
      try new.pass()
      return true
    }
    if try old.decode() { return true }
    if try new.decode() { return true }
    guard left.profile == right.profile else { return false }
    equalCount += 1
    try old.advance()
    try new.advance()
    return true
  }

  /// Whether both sides have the same frame of profiles. Frames are read only if their lengths are
  /// equal.
  private mutating func isSame(
    _ one: FrameEntry, _ left: RunCursor, _ other: FrameEntry, _ right: RunCursor
  ) throws(Failure) -> Bool {
    guard one.entry.profiles == other.entry.profiles else { return false }
    oldFrame.removeAll()
    newFrame.removeAll()
    try left.run.profiles?.read(one.profiles, into: &oldFrame)
    try right.run.profiles?.read(other.profiles, into: &newFrame)
    return oldFrame.view == newFrame.view
  }
}

/// The parts of one output, sorted by their current keys.
private struct ProfileSide {
  private var cursors: [RunCursor] = []
  private(set) var bytes = 0

  init(_ runs: [SortedRun]) throws(Failure) {
    for run in runs { insert(try RunCursor(profilesOf: run)) }
  }

  /// The cursor with the least key; nil at the end.
  var first: RunCursor? { cursors.first }

  mutating func advance() throws(Failure) {
    try move { cursor throws(Failure) in try cursor.advance() }
  }

  mutating func pass() throws(Failure) {
    bytes += first?.begunFrame?.profiles.count ?? 0
    try move { cursor throws(Failure) in try cursor.passFrame() }
  }

  /// Decodes the frame at the first cursor; false when it is decoded.
  mutating func decode() throws(Failure) -> Bool {
    guard let frame = first?.begunFrame else { return false }
    bytes += frame.profiles.count
    try move { cursor throws(Failure) in try cursor.decode() }
    return true
  }

  private mutating func move(_ body: (RunCursor) throws(Failure) -> Void) throws(Failure) {
    let cursor = cursors.removeFirst()
    try body(cursor)
    try cursor.passUnpublished()
    insert(cursor)
  }

  /// Complexity: O(log n) comparisons for n cursors.
  private mutating func insert(_ cursor: RunCursor) {
    guard cursor.key != nil else { return }
    let position = cursors.indices.binarySearch { cursors[$0].isBefore(cursor) }
    cursors.insert(cursor, at: position)
  }
}

extension RunCursor {
  /// A cursor at the first published profile of a part of a state.
  package convenience init(profilesOf run: SortedRun) throws(Failure) {
    try self.init(names: RunNames())
    let all = run.stretches(.custom).lowerBound..<run.stretches(.install).upperBound
    try begin(all, of: run, in: .all)
    try passUnpublished()
  }

  /// The line of the next published profile, from the one at the cursor on; nil at the end.
  package func nextProfile() throws(Failure) -> ByteView? {
    while true {
      guard let key = try next() else { return nil }
      if key.hasProfile { return profile }
    }
  }

  /// Moves to the next key that has a profile, or frame that has some.
  fileprivate func passUnpublished() throws(Failure) {
    while key != nil, profile == nil {
      guard let frame = begunFrame else {
        try advance()
        continue
      }
      if frame.entry.profiles.lines > 0 { return }
      try passFrame()
    }
  }

  /// Whether the key of this one is before that of the other; neither is at its end.
  fileprivate func isBefore(_ other: RunCursor) -> Bool {
    guard let key, let limit = other.key else { return false }
    return key < limit
  }
}
