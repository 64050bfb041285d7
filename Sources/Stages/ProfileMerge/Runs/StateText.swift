import Pipeline

/// States of keys on their way into frames of a run (docs/reference/file-formats.md).
///
/// A frame is self-contained, so that it can be copied from night to night and be read by any
/// process: it contains the names that its records use. Spills that only this process reads are the
/// exception: they use its numbers. Events that the profile of a key has in the same form are
/// stored only there: a record refers to them.
///
/// ```
/// key states (``KeyState``)
/// names of events │ names of attributes (``FrameNames``)
/// bytes of the states (32) │ bytes of the names of events (32)      8 bytes, little-endian
/// ```
package struct StateText: ~Copyable {
  /// Bytes after the names.
  static let trailerLength = 8

  /// The frames; their lines are keys.
  package var frames: FrameText
  private var events = FrameNames()
  private var attributes = FrameNames()
  private var records = ByteBuffer()
  /// Offset of the last state of the current frame.
  private var last = 0

  /// See ``FrameText`` for `readsCopies`.
  package init(readsCopies: Bool = true) { frames = FrameText(readsCopies: readsCopies) }
  var count: Int { frames.text.count }

  mutating func removeAll() {
    frames.removeAll()
    events.removeAll()
    attributes.removeAll()
  }

  /// Whether the last state of the current frame has the key `key`.
  func endsWith(_ key: ByteView) -> Bool {
    var offset = last
    return KeyState(frames.text.view, at: &offset)?.key == key
  }

  mutating func cut(_ encoder: ZstdEncoder) throws(Failure) {
    let states = frames.text.count
    precondition(states <= Int(UInt32.max), "the states of a frame have less than 4 GiB")
    frames.text.append(events.text.view)
    frames.text.append(attributes.text.view)
    frames.text.append(word64: UInt64(events.text.count) << 32 | UInt64(states))
    events.removeAll()
    attributes.removeAll()
    try frames.cut(encoder)
  }

  // MARK: - Keys

  /// Appends the state of a key, whose records use numbers of `names`. Ids of events that were last
  /// delivered before `oldestID` are dropped. `published` are the events of its profile that
  /// records may refer to, and `withValues` is whether they include their values.
  mutating func append(
    _ state: KeyState, published: [EventsRegister.Row], withValues: Bool, names: SnapshotNames,
    oldestID: Int, noting facts: inout FrameFacts
  ) {
    var offset = 0
    /// The index in the profile after the events referred to, the index of the next one, and the
    /// number of events before it to refer to.
    var (end, position, run) = (0, 0, 0)
    records.removeAll()
    while var record = Mutation(state.records, at: &offset) {
      if record.isID {
        if record.latestDelivery < oldestID { continue }
        record.kind = .earlierID
      } else if !published.isEmpty, record.isOfEvents, withValues || record.value.isEmpty {
        let rank = names.events.ranks[Int(record.name)]
        let first = position
        while position < published.count, published[position].rank < rank { position += 1 }
        if position > first, run > 0 { refer(to: run, behind: first - run - end, &end, &run) }
        if position < published.count, published[position].isSaid(by: record, rank) {
          (position, run) = (position + 1, run + 1)
          continue
        }
      }
      facts.add(record)
      renumber(&record, names.lists)
      record.append(to: &records)
    }
    if run > 0 { refer(to: run, behind: position - run - end, &end, &run) }
    var state = state
    state.records = records.view
    state.append(to: &frames.text)
    frames.lines += 1
  }

  /// Appends a reference to `count` events of the profile, and moves past them.
  private mutating func refer(
    to count: Int, behind passed: Int, _ end: inout Int, _ run: inout Int
  ) {
    Mutation(.published, name: UInt32(passed), time: count).append(to: &records)
    end += passed + count
    run = 0
  }

  /// Appends the state of a key with all its records unchanged. Their names are in `names`; without
  /// these they keep the numbers of this process, which alone can read them.
  mutating func append(_ state: KeyState, names: NameLists?) {
    last = frames.text.count
    state.append(to: &frames.text)
    frames.lines += 1
    guard let names else { return }
    var offset = frames.text.count - state.records.count
    var start = offset
    while var record = Mutation(frames.text.view, at: &offset) {
      renumber(&record, names)
      if record.naming != .none { frames.text.replace(word32: record.name, at: start) }
      start = offset
    }
  }

  private mutating func renumber(_ record: inout Mutation, _ names: NameLists) {
    switch record.naming {
    case .event: record.name = events.number(of: record.name, names.events)
    case .attribute: record.name = attributes.number(of: record.name, names.attributes)
    case .none: break
    }
  }
}

extension FactKind {
  /// `time` events of the key's profile are those of the key, after `name` others. Only in frames.
  static var published: Self { Self(11) }
}

extension EventsRegister.Row {
  /// Whether a record, whose name has the rank `other`, is equal.
  fileprivate func isSaid(by record: Mutation, _ other: UInt32) -> Bool {
    guard rank == other, register.untimed == 0 else { return false }
    let said = record.eventRegister
    return said.count == register.count && said.seen == register.seen
      && said.value == register.value
  }
}

/// The names that the states of a frame use, numbered in order of first use: the same states give
/// the same numbers in every process. Reusable.
///
/// ```
/// for each name: its length (8) │ its bytes
/// ```
struct FrameNames: ~Copyable {
  /// By number of the run: the number of the frame in which the name was used last (32), and its
  /// number there (32).
  private var numbers: [UInt64] = []
  private var frame: UInt64 = 0
  private var count: UInt32 = 0
  private(set) var text = ByteBuffer()

  init() { removeAll() }

  /// Removes the names: another frame begins.
  mutating func removeAll() {
    frame += 1
    count = 0
    text.removeAll()
  }

  /// The number in the frame of the name with the number `name` in `names`.
  mutating func number(of name: UInt32, _ names: NameList) -> UInt32 {
    known(name) ?? add(name, names)
  }

  /// The number in the frame of a name that it already has.
  func known(_ name: UInt32) -> UInt32? {
    guard Int(name) < numbers.count else { return nil }
    let known = numbers[Int(name)]
    return known >> 32 == frame ? UInt32(truncatingIfNeeded: known) : nil
  }

  private mutating func add(_ name: UInt32, _ names: NameList) -> UInt32 {
    if Int(name) >= numbers.count {
      numbers.append(contentsOf: repeatElement(0, count: names.count - numbers.count))
    }
    let number = count
    count += 1
    numbers[Int(name)] = frame << 32 | UInt64(number)
    let bytes = names[name]
    precondition(bytes.count <= Int(UInt8.max), "names are short")
    text.append(UInt8(truncatingIfNeeded: bytes.count))
    text.append(bytes)
    return number
  }
}
