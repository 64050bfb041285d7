package import Pipeline

/// The index entry of one frame of a run, and of the frame of profiles with its number, if there
/// are profiles: enough to copy both, or to know that they must be decoded
/// (docs/reference/file-formats.md).
///
/// A view: its texts belong to the index it was read from.
///
/// ```
/// compressed bytes of the frame of the state (32) │ bytes of its text (32)  8 bytes, little-endian
/// the same of the frame of profiles                                          8
/// lines of the state (32) │ lines of profiles (32)                           8
/// half of the XXH64 of the frame of the state (32) │ of profiles (32)        8
/// length of the first key (31) │ goes on (1) │ length of the facts (32)      8
/// the first key │ facts (``FrameFacts``)
/// ```
package struct IndexEntry: Equatable {
  private static let headLength = 40

  let state: WrittenFrame
  package let profiles: WrittenFrame
  /// The first key in the frame; empty for the frame with the header.
  let key: ByteView
  /// The facts of all its keys (``FrameFacts``).
  let facts: ByteView
  /// Whether the frame continues the last key of the previous frame: a person may have several
  /// memberships.
  let goesOn: Bool

  private static let goesOnBit = 1 << 31

  /// Reads the entry at `offset` of `bytes`, which moves past it; nil at the end, or for invalid
  /// bytes.
  package init?(_ bytes: ByteView, at offset: inout Int) {
    guard offset + Self.headLength <= bytes.count else { return nil }
    func number(_ position: Int) -> Int { Int(bytes.word32(at: offset + position)) }
    let key = offset + Self.headLength
    let facts = key + number(32) & (Self.goesOnBit - 1)
    let end = facts + number(36)
    guard end <= bytes.count else { return nil }
    func frame(_ sizes: Int, lines: Int) -> WrittenFrame {
      WrittenFrame(
        compressed: number(sizes), text: number(sizes + 4), lines: number(lines),
        hash: bytes.word32(at: offset + lines + 8))
    }
    (state, profiles) = (frame(0, lines: 16), frame(8, lines: 20))
    self.key = bytes[key..<facts]
    self.facts = bytes[facts..<end]
    goesOn = number(32) & Self.goesOnBit != 0
    offset = end
  }

  init(
    state: WrittenFrame, profiles: WrittenFrame, key: ByteView, facts: ByteView,
    goesOn: Bool = false
  ) {
    (self.state, self.profiles) = (state, profiles)
    (self.key, self.facts, self.goesOn) = (key, facts, goesOn)
  }

  func append(to bytes: inout ByteBuffer) {
    let numbers: [10 of Int] = [
      state.compressed, state.text, profiles.compressed, profiles.text, state.lines, profiles.lines,
      Int(state.hash), Int(profiles.hash), key.count | (goesOn ? Self.goesOnBit : 0), facts.count,
    ]
    for index in numbers.indices {
      guard let word = UInt32(exactly: numbers[index]) else {
        preconditionFailure("a frame is shorter than 4 GiB")
      }
      bytes.append(word32: word)
    }
    bytes.append(key)
    bytes.append(facts)
  }

  /// Whether there can be such frames: of a size that readers and writers accept, and with at most
  /// one profile for each key.
  var isPossible: Bool {
    [state, profiles].allSatisfy {
      1...FrameFileReader.longestFrame ~= $0.compressed && $0.text <= FrameFileReader.longestText
    } && profiles.lines <= state.lines
  }

  var beginsGroup: Bool { KeyHash.beginsGroup(XXH64.hash(key)) }
}

/// The entries of frames being made, in order (``IndexEntry``).
package struct IndexText: ~Copyable {
  private(set) var entries = ByteBuffer()
  private var key = ByteBuffer()
  package var facts = FrameFacts()
  private var taken = ByteBuffer()
  private var goesOn = false

  package init() {}

  package mutating func removeAll() {
    entries.removeAll()
    entries.shrink(to: RetainedCapacity.bytes)
    forgetFrame()
  }

  private mutating func forgetFrame() {
    key.removeAll()
    facts.take(into: &taken)
    taken.removeAll()
    taken.shrink(to: RetainedCapacity.bytes)
    goesOn = false
  }

  /// Begins a frame with the first key `key`; `goesOn` is whether the previous frame ends with the
  /// same key.
  package mutating func begin(_ key: ByteView, goesOn: Bool = false) {
    self.key.append(key)
    self.goesOn = goesOn
  }

  package mutating func end(state: WrittenFrame, profiles: WrittenFrame) {
    facts.take(into: &taken)
    IndexEntry(state: state, profiles: profiles, key: key.view, facts: taken.view, goesOn: goesOn)
      .append(to: &entries)
    forgetFrame()
  }

  mutating func removeFinished() { entries.removeAll() }
  mutating func copy(_ entry: IndexEntry) { entry.append(to: &entries) }

  package borrowing func forEach(_ body: (IndexEntry) throws(Failure) -> Void) throws(Failure) {
    var offset = 0
    while let entry = IndexEntry(entries.view, at: &offset) { try body(entry) }
  }
}

/// Writes the index of a part: its entries in frames, each of one section.
///
/// A frame ends before an entry that begins a group of keys, so that the merge may be split there,
/// and at the end of a section. So the cuts depend on the entries alone. One thread at a time.
package final class IndexWriter {
  /// Entries from which on a frame ends at the next group: about as many as a piece of the merge
  /// has.
  private static let usualEntries = 64
  /// Most entries of a frame, even within a group.
  static let mostEntries = 1024
  /// Marks look random and hardly compress, and keys are short.
  private static let level = ZstdEncoder.fastest

  private let target: any FrameTarget
  private let encoder: ZstdEncoder
  private var frames = FrameText()
  private var entries = 0

  package init(_ target: any FrameTarget) throws(Failure) {
    self.target = target
    encoder = try ZstdEncoder(level: IndexWriter.level)
  }

  /// Appends an entry.
  package func append(_ entry: IndexEntry) throws(Failure) {
    if entries >= Self.mostEntries || entries >= Self.usualEntries && entry.beginsGroup {
      try endFrame()
    }
    entry.append(to: &frames.text)
    entries += 1
  }

  /// Ends the frame, if it has entries: a section ends.
  package func endFrame() throws(Failure) {
    guard entries > 0 else { return }
    try frames.cut(encoder, isIndex: true)
    try frames.append(to: target)
    frames.removeAll()
    entries = 0
  }
}
