package import Pipeline

/// The keys of a frame, and the lines of profiles beside them, as read by a ``KeyFrameReader``.
package struct KeyFrame: ~Copyable, Sendable {
  /// The fault of bytes that are not such a frame.
  static let damage = "it does not contain states of keys"

  package struct Position {
    var state = 0
    var profile = 0
    /// The beginning of the profile of the previous key, if that has one.
    fileprivate var line = 0

    package init() {}
  }

  /// The text of the frame; after reading, only the valid states in it.
  package var text = ByteBuffer(capacity: 0)
  package var profiles = ByteBuffer(capacity: 0)
  fileprivate(set) var isSound = true
  /// Whether each key is after the previous one (of memberships: not before it), and the last one.
  fileprivate var isOrdered = true
  fileprivate var last = 0..<0

  package init() {}

  mutating func removeAll() {
    text.removeAll()
    text.shrink(to: RetainedCapacity.bytes)
    profiles.removeAll()
    profiles.shrink(to: RetainedCapacity.bytes)
    isSound = true
  }

  /// Whether no further key and no further profile follow.
  package func isEnd(_ position: Position) -> Bool {
    isSound && position.state == text.count && position.profile == profiles.count
  }

  /// The key at `position`, which moves past it, in its encoded form: with the run's numbers of
  /// names, and references to events of its profile. Nil at the end and before an invalid one.
  package func next(_ position: inout Position) -> KeyState? {
    guard let state = KeyState(text.view, at: &position.state) else { return nil }
    position.line = position.profile
    if state.hasProfile {
      let rest = profiles.view.dropFirst(position.profile)
      guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
      position.profile += end + 1
    }
    return state
  }

  /// The line of the profile of the key before `position`, with its line end; nil when it has none.
  package func profile(before position: Position) -> ByteView? {
    position.line == position.profile ? nil : profiles[position.line..<position.profile]
  }
}

/// What readers of the keys of a frame rely on.
package enum FrameLayout {
  /// Greatest count in a record, and greatest sum of those that one reader accepts: whatever the
  /// states of a run hold, the sums of all its readers fit in an integer.
  package static let maximumCount = DocumentReading.mostOfOne

  /// Whether a text is valid as a key of attributes.
  static func isKey(_ text: ByteView) -> Bool {
    isName(text.starts(with: "$") ? text.dropFirst(1) : text)
  }

  /// Whether a text is valid as the name of an event.
  static func isName(_ name: ByteView) -> Bool { Characters.nameShape(name) == .lowercase }

  static func isRange(_ first: Int, _ last: Int) -> Bool {
    Rules.isTime(first) && Rules.isTime(last) && first <= last
  }
}

/// Reads frames of runs, and maps their names to those of this process. Reusable; for one thread.
///
/// A frame from elsewhere is not trusted: what would trap a reader, or break the order or the sums
/// of a merge, is a failure of kind corrupt. Values are only checked as far as it costs little;
/// `verify` checks the rest.
package final class KeyFrameReader {
  /// Decompresses frames of the index, too.
  let frames: FrameFileReader
  /// They know the records of their kinds; nothing is gathered in them.
  private var registers = KeyRegisters()
  private var eventNames: NameCache
  private var attributeNames: NameCache
  /// Number of names of each kind, when no others are allowed.
  private let known: (events: Int, attributes: Int)
  private var events: [UInt32] = []
  private var attributes: [UInt32] = []
  /// The events of the profile of the key that was completed last.
  private(set) var published: PublishedEvents
  private var records = ByteBuffer()
  /// The sum of all counts of events so far.
  private var counted = 0

  /// A reader of frames whose names become names of the run. With `known` no other names are
  /// allowed.
  package init(names: RunNames, known: NameLists? = nil) throws(Failure) {
    frames = try FrameFileReader()
    self.known = (known?.events.count ?? .max, known?.attributes.count ?? .max)
    eventNames = NameCache(of: names.events)
    attributeNames = NameCache(of: names.attributes)
    published = PublishedEvents(names)
  }

  /// Reads a frame, whose keys must be from the one in `entry` to before `end`, if there is one.
  package func read(
    _ entry: FrameEntry, of run: SortedRun, before end: ByteView?, into frame: inout KeyFrame
  ) throws(Failure) {
    frame.removeAll()
    try frames.decode(
      entry.entry.state, of: run.state, from: entry.state.lowerBound, into: &frame.text)
    if let profiles = run.profiles {
      try frames.decode(
        entry.entry.profiles, of: profiles, from: entry.profiles.lowerBound, into: &frame.profiles)
    }
    // The index holds the number of keys of the frame, and ranges that share it rely on it.
    guard bind(&frame, run.content, keys: entry.entry.state.lines),
      run.content == .own || Self.areKeys(of: frame, from: entry.entry.key, to: end, run.content)
    else { throw run.damaged(KeyFrame.damage) }
  }

  /// Whether the keys are in order, of one section, and at the place that the index gives them.
  private static func areKeys(
    of frame: borrowing KeyFrame, from first: ByteView, to end: ByteView?,
    _ content: SortedRun.Content
  ) -> Bool {
    let (text, last) = (frame.text.view, frame.text[frame.last])
    return frame.isOrdered && KeyState.Layout(text, at: 0).map { text[$0.key] } == first
      && KeySection(of: last) == KeySection(of: first)
      && (end.map { last < $0 || content == .memberships && last == $0 } ?? true)
  }

  /// Gives the records of `frame` this process's numbers of names, and cuts it before the first
  /// invalid state; false when it is not a frame, has names that are not allowed, or is valid with
  /// another number of states than `keys`, where that is known.
  package func bind(
    _ frame: inout KeyFrame, _ content: SortedRun.Content, keys: Int? = nil
  ) -> Bool {
    let text = frame.text.view
    let end = text.count - StateText.trailerLength
    guard end >= 0 else { return false }
    let length = Int(text.word32(at: end))
    let names = length + Int(text.word32(at: end + 4))
    guard names <= end else { return false }
    if content == .own {
      frame.text.truncate(to: length)
      return true
    }
    guard Self.read(text[length..<names], FrameLayout.isName, &eventNames, &events),
      Self.read(text[names..<end], FrameLayout.isKey, &attributeNames, &attributes),
      events.allSatisfy({ $0 < known.events }), attributes.allSatisfy({ $0 < known.attributes })
    else { return false }
    let states = text[0..<length]
    var (valid, count, last, isOrdered, counted) = (0, 0, 0..<0, true, counted)
    while let state = KeyState.Layout(states, at: valid),
      take(&frame.text, state, states, content, &counted)
    {
      let key = states[state.key]
      if !(states[last] < key), content != .memberships || states[last] != key { isOrdered = false }
      (valid, last) = (state.end, state.key)
      count += 1
    }
    (frame.last, frame.isOrdered, self.counted) = (last, isOrdered, counted)
    frame.isSound = valid == length
    if frame.isSound, let keys, keys != count { return false }
    frame.text.truncate(to: valid)
    return true
  }

  /// Reads a list of names (``FrameNames``) into their numbers; false when it is invalid.
  private static func read(
    _ list: ByteView, _ isValid: (ByteView) -> Bool, _ names: inout NameCache,
    _ numbers: inout [UInt32]
  ) -> Bool {
    numbers.removeAll(keepingCapacity: true)
    var position = 0
    while position < list.count {
      let end = position + 1 + Int(list[position])
      guard end <= list.count, isValid(list[position + 1..<end]) else { return false }
      numbers.append(names.id(of: list[position + 1..<end]))
      position = end
    }
    return true
  }

  /// Gives the records of `state` the numbers of this process; false when it is invalid.
  private func take(
    _ text: inout ByteBuffer, _ state: KeyState.Layout, _ states: ByteView,
    _ content: SortedRun.Content, _ counted: inout Int
  ) -> Bool {
    let (key, records) = (states[state.key], states[0..<state.end])
    var offset = state.records.lowerBound
    guard let section = KeySection(of: key), section.hasID(key),
      content == .state || !state.hasProfile
    else { return false }
    if content == .memberships {
      // A membership has the key of the person, and begins with the installation.
      var first = offset
      guard section == .custom, Mutation(records, at: &first)?.kind == .link else { return false }
    }
    var place = RecordPlace(
      section: section, hasProfile: state.hasProfile, content: content, events: counted)
    while offset < state.end {
      let start = offset
      guard let record = Mutation(records, at: &offset), registers.isSound(record, &place) else {
        return false
      }
      place.isFirst = false
      let name = Int(record.name)
      switch record.naming {
      case .event:
        guard name < events.count else { return false }
        text.replace(word32: events[name], at: start)
      case .attribute:
        guard name < attributes.count else { return false }
        text.replace(word32: attributes[name], at: start)
      case .none: break
      }
    }
    counted = place.events
    return true
  }

  /// The complete state of a key, with the events of its `profile`, if it has one; nil when that
  /// lacks some. Valid until the next call. Complexity: O(bytes of the records and of the profile).
  package func whole(_ state: KeyState, _ profile: ByteView?, keepsIDs: Bool) -> KeyState? {
    records.removeAll()
    published.removeAll()
    if let profile {
      guard let section = KeySection(of: state.key),
        let sum = published.read(profile, of: section.id(of: state.key), counted),
        published.names(below: known.events)
      else { return nil }
      counted = sum
    }
    var offset = 0
    var position = 0
    while true {
      let start = offset
      guard let record = Mutation(state.records, at: &offset) else { break }
      if record.isID, !keepsIDs { continue }
      guard record.kind == .published else {
        records.append(state.records[start..<offset])
        continue
      }
      position += Int(record.name)
      guard record.time <= published.events.count - position else { return nil }
      for event in published.events[position..<position + record.time] {
        // A name with untimed events is stored completely in the state.
        guard !event.register.seen.isNever else { return nil }
        Mutation(event.register, name: event.name).append(to: &records)
      }
      position += record.time
    }
    var state = state
    state.hasProfile = false
    state.records = records.view
    return state
  }
}
