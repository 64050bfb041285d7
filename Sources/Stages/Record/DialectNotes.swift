import Pipeline

/// Records of one block that are neither events nor operations, by name (dialects 2, 3). The reader
/// notes them; the validator counts those of records that are not rejected as a whole.
package struct DialectNotes: ~Copyable {
  enum Kind: UInt8, BitwiseCopyable {
    /// One of the SDK's internal events, with or without an effect.
    case internalEvent
    /// An action that is neither an event nor a tag.
    case ignoredAction
    /// A record of a logout, which has no effect.
    case logout
  }

  struct Note: BitwiseCopyable {
    /// Index in the batch's `records`.
    let record: Int32
    /// Tape index of the name.
    let name: Int32
    let kind: Kind
  }

  package internal(set) var internalEvents = FieldTally()
  package internal(set) var ignoredActions = FieldTally()
  package internal(set) var logouts = 0
  var open = PlainList<Note>()

  /// Adds a note for the record that will have the index `record`; `name` is a tape index.
  mutating func note(_ kind: Kind, name: Int, of record: Int) {
    open.append(Note(record: Int32(record), name: Int32(name), kind: kind))
  }

  mutating func recycle() {
    internalEvents.recycle()
    ignoredActions.recycle()
    logouts = 0
    open.recycle()
  }
}

extension RecordBatch {
  /// Counts the notes of records that were not rejected as a whole. Complexity: O(notes).
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
