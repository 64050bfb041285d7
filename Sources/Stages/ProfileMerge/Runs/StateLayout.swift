package import Pipeline

/// The keys of a frame of a state (``StateText``) as its bytes tell them: a view, which checks
/// everything that whoever reads the keys relies on.
package struct StateLayout {
  /// The greatest count a record may hold; sums of many parts still fit an integer.
  package static let maximumCount = 1 << 48
  /// Longest event name or attribute key without `$`, in bytes (data-model 6).
  private static let longestName = 30

  package private(set) var events: [ByteView] = []
  package private(set) var attributes: [ByteView] = []
  private var states = ByteView("")
  private var position = 0
  private var profiles = ByteView("")
  private var profile = 0

  /// No keys.
  static var empty: StateLayout { StateLayout() }

  private init() {}

  /// The frame with the text `text`, beside which the lines of `profiles` stand; nil when it is
  /// none.
  package init?(_ text: ByteView, profiles: ByteView) {
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
    self.profiles = profiles
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

  /// Whether a text may be a key of attributes.
  static func isKey(_ text: ByteView) -> Bool {
    isName(text.starts(with: "$") ? text.dropFirst(1) : text)
  }

  /// Whether a text may be the name of an event.
  static func isName(_ name: ByteView) -> Bool {
    guard 1...longestName ~= name.count else { return false }
    return (0..<name.count).allSatisfy { index in
      switch name[index] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "_"):
        true
      default: false
      }
    }
  }

  /// Whether there is no further key, and no further profile.
  package var isAtEnd: Bool { position == states.count && profile == profiles.count }

  /// The next key, and moves behind it; nil when there is none that is sound.
  package mutating func next() -> StateFrame.Key? {
    guard let state = KeyState(states, at: &position), isSound(state) else { return nil }
    var line: ByteView?
    if state.hasProfile {
      let rest = profiles.dropFirst(profile)
      guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
      line = rest[0..<end + 1]
      profile += end + 1
    }
    return areSound(state) ? StateFrame.Key(state: state, profile: line) : nil
  }

  // MARK: - What is relied on

  private static func isTime(_ time: Int) -> Bool { Rules.earliestTime..<Rules.endOfTime ~= time }

  static func isRange(_ first: Int, _ last: Int) -> Bool {
    isTime(first) && isTime(last) && first <= last
  }

  private func isSound(_ state: KeyState) -> Bool {
    guard let section = KeySection(of: state.key), section.id(of: state.key).count > 0 else {
      return false
    }
    let links = [state.links.earliest, state.links.latest]
    return (state.seen.isNever || Self.isRange(state.seen.first, state.seen.last))
      && (state.clear == .min || Self.isTime(state.clear))
      && (state.eraseMark == .min || Self.isTime(state.eraseMark))
      && (state.links.isEmpty || section == .install)
      && links.allSatisfy { link in
        link.map { link in
          Self.isTime(link.time) && link.target.starts(with: KeySection.custom.prefix)
            && link.target.count > KeySection.custom.prefix.count
        } ?? true
      }
  }

  private func areSound(_ state: KeyState) -> Bool {
    var offset = 0
    // All events of a key together, so that no sum of its registers overflows.
    var count = 0
    while offset < state.records.count {
      var position = offset
      guard Mutation.skip(state.records, at: &position),
        let record = Mutation(state.records, at: &offset), isSound(record, of: state)
      else { return false }
      if record.kind == .register || record.kind == .untimed {
        count += Int(truncatingIfNeeded: record.words.0)
      }
      guard count <= Self.maximumCount else { return false }
    }
    return true
  }

  /// Whether a text is a value that an attribute may be set to: a text, an array of texts in
  /// canonical form, or letters and signs as numbers and booleans have them (data-model 9).
  /// Complexity: O(length).
  private static func isValue(_ text: ByteView) -> Bool {
    guard text.count > 0 else { return false }
    if text[0] == UInt8(ascii: "\"") { return end(ofText: text, from: 0) == text.count }
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

  /// Behind the text whose quote stands at `start`; nil when it does not end.
  private static func end(ofText text: ByteView, from start: Int) -> Int? {
    var position = text.jsonStop(from: start + 1)
    while position < text.count {
      if text[position] == UInt8(ascii: "\"") { return position + 1 }
      guard let length = characterLength(text, position) else { return nil }
      position = text.jsonStop(from: position + length)
    }
    return nil
  }

  /// Bytes of a character or an escape that begins at `position`; nil when it is cut, or no escape.
  private static func characterLength(_ text: ByteView, _ position: Int) -> Int? {
    guard text[position] == UInt8(ascii: "\\") else { return 1 }
    guard position + 1 < text.count else { return nil }
    switch text[position + 1] {
    case UInt8(ascii: "u"):
      // Of control characters only: two zeros, one or none, a digit.
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

  private func isSound(_ record: Mutation, of state: KeyState) -> Bool {
    if let run = record.publishedRun { return state.hasProfile && run.count > 0 }
    let isNamed =
      switch record.naming {
      case .event: Int(record.name) < events.count
      case .attribute: Int(record.name) < attributes.count
      case .none: record.isSoundWithoutName
      }
    guard isNamed, record.owner == 0 else { return false }
    switch record.kind {
    case .register:
      let count = Int(truncatingIfNeeded: record.words.0)
      let first = Int(truncatingIfNeeded: record.words.1)
      return 0...Self.maximumCount ~= count && Self.isRange(first, record.time)
    case .untimed:
      let count = Int(truncatingIfNeeded: record.words.0)
      return record.time == EventTime.absent && 1...Self.maximumCount ~= count
    case .earlierID: return record.time == EventTime.absent || Self.isTime(record.time)
    case .erased: return record.time == 0
    case .set: return Self.isTime(record.time) && Self.isValue(record.value)
    case .event, .unset, .addItem, .removeItem, .single: return Self.isTime(record.time)
    // A state holds neither.
    case .identified, .id: return false
    }
  }
}
