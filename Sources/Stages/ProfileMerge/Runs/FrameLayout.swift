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
  let content: SortedRun.Content

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
      && Mutation(states[0..<state.end], at: &offset)?.kind == .link
  }
}
