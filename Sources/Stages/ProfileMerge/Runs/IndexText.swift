package import Pipeline

/// The entries of frames being made, in order (``IndexEntry``).
package struct IndexText: ~Copyable {
  package init() {}

  private var entries = ByteBuffer()
  private var key = ByteBuffer()
  /// The facts of the keys of the current frame.
  package var facts = FrameFacts()
  private var taken = ByteBuffer()
  private var goesOn = false

  /// Removes everything.
  package mutating func removeAll() {
    entries.removeAll()
    entries.shrink(to: RetainedCapacity.bytes)
    forgetFrame()
  }

  private mutating func forgetFrame() {
    key.removeAll()
    facts.take(into: &taken)
    taken.removeAll()
    taken.shrink(to: RetainedCapacity.bytes)
    goesOn = false
  }

  /// Begins a frame with the first key `key`; `goesOn` is whether the previous frame ends with the
  /// same key.
  package mutating func begin(_ key: ByteView, goesOn: Bool = false) {
    self.key.append(key)
    self.goesOn = goesOn
  }

  /// Ends the frame.
  package mutating func end(state: WrittenFrame, profiles: WrittenFrame) {
    facts.take(into: &taken)
    IndexEntry(state: state, profiles: profiles, key: key.view, facts: taken.view, goesOn: goesOn)
      .append(to: &entries)
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
