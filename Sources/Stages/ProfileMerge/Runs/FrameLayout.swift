import Pipeline

/// A view of the parts of a frame (``StateText``), which checks everything that readers of its keys
/// rely on.
package struct FrameLayout {
  /// The greatest count in a record; sums of many parts still fit in an integer.
  package static let maximumCount = 1 << 48

  let events: [ByteView]
  let attributes: [ByteView]
  /// The states of keys.
  let states: ByteView
  private let content: SortedRun.Content

  /// The frame with the text `text`; nil when it is invalid.
  init?(_ text: ByteView, _ content: SortedRun.Content) {
    let end = text.count - StateText.trailerLength
    guard end >= 0 else { return nil }
    let states = Int(text.word32(at: end))
    let names = states + Int(text.word32(at: end + 4))
    guard states <= end, names <= end,
      let events = Self.names(text[states..<names], Self.isName),
      let attributes = Self.names(text[names..<end], Self.isKey)
    else { return nil }
    (self.events, self.attributes) = (events, attributes)
    self.states = text[0..<states]
    self.content = content
  }

  private static func names(_ list: ByteView, _ isValid: (ByteView) -> Bool) -> [ByteView]? {
    var names: [ByteView] = []
    var position = 0
    while position < list.count {
      let end = position + 1 + Int(list[position])
      guard end <= list.count, isValid(list[position + 1..<end]) else { return nil }
      names.append(list[position + 1..<end])
      position = end
    }
    return names
  }

  /// Whether a text is valid as a key of attributes.
  static func isKey(_ text: ByteView) -> Bool {
    isName(text.starts(with: "$") ? text.dropFirst(1) : text)
  }

  /// Whether a text is valid as the name of an event.
  static func isName(_ name: ByteView) -> Bool {
    Characters.nameShape(name) == .lowercase
  }

  // MARK: - Checks

  static func isRange(_ first: Int, _ last: Int) -> Bool {
    Rules.isTime(first) && Rules.isTime(last) && first <= last
  }

  /// Whether a state is valid in a run, its records aside.
  func isSound(_ state: KeyState.Layout) -> Bool {
    let key = states[state.key]
    guard let section = KeySection(of: key), section.hasID(key),
      content == .state || !state.hasProfile
    else { return false }
    if content != .memberships { return true }
    // A membership has the key of the person, and begins with the installation.
    var offset = state.records.lowerBound
    return section == .custom
      && Mutation.Head(states[0..<state.end], at: &offset)?.kind == .link
  }

  /// Whether a link is valid: an installation has the key of a person, a membership, which only has
  /// one, that of an installation.
  private func isSoundLink(_ record: Mutation.Head, of state: KeyState.Layout) -> Bool {
    let isMembership = content == .memberships
    let target = isMembership ? KeySection.install : .custom
    let text = states[record.value]
    return KeySection(of: text) == target && target.hasID(text)
      && (isMembership
        ? record.bytes.lowerBound == state.records.lowerBound
        : KeySection(of: states[state.key]) == .install)
  }

  /// Whether a text is a valid value of an attribute: a text, an array of texts in canonical form,
  /// or characters of numbers and booleans (data-model 9). Complexity: O(length).
  private static func isValue(_ text: ByteView) -> Bool {
    guard text.count > 0 else { return false }
    if text[0] == UInt8(ascii: "\"") {
      let rest = text.dropFirst(1)
      if rest.firstIndex(of: UInt8(ascii: "\\")) == nil {
        return rest.firstIndex(of: UInt8(ascii: "\"")) == rest.count - 1
      }
      return end(ofText: text, from: 0) == text.count
    }
    guard text[0] == UInt8(ascii: "[") else {
      return (0..<text.count).allSatisfy { index in
        let byte = text[index]
        return 0x30...0x39 ~= byte || 0x61...0x7A ~= byte || byte == UInt8(ascii: "E")
          || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
      }
    }
    var position = 1
    while position < text.count, text[position] == UInt8(ascii: "\"") {
      guard let end = end(ofText: text, from: position), end < text.count else { return false }
      position = end
      if text[position] == UInt8(ascii: ",") {
        position += 1
        guard position < text.count, text[position] == UInt8(ascii: "\"") else { return false }
      }
    }
    return position == text.count - 1 && text[position] == UInt8(ascii: "]")
  }

  /// The index after the text whose quote is at `start`; nil when it does not end.
  private static func end(ofText text: ByteView, from start: Int) -> Int? {
    var position = text.jsonStop(from: start + 1)
    while position < text.count {
      if text[position] == UInt8(ascii: "\"") { return position + 1 }
      guard let length = characterLength(text, position) else { return nil }
      position = text.jsonStop(from: position + length)
    }
    return nil
  }

  /// Bytes of a character or an escape that begins at `position`; nil when it is truncated, or an
  /// invalid escape.
  private static func characterLength(_ text: ByteView, _ position: Int) -> Int? {
    guard text[position] == UInt8(ascii: "\\") else { return 1 }
    guard position + 1 < text.count else { return nil }
    switch text[position + 1] {
    case UInt8(ascii: "u"):
      // For control characters only: two zeros, one or zero, a digit.
      guard position + 6 <= text.count, text[position + 2..<position + 4] == "00",
        0x30...0x31 ~= text[position + 4],
        0x30...0x39 ~= text[position + 5] || 0x61...0x66 ~= text[position + 5]
      else { return nil }
      return 6
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return 2
    default: return nil
    }
  }

  /// Whether the times of an id are valid.
  private func isSoundID(_ record: Mutation.Head) -> Bool {
    func isSound(_ time: Int) -> Bool { Rules.isTime(time) || time == EventTime.absent }
    guard isSound(record.time) else { return false }
    let latest = states[record.value]
    if latest.isEmpty { return true }
    guard latest.count == 8 else { return false }
    let time = Int(Int64(bitPattern: latest.word64(at: 0)))
    return isSound(time) && time > record.time
  }

  /// Whether a record of `state` is valid in a run, its name aside; `count` are the events of the
  /// key.
  func isSound(
    _ record: Mutation.Head, of state: KeyState.Layout, _ count: inout Int
  ) -> Bool {
    func word(_ number: Int) -> Int {
      let start = record.bytes.lowerBound + Mutation.headLength
      return Int(truncatingIfNeeded: states.word64(at: start + 8 * number))
    }
    let isTimed = Rules.isTime(record.time)
    let isUntimed = record.time == EventTime.absent
    switch record.kind {
    case .register:
      let events = word(0)
      guard 0...Self.maximumCount ~= events else { return false }
      count += events
      return count <= Self.maximumCount && Self.isRange(word(1), record.time)
    case .untimed:
      let events = word(0)
      guard 1...Self.maximumCount ~= events else { return false }
      count += events
      return count <= Self.maximumCount && isUntimed
    case .earlierID: return isSoundID(record)
    case .erased: return record.time == 0 && record.name == 0
    case .days: return record.name == 0 && DaySet.isSound(record.time, states[record.value])
    case .profileDays:
      return state.hasProfile && record.name == 0
        && DaySet.isSound(record.time, states[record.value])
    case .run:
      return content != .state && record.time == 0 && record.value.isEmpty
        && (record.name == 1 || record.name == 0 && 0...Self.maximumCount ~= word(0))
    case .published: return state.hasProfile && record.time > 0
    case .seen: return record.name == 0 && Self.isRange(word(1), record.time)
    case .clear, .eraseMark: return record.name == 0 && isTimed
    case .link: return record.name == 0 && isTimed && isSoundLink(record, of: state)
    case .unlinked, .alone:
      return record.name == 0 && content != .memberships
        && KeySection(of: states[state.key]) == .install
    case .touched: return record.name == 0
    case .set: return isTimed && Self.isValue(states[record.value])
    case .single: return isTimed && record.isSoundValue(states[record.value])
    case .unset, .addItem, .removeItem: return isTimed
    case .event: return isTimed || content != .state && isUntimed
    // A state contains neither.
    case .identified: return content != .state && (isTimed || isUntimed)
    case .id: return content != .state && isSoundID(record)
    }
  }
}
