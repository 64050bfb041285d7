package import Pipeline

/// The keys of a frame, and the lines of profiles beside them: what a ``KeyFrameReader`` has read.
package struct KeyFrame: ~Copyable, Sendable {
  /// What is wrong with bytes that are no such frame.
  static let damage = "it does not hold states of keys"

  /// Where a key and its profile begin.
  package struct Position {
    var state = 0
    var profile = 0
    /// Where the profile of the key before it begins, if that has one.
    fileprivate var line = 0

    package init() {}
  }

  /// The text of the frame; once it was read, only the states in it that are sound.
  package var text = ByteBuffer(capacity: 0)
  /// The lines of the profiles beside it.
  package var profiles = ByteBuffer(capacity: 0)
  /// Whether there was nothing but them in it.
  fileprivate(set) var isSound = true

  package init() {}

  /// Forgets everything, and keeps the room of usual frames.
  mutating func removeAll() {
    text.removeAll()
    text.shrink(to: RetainedCapacity.bytes)
    profiles.removeAll()
    profiles.shrink(to: RetainedCapacity.bytes)
    isSound = true
  }

  /// Whether there is no further key, and no further profile.
  package func isEnd(_ position: Position) -> Bool {
    isSound && position.state == text.count && position.profile == profiles.count
  }

  /// The key at `position`, which moves behind it, as it stands there: with numbers of names that
  /// are the run's, and references to events of its profile. Nil when there is none that is sound.
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

  /// The line of the profile of the key before `position`, with its end; nil when it has none.
  package func profile(before position: Position) -> ByteView? {
    position.line == position.profile ? nil : profiles[position.line..<position.profile]
  }
}

/// Reads frames of runs, whose names become names of this process. Made to be used again and again;
/// for one thread.
///
/// Nothing of a frame from elsewhere is taken on trust: what does not fit the format is a failure
/// of kind corrupt.
package final class KeyFrameReader {
  /// Decompresses frames of the index, too.
  let frames: FrameFileReader
  private var eventNames: NameCache
  private var attributeNames: NameCache
  /// How many names of each kind there are, when no more may come.
  private let known: (events: Int, attributes: Int)
  /// By number in the frame: the numbers of this process.
  private var events: [UInt32] = []
  private var attributes: [UInt32] = []
  /// The events of the profile of the key that was made whole last.
  private(set) var published: PublishedEvents
  /// The records of that key.
  private var records = ByteBuffer()

  /// A reader of frames whose names become names of the run. With `known` no others may stand in
  /// them.
  /// - Throws: `io`, when there is no memory.
  package init(names: RunNames, known: NameLists? = nil) throws(Failure) {
    frames = try FrameFileReader()
    self.known = (known?.events.count ?? .max, known?.attributes.count ?? .max)
    eventNames = NameCache(of: names.events)
    attributeNames = NameCache(of: names.attributes)
    published = PublishedEvents(names)
  }

  /// Reads the frames that `entry` of `run` is of.
  /// - Throws: `corrupt`, `io`.
  package func read(
    _ entry: FrameEntry, of run: SortedRun, into frame: inout KeyFrame
  ) throws(Failure) {
    frame.removeAll()
    try frames.decode(
      entry.state, of: run.state, content: entry.entry.state.text, frame: nil, into: &frame.text)
    if let profiles = run.profiles {
      try frames.decode(
        entry.profiles, of: profiles, content: entry.entry.profiles.text, frame: nil,
        into: &frame.profiles)
    }
    // The index says how many keys the frame has, and ranges that share it go by that.
    guard bind(&frame, run.content, keys: entry.entry.state.lines) else {
      throw run.damaged(KeyFrame.damage)
    }
  }

  /// Takes the bytes of `frame`, and gives its records this process's numbers of names; false when
  /// it is no frame, or has names that may not come. It may still have states that are not sound:
  /// then it ends before the first of them. False as well if all are sound and not `keys` of them,
  /// where that number is known.
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

  /// Gives the records of `state` the numbers of this process; false when they are not sound.
  private func take(
    _ text: inout ByteBuffer, _ state: KeyState.Layout, _ layout: FrameLayout
  ) -> Bool {
    let records = layout.states[0..<state.end]
    // All events of a key together, so that no sum of its registers overflows.
    var count = 0
    var offset = state.records
    while offset < state.end {
      let start = offset
      guard let record = Mutation.Head(records, at: &offset),
        layout.isSound(record, of: state, &count)
      else { return false }
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

  /// What a key knows, with its `profile`, if it has one, and all events; without ids, unless they
  /// are kept. Nil when its profile has not the events that it refers to. Valid until the next
  /// call. Complexity: O(n) for n bytes of records and of the profile.
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
      guard let head = Mutation.Head(state.records, at: &offset) else { break }
      if head.isID, !keepsIDs { continue }
      guard let run = head.publishedRun else {
        records.append(state.records[start..<offset])
        continue
      }
      position += run.passed
      guard run.count <= published.events.count - position else { return nil }
      for event in published.events[position..<position + run.count] {
        // A name with events without a time is in the state as a whole.
        guard !event.register.seen.isNever else { return nil }
        Mutation(event.register, name: event.name).append(to: &records)
      }
      position += run.count
    }
    var state = state
    state.hasProfile = false
    state.records = records.view
    return state
  }
}
