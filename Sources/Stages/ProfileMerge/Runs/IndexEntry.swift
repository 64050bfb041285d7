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
package struct IndexEntry {
  private static let headLength = 40

  let state: WrittenFrame
  package let profiles: WrittenFrame
  /// The first key in the frame; empty for the frame with the header.
  let key: ByteView
  /// What is known of all its keys (``FrameFacts``).
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

  /// An entry of new frames.
  init(
    state: WrittenFrame, profiles: WrittenFrame, key: ByteView, facts: ByteView,
    goesOn: Bool = false
  ) {
    (self.state, self.profiles) = (state, profiles)
    (self.key, self.facts, self.goesOn) = (key, facts, goesOn)
  }

  /// Appends the entry to `bytes`.
  func append(to bytes: inout ByteBuffer) {
    func pair(_ low: Int, _ high: Int) -> UInt64 {
      precondition(
        0...Int(UInt32.max) ~= low && 0...Int(UInt32.max) ~= high, "a frame is shorter than 4 GiB")
      return UInt64(high) << 32 | UInt64(low)
    }
    bytes.append(word64: pair(state.compressed, state.text))
    bytes.append(word64: pair(profiles.compressed, profiles.text))
    bytes.append(word64: pair(state.lines, profiles.lines))
    bytes.append(word64: pair(Int(state.hash), Int(profiles.hash)))
    bytes.append(word64: pair(key.count | (goesOn ? Self.goesOnBit : 0), facts.count))
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

  /// Whether a group of keys begins with the frame.
  var beginsGroup: Bool { KeyHash.beginsGroup(XXH64.hash(key)) }

  /// The bytes of the fact with a number; nil without it.
  func fact(_ number: UInt32) -> ByteView? {
    var offset = 0
    while offset + 8 <= facts.count {
      let start = offset + 8
      let end = start + Int(facts.word32(at: offset + 4))
      guard end <= facts.count else { return nil }
      if facts.word32(at: offset) == number { return facts[start..<end] }
      offset = end
    }
    return nil
  }

  /// Whether both are equal.
  package static func == (a: IndexEntry, b: IndexEntry) -> Bool {
    a.state == b.state && a.profiles == b.profiles && a.key == b.key && a.facts == b.facts
      && a.goesOn == b.goesOn
  }
}
