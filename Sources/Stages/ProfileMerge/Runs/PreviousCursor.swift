package import Pipeline

/// Goes through keys of a part of a previous snapshot in their order. Made to be used again and
/// again; for one thread.
///
/// A frame is decoded when one of its keys is asked for. Before that the index tells its first key
/// and where it ends, so that it can be passed over, or copied, as a whole.
package struct PreviousCursor: ~Copyable {
  private let reader: FrameFileReader
  /// The frame of the index at hand, and those behind it that are left.
  private var block: IndexBlock
  private var left = 0..<0
  private var source: PreviousPart?
  private var range = KeyRange.all
  /// The entry of the block whose frame is at hand.
  private var entry = 0
  private var isDecoded = false
  /// The frame at hand, once it was decoded.
  package private(set) var frame: StateFrame
  /// The key at the cursor; nil at the end, and where a frame begins that is not decoded.
  package private(set) var head: StateFrame.Key?
  /// The text of the key at the cursor, or with which the frame begins there; nil at the end. By
  /// itself, because a whole state is long to copy for a comparison.
  private(set) var key: ByteView?

  /// A reader of states whose names become names of the run. With `known` no others may stand in
  /// them.
  /// - Throws: `io`, when there is no memory.
  package init(names: RunNames, known: SnapshotNames? = nil) throws(Failure) {
    reader = try FrameFileReader()
    block = IndexBlock(reader)
    frame = StateFrame(names: names, known: known)
  }

  // MARK: - Where to begin

  /// Goes to the first key of the stretch `number` of `part`, and ends behind the last one.
  /// - Throws: `corrupt`, `io`.
  package mutating func begin(stretch number: Int, of part: PreviousPart) throws(Failure) {
    range = .all
    try begin(number..<number + 1, of: part)
  }

  /// Goes to the first key of a section in `range`, whose bytes must stay, and ends behind the last
  /// one.
  /// - Throws: `corrupt`, `io`.
  mutating func begin(
    _ section: KeySection, of part: PreviousPart, in range: KeyRange
  ) throws(Failure) {
    self.range = range
    try begin(part.stretches(section, range), of: part)
    guard let lower = range.lower else { return }
    while begunFrame != nil, let end = frameEnd, !(lower < end) { try passFrame() }
    guard let first = begunFrame, range.startsAfter(first.entry.key) else { return }
    try decode()
    while let key, range.startsAfter(key) { try advance() }
  }

  /// What `part` has of the key `key`; nil without it. Decodes one frame at most.
  /// - Throws: `corrupt`, `io`.
  package mutating func find(
    _ key: ByteView, in part: PreviousPart
  ) throws(Failure) -> StateFrame.Key? {
    guard let section = KeySection(of: key) else { return nil }
    try begin(section, of: part, in: KeyRange(lower: key, upper: nil))
    if let begunFrame, begunFrame.entry.key == key { try decode() }
    return self.key == key ? head : nil
  }

  private mutating func begin(_ blocks: Range<Int>, of part: PreviousPart) throws(Failure) {
    source = part
    left = blocks
    try readBlock()
  }

  /// Goes nowhere: there is no key.
  mutating func end() {
    left = 0..<0
    source = nil
    (head, key) = (nil, nil)
    isDecoded = false
  }

  // MARK: - Where it is

  /// The part whose keys these are, before the end.
  var part: PreviousPart {
    guard let source else { preconditionFailure("a cursor at its end is in no part") }
    return source
  }

  /// The frame that begins at the cursor, if it is not decoded.
  var begunFrame: PreviousEntry? { key == nil || isDecoded ? nil : block.entries[entry] }

  /// The first key behind the frame at hand; nil at the end of the section.
  var frameEnd: ByteView? { block.end(of: entry) }

  /// Whether all keys of the frame at hand are in the range.
  var frameIsInRange: Bool {
    guard let upper = range.upper else { return true }
    return frameEnd.map { !(upper < $0) } ?? false
  }

  // MARK: - Going on

  /// The next key of a stretch, from its first one on; nil at the end.
  /// - Throws: `corrupt`, `io`.
  package mutating func next() throws(Failure) -> StateFrame.Key? {
    if isDecoded { try advance() }
    while begunFrame != nil { try decode() }
    return head
  }

  /// Decodes the frame that begins at the cursor.
  /// - Throws: `corrupt`, `io`.
  mutating func decode() throws(Failure) {
    guard let begun = begunFrame else { preconditionFailure("a frame begins at the cursor") }
    try frame.read(begun, of: part, reader)
    isDecoded = true
    try readKey()
  }

  /// Goes behind the key at the cursor.
  /// - Throws: `corrupt`, `io`.
  mutating func advance() throws(Failure) {
    precondition(isDecoded, "there is a key at the cursor")
    try readKey()
  }

  private mutating func readKey() throws(Failure) {
    head = try frame.next(of: part)
    guard let found = head?.state.key else { return try passFrame() }
    if range.endsBefore(found) { return end() }
    key = found
    guard head?.profile != nil || KeySection(of: found) != .custom else {
      throw part.profiles.damaged("it has no profile for a key of the state")
    }
  }

  /// Goes behind the frame at hand.
  /// - Throws: `corrupt`, `io`.
  mutating func passFrame() throws(Failure) {
    entry += 1
    if entry == block.entries.count { try readBlock() } else { beginFrame() }
  }

  private mutating func readBlock() throws(Failure) {
    guard let number = left.popFirst() else { return end() }
    entry = 0
    try block.read(number, of: part)
    beginFrame()
  }

  private mutating func beginFrame() {
    let first = block.entries[entry].entry.key
    (head, key, isDecoded) = (nil, first, false)
    if range.endsBefore(first) { end() }
  }

  /// Everything that is known of the key at the cursor, with numbers of the run; without ids of
  /// events, unless they are kept. Valid until the next call.
  /// - Throws: `corrupt`, when its profile has not the events that the state refers to.
  package mutating func whole(keepsIDs: Bool) throws(Failure) -> KeyState {
    guard let head else { preconditionFailure("there is a key at the cursor") }
    return try frame.whole(head, keepsIDs: keepsIDs, of: part)
  }
}
