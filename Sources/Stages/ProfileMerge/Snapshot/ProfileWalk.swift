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
  /// The sides whose profile was returned last.
  private var handedOut = (old: false, new: false)
  private var oldFrame = ByteBuffer(capacity: 0)
  private var newFrame = ByteBuffer(capacity: 0)
  /// Profiles so far that are equal on both sides.
  package private(set) var equalCount = 0
  /// Compressed bytes of the frames of both sides so far.
  package var bytes: Int { old.bytes + new.bytes }

  /// A walk through parts of two states, each with the parts whose keys the other's may have.
  /// - Throws: `corrupt`, `io`.
  package init(_ old: [SortedRun], _ new: [SortedRun]) throws(Failure) {
    let sides = (try ProfileSide(old), try ProfileSide(new))
    (self.old, self.new) = sides
  }

  /// The next profile that differs; nil at the end.
  /// - Throws: `corrupt`, `io`.
  package mutating func next() throws(Failure) -> Difference? {
    if handedOut.old { try old.advance() }
    if handedOut.new { try new.advance() }
    handedOut = (false, false)
    while true {
      let isOldFirst: Bool
      switch (old.first, new.first) {
      case (nil, nil): return nil
      case (_?, nil): isOldFirst = true
      case (nil, _?): isOldFirst = false
      case (let left?, let right?):
        if left.key == right.key {
          if try take(left, right) { continue }
          handedOut = (true, true)
          return (left.line, right.line)
        }
        isOldFirst = left.isBefore(right)
      }
      if isOldFirst ? try old.decode() : try new.decode() { continue }
      handedOut = (isOldFirst, !isOldFirst)
      return isOldFirst ? (old.first?.line, nil) : (nil, new.first?.line)
    }
  }

  /// Skips what is equal on both sides, which have the same key, or decodes a frame; false when
  /// there are two lines that differ.
  private mutating func take(_ left: ProfileCursor, _ right: ProfileCursor) throws(Failure) -> Bool
  {
    if !left.isDecoded, !right.isDecoded, try isSame(left, right) {
      equalCount += left.frame.entry.profiles.lines
      try old.pass()
      try new.pass()
      return true
    }
    if try old.decode() { return true }
    if try new.decode() { return true }
    guard left.line == right.line else { return false }
    equalCount += 1
    try old.advance()
    try new.advance()
    return true
  }

  /// Whether both sides have the same frame of profiles. Frames are read only if their lengths are
  /// equal.
  private mutating func isSame(
    _ left: ProfileCursor, _ right: ProfileCursor
  ) throws(Failure) -> Bool {
    guard left.frame.entry.profiles == right.frame.entry.profiles else { return false }
    oldFrame.removeAll()
    newFrame.removeAll()
    try left.readFrame(into: &oldFrame)
    try right.readFrame(into: &newFrame)
    return oldFrame.view == newFrame.view
  }
}

/// The parts of one output, sorted by their current keys.
private struct ProfileSide {
  private var cursors: [ProfileCursor] = []
  /// Compressed bytes of the frames so far.
  private(set) var bytes = 0

  init(_ runs: [SortedRun]) throws(Failure) {
    for run in runs { insert(try ProfileCursor(run)) }
  }

  /// The cursor with the least key; nil at the end.
  var first: ProfileCursor? { cursors.first }

  mutating func advance() throws(Failure) {
    try move { cursor throws(Failure) in try cursor.advance() }
  }

  mutating func pass() throws(Failure) {
    bytes += first?.frame.profiles.count ?? 0
    try move { cursor throws(Failure) in try cursor.pass() }
  }

  /// Decodes the frame at the first cursor; false when it is decoded.
  mutating func decode() throws(Failure) -> Bool {
    guard let first, !first.isDecoded else { return false }
    bytes += first.frame.profiles.count
    try move { cursor throws(Failure) in try cursor.decode() }
    return true
  }

  private mutating func move(
    _ body: (ProfileCursor) throws(Failure) -> Void
  ) throws(Failure) {
    let cursor = cursors.removeFirst()
    try body(cursor)
    insert(cursor)
  }

  /// Complexity: O(log n) comparisons for n cursors.
  private mutating func insert(_ cursor: ProfileCursor) {
    guard cursor.key != nil else { return }
    let position = cursors.indices.binarySearch { cursors[$0].isBefore(cursor) }
    cursors.insert(cursor, at: position)
  }
}

extension ProfileCursor {
  /// Whether the key of this one is before that of the other; neither is at its end.
  fileprivate func isBefore(_ other: ProfileCursor) -> Bool {
    guard let key, let limit = other.key else { return false }
    return key < limit
  }
}
