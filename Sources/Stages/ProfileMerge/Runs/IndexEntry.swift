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
/// length of the first key (31) │ goes on (1) │ number of marks (32)          8
/// time of the oldest id                                                      8
/// the first key │ marks                                                      4 for each mark
/// ```
package struct IndexEntry {
  /// A frame in its file.
  package struct Frame: Equatable {
    package let compressed: Int
    /// Bytes of its text.
    package let text: Int
    package let lines: Int

    package init(compressed: Int, text: Int, lines: Int) {
      self.compressed = compressed
      self.text = text
      self.lines = lines
    }
  }

  private static let headLength = 40

  let state: Frame
  package let profiles: Frame
  /// The first key in the frame; empty for the frame with the header.
  let key: ByteView
  /// The time of the oldest event id, in milliseconds since 1970; the maximum without any.
  let oldestID: Int
  /// ``KeyHash/mark(_:)`` of people: of its keys, or of those that its installations are linked to;
  /// 4 bytes for each.
  let marks: ByteView
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
    let marks = key + number(24) & (Self.goesOnBit - 1)
    let end = marks + 4 * number(28)
    guard end <= bytes.count else { return nil }
    state = Frame(compressed: number(0), text: number(4), lines: number(16))
    profiles = Frame(compressed: number(8), text: number(12), lines: number(20))
    oldestID = Int(Int64(bitPattern: bytes.word64(at: offset + 32)))
    self.key = bytes[key..<marks]
    self.marks = bytes[marks..<end]
    goesOn = number(24) & Self.goesOnBit != 0
    offset = end
  }

  /// An entry of new frames; `marks` has 4 bytes for each.
  init(
    state: Frame, profiles: Frame, key: ByteView, oldestID: Int, marks: ByteView,
    goesOn: Bool = false
  ) {
    self.state = state
    self.profiles = profiles
    self.key = key
    self.oldestID = oldestID
    self.marks = marks
    self.goesOn = goesOn
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
    bytes.append(word64: pair(key.count | (goesOn ? Self.goesOnBit : 0), marks.count / 4))
    bytes.append(word64: UInt64(bitPattern: Int64(oldestID)))
    bytes.append(key)
    bytes.append(marks)
  }

  /// Whether a group of keys begins with the frame.
  var beginsGroup: Bool { KeyHash.beginsGroup(XXH64.hash(key)) }

  /// Whether any of `persons` may be among the marks of the frame. Complexity: O(marks).
  func mayHave(_ persons: borrowing DirtyPersonFilter) -> Bool {
    guard !persons.isEmpty else { return false }
    var position = 0
    while position < marks.count {
      if persons.contains(mark: marks.word32(at: position)) { return true }
      position += 4
    }
    return false
  }

  /// Whether the frame has ids of events before `time`.
  func hasIDs(before time: Int) -> Bool { oldestID != .max && oldestID < time }

  /// Whether both are equal.
  package static func == (a: IndexEntry, b: IndexEntry) -> Bool {
    a.state == b.state && a.profiles == b.profiles && a.key == b.key && a.oldestID == b.oldestID
      && a.marks == b.marks && a.goesOn == b.goesOn
  }
}
