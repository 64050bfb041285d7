package import Pipeline

/// Iterates over keys of a run in order. Reusable; for one thread.
///
/// A frame is decoded when one of its keys is requested. Before that the index provides its first
/// key and its end, so that it can be skipped, or copied, as a whole.
package final class RunCursor: KeyCursor {
  private let reader: KeyFrameReader
  /// Whether frames are decoded as soon as they begin, so that there always is a current key before
  /// the end.
  private let decodesAll: Bool
  /// Whether other ranges share the frames that extend beyond this one.
  private let isShared: Bool
  /// The current block of the index, and the remaining ones.
  private var block: IndexBlock
  private var left = 0..<0
  private var source: SortedRun?
  private var range = KeyRange.all
  private var entry = 0
  private var isDecoded = false
  /// The current frame, once decoded: owned by this cursor, or shared.
  private var own = KeyFrame()
  private var shared: Frozen<KeyFrame>?
  private var position = KeyFrame.Position()
  /// Number of its keys in the range that the cursor has passed.
  private var passed = 0
  /// The key at the cursor; nil at the end, and before a frame that is not decoded.
  package private(set) var head: KeyState?
  /// The line of its profile, with its line end; nil when it has none.
  package private(set) var profile: ByteView?
  /// The text of the key at the cursor, or the first key of a frame that is not decoded; nil at the
  /// end. Separate, because copying a whole state for a comparison is slow.
  private(set) var key: ByteView?

  func state(_ position: inout UInt32) -> KeyState? {
    defer { position += 1 }
    return position == 0 ? head : nil
  }

  package init(_ reader: KeyFrameReader) {
    (self.reader, decodesAll, isShared) = (reader, false, false)
    block = IndexBlock(reader.frames)
  }

  /// A cursor without a position, over states whose names become names of the run.
  package convenience init(names: RunNames) throws(Failure) {
    self.init(try KeyFrameReader(names: names))
  }

  /// A cursor at the first key of `run` in a piece, whose bytes must stay valid; nil when there is
  /// none. With `isShared`, such pieces cover the section, each key once, and are read to their
  /// ends.
  init?(
    _ run: SortedRun, _ piece: KeyRangeTask, isShared: Bool, _ reader: KeyFrameReader
  ) throws(Failure) {
    let all = run.stretches(piece.section, of: piece.partition)
    let stretches = run.stretches(all, in: piece.range)
    if stretches.isEmpty { return nil }
    (self.reader, decodesAll, self.isShared) = (reader, true, isShared)
    block = IndexBlock(reader.frames)
    try begin(stretches, of: run, in: piece.range)
  }

  // MARK: - Beginning

  /// Moves to the first key of block `number` of `run`; the end is after its last one.
  package func begin(stretch number: Int, of run: SortedRun) throws(Failure) {
    try begin(number..<number + 1, of: run, in: .all)
  }

  /// Moves to the first key of a section in `range`, whose bytes must stay valid; the end is after
  /// the last one.
  func begin(_ section: KeySection, of run: SortedRun, in range: KeyRange) throws(Failure) {
    try begin(run.stretches(run.stretches(section), in: range), of: run, in: range)
  }

  func begin(_ stretches: Range<Int>, of run: SortedRun, in range: KeyRange) throws(Failure) {
    (source, self.range, left) = (run, range, stretches)
    try readBlock()
    if let lower = range.lower {
      while begunFrame != nil, block.isFrame(entry, before: lower) { try passFrame() }
      if let first = begunFrame, range.startsAfter(first.entry.key) {
        try decode()
        while let key, range.startsAfter(key) { try readKey() }
      }
    }
    try decodeIfWanted()
  }

  /// The state of the key `key` in `run`; nil without one. Decodes at most one frame.
  package func find(_ key: ByteView, in run: SortedRun) throws(Failure) -> KeyState? {
    guard let section = KeySection(of: key) else { return nil }
    if mayReach(key, section, in: run) {
      while let at = self.key, at < key, isDecoded { try advance() }
    } else {
      try begin(section, of: run, in: KeyRange(lower: key, upper: nil))
      // The bytes of `key` need not stay valid.
      range = .all
    }
    if let begunFrame, begunFrame.entry.key == key { try decode() }
    return self.key == key ? head : nil
  }

  /// Whether a key of `run` can only be in the rest of the current frame.
  private func mayReach(_ key: ByteView, _ section: KeySection, in run: SortedRun) -> Bool {
    guard source === run, isDecoded, let at = self.key, KeySection(of: at) == section else {
      return false
    }
    return at <= key && (frameEnd.map { key < $0 } ?? true)
  }

  func end() {
    left = 0..<0
    (source, range) = (nil, .all)
    (head, profile, key) = (nil, nil, nil)
    isDecoded = false
  }

  // MARK: - Position

  /// The run of the current key; not at the end.
  var run: SortedRun {
    guard let source else { preconditionFailure("a cursor at its end is in no run") }
    return source
  }

  /// The frame at the cursor, if it is not decoded.
  var begunFrame: FrameEntry? { key == nil || isDecoded ? nil : block.entries[entry] }

  /// The first key after the current frame; nil at the end of the section.
  var frameEnd: ByteView? { block.end(of: entry) }

  /// Whether all keys of the current frame are before the end of the range.
  var frameIsInRange: Bool { range.upper.map { block.isFrame(entry, before: $0) } ?? true }
  var published: [PublishedEvents.Event] { reader.published.events }

  // MARK: - Advancing

  /// The next key of a block, from its first one on; nil at the end.
  package func next() throws(Failure) -> KeyState? {
    if isDecoded { try advance() }
    while begunFrame != nil { try decode() }
    return head
  }

  func decode() throws(Failure) {
    guard let begun = begunFrame else { preconditionFailure("a frame begins at the cursor") }
    position = KeyFrame.Position()
    if isShared, range.startsAfter(begun.entry.key) || !frameIsInRange {
      let found = try run.share(
        frame: left.lowerBound - 1, begun, before: frameEnd, from: range.lower, reader)
      guard let found else { return try passFrame() }
      (shared, position.state) = (found.frame, found.offset)
    } else {
      try reader.read(begun, of: run, before: frameEnd, into: &own)
    }
    isDecoded = true
    try readKey()
  }

  package func advance() throws(Failure) {
    precondition(isDecoded, "there is a key at the cursor")
    passed += 1
    try readKey()
    try decodeIfWanted()
  }

  private func decodeIfWanted() throws(Failure) {
    while decodesAll, begunFrame != nil { try decode() }
  }

  private func readKey() throws(Failure) {
    let start = position.state
    if let found = shared == nil ? own.next(&position) : shared?.value.next(&position) {
      if range.endsBefore(found.key) {
        endFrame(at: start)
        return end()
      }
      (head, key) = (found, found.key)
      profile = found.hasProfile ? own.profile(before: position) : nil
      guard
        found.hasProfile || run.profiles == nil || KeySection(of: found.key) != .custom
          || found.facts.eraseMark.time != .min
      else { throw run.damaged("it has no profile for a key of the state", inProfiles: true) }
      return
    }
    guard shared == nil ? own.isEnd(position) : shared?.value.isEnd(position) ?? true else {
      throw run.damaged(KeyFrame.damage)
    }
    endFrame(at: position.state)
    try passFrame()
  }

  /// Leaves the current frame; only its bytes from `offset` on are after the range.
  private func endFrame(at offset: Int) {
    if shared != nil {
      run.finish(shared: left.lowerBound - 1, keys: passed, upper: range.upper, offset: offset)
    }
    (shared, passed) = (nil, 0)
  }

  func passFrame() throws(Failure) {
    entry += 1
    if entry == block.entries.count { try readBlock() } else { beginFrame() }
  }

  private func readBlock() throws(Failure) {
    guard let number = left.popFirst() else { return end() }
    entry = 0
    try block.read(number, of: run)
    beginFrame()
  }

  private func beginFrame() {
    let first = block.entries[entry].entry.key
    (head, profile, key, isDecoded) = (nil, nil, first, false)
    if range.endsBefore(first) { end() }
  }

  /// The complete state of the key at the cursor, without references; without ids of events, unless
  /// they are kept. Valid until the next call.
  package func whole(keepsIDs: Bool) throws(Failure) -> KeyState {
    guard let head else { preconditionFailure("there is a key at the cursor") }
    guard let state = reader.whole(head, profile, keepsIDs: keepsIDs) else {
      throw run.damaged("it lacks the profile of a key of the state", inProfiles: true)
    }
    return state
  }
}
