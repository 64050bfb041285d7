package import Pipeline

/// The entries of frames being made, in order (``IndexEntry``).
package struct IndexText: ~Copyable {
  package init() {}

  private var entries = ByteBuffer()
  private var key = ByteBuffer()
  private var marks = ByteBuffer()
  private var oldestID = Int.max
  private var lastMark: UInt32?
  private var goesOn = false

  /// Removes everything.
  package mutating func removeAll() {
    entries.removeAll()
    entries.shrink(to: RetainedCapacity.bytes)
    forgetFrame()
  }

  private mutating func forgetFrame() {
    key.removeAll()
    marks.removeAll()
    marks.shrink(to: RetainedCapacity.bytes)
    oldestID = .max
    lastMark = nil
    goesOn = false
  }

  /// Begins a frame with the first key `key`; `goesOn` is whether the previous frame ends with the
  /// same key.
  package mutating func begin(_ key: ByteView, goesOn: Bool = false) {
    self.key.append(key)
    self.goesOn = goesOn
  }

  /// Marks the frame with the person whose key text has the hash `person`.
  package mutating func mark(_ person: UInt64) {
    let mark = KeyHash.mark(person)
    // The installations of a person are often consecutive.
    guard mark != lastMark else { return }
    lastMark = mark
    marks.append(word32: mark)
  }

  /// Records that the frame has ids of events, the oldest one with that time.
  package mutating func note(oldestID: Int) { self.oldestID = min(self.oldestID, oldestID) }

  /// Ends the frame.
  package mutating func end(state: IndexEntry.Frame, profiles: IndexEntry.Frame) {
    IndexEntry(
      state: state, profiles: profiles, key: key.view, oldestID: oldestID, marks: marks.view,
      goesOn: goesOn
    ).append(to: &entries)
    forgetFrame()
  }

  /// Removes the entries of finished frames.
  mutating func removeFinished() { entries.removeAll() }

  /// Adds the entry of copied frames.
  mutating func copy(_ entry: IndexEntry) { entry.append(to: &entries) }

  /// The entries of finished frames.
  var text: ByteView { entries.view }

  /// Calls `body` with every entry.
  package borrowing func forEach(_ body: (IndexEntry) throws(Failure) -> Void) throws(Failure) {
    var offset = 0
    while let entry = IndexEntry(entries.view, at: &offset) { try body(entry) }
  }
}
