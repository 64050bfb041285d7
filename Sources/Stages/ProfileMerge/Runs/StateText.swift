package import Pipeline

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
  package private(set) var frames: FrameText
  private var events = FrameNames()
  private var attributes = FrameNames()
  private var records = ByteBuffer()
  /// Offset of the last state of the current frame.
  private var last = 0

  /// See ``FrameText`` for `readsCopies`.
  package init(readsCopies: Bool = true) { frames = FrameText(readsCopies: readsCopies) }

  /// Bytes of the states of the current frame.
  var count: Int { frames.text.count }

  /// Removes everything.
  mutating func removeAll() {
    frames.removeAll()
    forgetFrame()
  }

  /// Removes the finished frames.
  mutating func removeFinished() { frames.removeFinished() }

  /// Whether the last state of the current frame has the key `key`.
  func endsWith(_ key: ByteView) -> Bool {
    var offset = last
    return KeyState(frames.text.view, at: &offset)?.key == key
  }

  private mutating func forgetFrame() {
    events.removeAll()
    attributes.removeAll()
  }

  /// Makes the first frame of a part, which only has a header.
  /// - Throws: `io`, when there is no memory to compress with.
  mutating func cut(_ header: StateHeader, _ encoder: ZstdEncoder) throws(Failure) {
    header.append(to: &frames.text)
    try frames.cut(encoder)
  }

  /// Ends the frame.
  /// - Throws: `io`, when there is no memory to compress with.
  mutating func cut(_ encoder: ZstdEncoder) throws(Failure) {
    let states = frames.text.count
    precondition(states <= Int(UInt32.max), "the states of a frame have less than 4 GiB")
    frames.text.append(events.text.view)
    frames.text.append(attributes.text.view)
    frames.text.append(word64: UInt64(events.text.count) << 32 | UInt64(states))
    forgetFrame()
    try frames.cut(encoder)
  }

  /// Adds a finished frame of `file`, which is at the bytes from `start` on.
  /// - Throws: as ``readCopies()``.
  mutating func copy(
    _ frame: WrittenFrame, of file: PositionedFile, from start: Int
  ) throws(Failure) {
    try frames.copy(frame, of: file, from: start)
  }

  /// Reads what was copied last (``FrameText/readCopies()``).
  mutating func readCopies() throws(Failure) { try frames.readCopies() }

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

  /// Appends a reference to `run` events of the profile, and moves past them.
  private mutating func refer(
    to count: Int, behind passed: Int, _ end: inout Int, _ run: inout Int
  ) {
    Mutation(published: count, behind: passed).append(to: &records)
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

  /// Appends the finished frames to a file or a segment of one.
  /// - Throws: `io`.
  package borrowing func append(to file: any FrameTarget) throws(Failure) {
    try frames.append(to: file)
  }
}

extension Mutation.Kind {
  /// `time` events of the key's profile are those of the key, after `name` others. Only in frames.
  static var published: Self { Self(11) }
}

extension Mutation {
  /// A reference to `count` events of the key's profile, behind `passed` others.
  init(published count: Int, behind passed: Int) {
    self.init(.published, name: UInt32(passed), time: count)
  }
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
