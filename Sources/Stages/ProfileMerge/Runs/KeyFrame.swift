package import Pipeline

/// The keys of a frame, and the lines of profiles beside them, as read by a ``KeyFrameReader``.
package struct KeyFrame: ~Copyable, Sendable {
  /// The fault of bytes that are not such a frame.
  static let damage = "it does not contain states of keys"

  /// The position of a key and its profile.
  package struct Position {
    var state = 0
    var profile = 0
    /// The beginning of the profile of the previous key, if that has one.
    fileprivate var line = 0

    package init() {}
  }

  /// The text of the frame; after reading, only the valid states in it.
  package var text = ByteBuffer(capacity: 0)
  /// The lines of the profiles beside it.
  package var profiles = ByteBuffer(capacity: 0)
  /// Whether the frame was valid as a whole.
  fileprivate(set) var isSound = true

  package init() {}

  /// Removes everything, and keeps the usual capacity.
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

/// Reads frames of runs, and maps their names to those of this process. Reusable; for one thread.
///
/// A frame from elsewhere is not trusted: anything that violates the format is a failure of kind
/// corrupt.
package final class KeyFrameReader {
  /// Decompresses frames of the index, too.
  let frames: FrameFileReader
  /// They know the records of their kinds; nothing is gathered in them.
  private var registers = KeyRegisters()
  private var eventNames: NameCache
  private var attributeNames: NameCache
  /// Number of names of each kind, when no others are allowed.
  private let known: (events: Int, attributes: Int)
  /// By number in the frame: the numbers of this process.
  private var events: [UInt32] = []
  private var attributes: [UInt32] = []
  /// The events of the profile of the key that was completed last.
  private(set) var published: PublishedEvents
  /// The records of that key.
  private var records = ByteBuffer()

  /// A reader of frames whose names become names of the run. With `known` no other names are
  /// allowed.
  /// - Throws: `io`, when there is no memory.
  package init(names: RunNames, known: NameLists? = nil) throws(Failure) {
    frames = try FrameFileReader()
    self.known = (known?.events.count ?? .max, known?.attributes.count ?? .max)
    eventNames = NameCache(of: names.events)
    attributeNames = NameCache(of: names.attributes)
    published = PublishedEvents(names)
  }

  /// Reads the frames of `entry` of `run`.
  /// - Throws: `corrupt`, `io`.
  package func read(
    _ entry: FrameEntry, of run: SortedRun, into frame: inout KeyFrame
  ) throws(Failure) {
    frame.removeAll()
    try frames.decode(
      entry.entry.state, of: run.state, from: entry.state.lowerBound, into: &frame.text)
    if let profiles = run.profiles {
      try frames.decode(
        entry.entry.profiles, of: profiles, from: entry.profiles.lowerBound,
        into: &frame.profiles)
    }
    // The index holds the number of keys of the frame, and ranges that share it rely on it.
    guard bind(&frame, run.content, keys: entry.entry.state.lines) else {
      throw run.damaged(KeyFrame.damage)
    }
  }

  /// Takes the bytes of `frame`, and gives its records this process's numbers of names; false when
  /// it is not a frame, or has names that are not allowed. It may still have invalid states: then
  /// it ends before the first of them. Also false if the number of valid states is not `keys`,
  /// where that is known.
  package func bind(
    _ frame: inout KeyFrame, _ content: SortedRun.Content, keys: Int? = nil
  ) -> Bool {
    guard let layout = FrameLayout(frame.text.view, content) else { return false }
    if content == .own {
      frame.text.truncate(to: layout.states.count)
      return true
    }
    events.removeAll(keepingCapacity: true)
    attributes.removeAll(keepingCapacity: true)
    for name in layout.events { events.append(eventNames.id(of: name)) }
    for name in layout.attributes { attributes.append(attributeNames.id(of: name)) }
    guard events.allSatisfy({ $0 < known.events }),
      attributes.allSatisfy({ $0 < known.attributes })
    else { return false }
    var end = 0
    var count = 0
    while let state = KeyState.Layout(layout.states, at: end), layout.isSound(state),
      take(&frame.text, state, layout)
    {
      end = state.end
      count += 1
    }
    frame.isSound = end == layout.states.count
    if frame.isSound, let keys, keys != count { return false }
    frame.text.truncate(to: end)
    return true
  }

  /// Gives the records of `state` the numbers of this process; false when they are invalid.
  private func take(
    _ text: inout ByteBuffer, _ state: KeyState.Layout, _ layout: FrameLayout
  ) -> Bool {
    let records = layout.states[0..<state.end]
    guard let section = KeySection(of: layout.states[state.key]) else { return false }
    var place = RecordPlace(
      section: section, hasProfile: state.hasProfile, content: layout.content)
    var offset = state.records.lowerBound
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
    return true
  }

  /// The complete state of a key, with the events of its `profile`, if it has one; without ids,
  /// unless they are kept. Nil when its profile lacks events that it refers to. Valid until the
  /// next call. Complexity: O(n) for n bytes of records and of the profile.
  package func whole(_ state: KeyState, _ profile: ByteView?, keepsIDs: Bool) -> KeyState? {
    records.removeAll()
    published.removeAll()
    if let profile {
      guard let section = KeySection(of: state.key),
        published.read(profile, of: section.id(of: state.key)),
        published.names(below: known.events)
      else { return nil }
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
