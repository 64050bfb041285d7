import Pipeline

/// Ignored input of one block: records that are neither events nor operations, counted by name for
/// the report (dialects 2, 3).
///
/// The reader adds notes, and the validator counts those of records that are not rejected as a
/// whole. Reused from block to block: nothing is allocated per record after warm-up.
package struct DialectNotes: ~Copyable {
  /// The kind of a note.
  enum Kind: UInt8, BitwiseCopyable {
    /// One of the SDK's internal events, with or without an effect.
    case internalEvent
    /// An action that is neither an event nor a tag.
    case ignoredAction
    /// A record of a logout, which has no effect.
    case logout
  }

  /// An occurrence that is not counted yet.
  struct Note: BitwiseCopyable {
    /// Index in the batch's `records`.
    let record: Int32
    /// Tape index of the name.
    let name: Int32
    let kind: Kind
  }

  /// The SDK's internal events, by name.
  package internal(set) var internalEvents = FieldTally()
  /// Actions that are ignored, by name.
  package internal(set) var ignoredActions = FieldTally()
  package internal(set) var logouts = 0
  var open = PlainList<Note>()

  /// Adds a note for the record that will have the index `record` in the batch; `name` is the tape
  /// index of its name.
  mutating func note(_ kind: Kind, name: Int, of record: Int) {
    open.append(Note(record: Int32(record), name: Int32(name), kind: kind))
  }

  /// Removes everything, and releases excess capacity.
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
