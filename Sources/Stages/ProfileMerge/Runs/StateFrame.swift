package import Pipeline

/// A frame of a state that was published, and the frame of profiles that belongs to it, key by key.
/// Made to be used again and again; for one thread.
///
/// Nothing of it is taken on trust: what does not fit the format is a failure of kind corrupt.
package struct StateFrame: ~Copyable {
  /// What is wrong with bytes that are no such frame.
  private static let damage = "it does not hold states of keys"

  /// A key of the frame, as it stands there. Valid until the next reading.
  package struct Key {
    /// With numbers of names that are the frame's, and references to events of the profile.
    package let state: KeyState
    /// The line of its profile, with its end; nil when it has none.
    package let profile: ByteView?
  }

  private var eventNames: NameCache
  private var attributeNames: NameCache
  /// How many names of each kind there are, when no more may come.
  private let known: (events: Int, attributes: Int)
  private var text = ByteBuffer()
  private var profiles = ByteBuffer()
  /// By number in the frame: the numbers of the run.
  package private(set) var events: [UInt32] = []
  package private(set) var attributes: [UInt32] = []
  private var layout = StateLayout.empty
  /// The events of the profile of the key that was made whole last.
  private(set) var published: PublishedEvents
  /// The records of that key.
  private var records = ByteBuffer()

  /// A reader of frames whose names become names of the run. With `known` no others may stand in
  /// them.
  package init(names: RunNames, known: SnapshotNames? = nil) {
    self.known = (known?.events.count ?? .max, known?.attributes.count ?? .max)
    eventNames = NameCache(of: names.events)
    attributeNames = NameCache(of: names.attributes)
    published = PublishedEvents(names)
  }

  /// Reads the frames that `entry` of `part` is of.
  /// - Throws: `corrupt`, `io`.
  package mutating func read(
    _ entry: PreviousEntry, of part: PreviousPart, _ reader: FrameFileReader
  ) throws(Failure) {
    text.removeAll()
    text.shrink(to: RetainedCapacity.bytes)
    profiles.removeAll()
    profiles.shrink(to: RetainedCapacity.bytes)
    try reader.decode(
      entry.state, of: part.state, content: entry.entry.state.text, frame: nil, into: &text)
    try reader.decode(
      entry.profiles, of: part.profiles, content: entry.entry.profiles.text, frame: nil,
      into: &profiles)
    guard bind(to: text.view, profiles: profiles.view) else {
      throw part.state.damaged(Self.damage)
    }
  }

  /// Takes a frame and its profiles, whose bytes stay where they are as long as it is read; false
  /// when it is none, or has names that may not come.
  package mutating func bind(to text: ByteView, profiles: ByteView) -> Bool {
    guard let layout = StateLayout(text, profiles: profiles) else { return false }
    self.layout = layout
    events.removeAll(keepingCapacity: true)
    attributes.removeAll(keepingCapacity: true)
    for name in layout.events { events.append(eventNames.id(of: name)) }
    for name in layout.attributes { attributes.append(attributeNames.id(of: name)) }
    return events.allSatisfy { $0 < known.events }
      && attributes.allSatisfy { $0 < known.attributes }
  }

  /// Whether there is no further key, and no further profile.
  package var isAtEnd: Bool { layout.isAtEnd }

  /// The next key, and moves behind it; nil when there is none that is sound.
  package mutating func next() -> Key? { layout.next() }

  /// The next key, and moves behind it; nil at the end.
  /// - Throws: `corrupt`, when there is none.
  package mutating func next(of part: PreviousPart) throws(Failure) -> Key? {
    if layout.isAtEnd { return nil }
    guard let key = layout.next() else { throw part.state.damaged(Self.damage) }
    return key
  }

  /// What a key of `part` knows, as ``whole(_:keepsIDs:)`` does.
  /// - Throws: `corrupt`, when its profile has not the events that the state refers to.
  package mutating func whole(
    _ key: Key, keepsIDs: Bool, of part: PreviousPart
  ) throws(Failure) -> KeyState {
    guard let state = whole(key, keepsIDs: keepsIDs) else {
      throw part.profiles.damaged("it has not the profile of a key of the state")
    }
    return state
  }

  /// What a key of the frame knows, with numbers of the run and all events; without ids, unless
  /// they are kept. Nil when its profile has not the events that it refers to. Valid until the next
  /// call. Complexity: O(n) for n bytes of records and of the profile.
  package mutating func whole(_ key: Key, keepsIDs: Bool) -> KeyState? {
    records.removeAll()
    published.removeAll()
    if let profile = key.profile {
      guard let section = KeySection(of: key.state.key),
        published.read(profile, of: section.id(of: key.state.key)),
        published.names(below: known.events)
      else { return nil }
    }
    var offset = 0
    var position = 0
    while var record = Mutation(key.state.records, at: &offset) {
      if record.isID, !keepsIDs { continue }
      guard let run = record.publishedRun else {
        switch record.naming {
        case .event: record.name = events[Int(record.name)]
        case .attribute: record.name = attributes[Int(record.name)]
        case .none: break
        }
        record.append(to: &records)
        continue
      }
      position += run.passed
      guard run.count <= published.events.count - position else { return nil }
      for event in published.events[position..<position + run.count] {
        // A name of which some events have no time stands in the state as a whole.
        guard !event.register.seen.isNever else { return nil }
        Mutation(event.register, name: event.name).append(to: &records)
      }
      position += run.count
    }
    var state = key.state
    state.hasProfile = false
    state.records = records.view
    return state
  }
}

/// The events of a published profile, out of its line. Made to be used again and again; for one
/// thread.
struct PublishedEvents: ~Copyable {
  private let tape = Tape(numbersNames: false)
  private var names: NameCache
  /// The events in their order, each with the number of its name in the run.
  private(set) var events: [(name: UInt32, register: EventRegister)] = []

  init(_ names: RunNames) { self.names = NameCache(of: names.events) }

  /// Forgets the events.
  mutating func removeAll() { events.removeAll(keepingCapacity: true) }

  /// Reads the events of the line `profile`, which ends with its end; false when it is not the
  /// profile of the id `id`. Values are views of the line.
  mutating func read(_ profile: ByteView, of id: ByteView) -> Bool {
    tape.bind(to: profile)
    guard case .value(let root) = Scanner.scan(line: 0..<profile.count - 1, into: tape),
      tape[root].kind == .object, tape.string(at: tape.member("id", of: root)) == id
    else { return false }
    guard let object = tape.member("events", of: root) else { return true }
    var isSound = true
    // Of all together, so that no sum of them overflows.
    var count = 0
    tape.forEachMember(of: object) { name in
      guard StateLayout.isName(tape.bytes(at: name)), let register = register(name + 1),
        count + register.count <= StateLayout.maximumCount
      else {
        isSound = false
        return
      }
      count += register.count
      events.append((names.id(of: tape.bytes(at: name)), register))
    }
    return isSound
  }

  private func register(_ event: Int) -> EventRegister? {
    guard tape[event].kind == .object, let count = tape.count(at: tape.member("count", of: event)),
      0...StateLayout.maximumCount ~= count
    else { return nil }
    var register = EventRegister(count: count, seen: .never, value: "")
    if let first = tape.member("first_seen", of: event) {
      guard let from = tape.time(at: first),
        let to = tape.time(at: tape.member("last_seen", of: event)),
        StateLayout.isRange(from, to)
      else { return nil }
      register.seen = Seen(first: from, last: to)
    }
    if let value = tape.member("value", of: event) {
      guard tape[value].kind == .object else { return nil }
      register.value = tape.bytes(at: value)
    }
    return register
  }

  /// Whether the numbers of all names are below `limit`.
  func names(below limit: Int) -> Bool { events.allSatisfy { $0.name < limit } }
}
