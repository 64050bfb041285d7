import Pipeline

/// What dialects met in one block beside events and operations: lines that say nothing about a
/// person, by name, for the report (dialects 2, 3).
///
/// The reader notes, and the validator counts what it noted of records that are not rejected as a
/// whole. Reused from block to block: nothing is allocated per record after warm-up.
package struct DialectNotes: ~Copyable {
  /// What is noted.
  enum Kind: UInt8, BitwiseCopyable {
    /// One of the SDK's own events, whether it has an effect or not.
    case internalEvent
    /// An action that is neither event nor tag.
    case ignoredAction
    /// A record that says that somebody logged out, which changes nothing.
    case logout
  }

  /// Something that does not count yet.
  struct Note: BitwiseCopyable {
    /// Index in the batch's `records`.
    let record: Int32
    /// Tape index of the name.
    let name: Int32
    let kind: Kind
  }

  /// The SDK's own events, by name.
  package internal(set) var internalEvents = FieldTally()
  /// Actions that are ignored, by name.
  package internal(set) var ignoredActions = FieldTally()
  package internal(set) var logouts = 0
  var open = PlainList<Note>()

  package init() {}

  /// Notes something of the record that will have the index `record` in the batch; `name` is the
  /// tape index of what it is called.
  mutating func note(_ kind: Kind, name: Int, of record: Int) {
    open.append(Note(record: Int32(record), name: Int32(name), kind: kind))
  }

  /// Forgets everything.
  mutating func removeAll() {
    internalEvents.removeAll()
    ignoredActions.removeAll()
    logouts = 0
    open.removeAll()
  }

  /// Forgets everything, and the room that an unusual block needed.
  mutating func recycle() {
    internalEvents.recycle()
    ignoredActions.recycle()
    logouts = 0
    open.recycle()
  }
}

extension RecordBatch {
  /// Counts what was noted of records that were not rejected as a whole. Complexity: O(notes).
  func countNotes() {
    for index in notes.open.indices {
      let note = notes.open[index]
      if records[Int(note.record)].isRejected { continue }
      let name = tape.bytes(at: Int(note.name))
      switch note.kind {
      case .internalEvent: notes.internalEvents.add(name)
      case .ignoredAction: notes.ignoredActions.add(name)
      case .logout: notes.logouts += 1
      }
    }
    notes.open.removeAll()
  }
}
