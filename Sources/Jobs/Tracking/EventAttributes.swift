import Pipeline
import Stages

extension TapeEntry {
  /// The time of a value of a key `date(…)`, which is relabelled only if it was not in canonical
  /// form; nil for any other value.
  func time(in tape: Tape) -> Int? {
    switch kind {
    case .date: milliseconds
    case .string: Timestamp.parse(tape.bytes(self))
    default: nil
    }
  }
}

/// Walks the attributes of events in the form of canonical records. One lane at a time.
struct EventAttributes: ~Copyable {
  private var key = ByteBuffer(capacity: 64)

  /// Calls `body` with the key and the tape index of the value of each attribute of an accepted
  /// event, `$label` and `$tags` first. Complexity: O(attributes).
  mutating func forEach(
    of event: EventEntry, in tape: Tape, _ body: (_ key: ByteView, _ value: Int) -> Void
  ) {
    if event.label.exists { body("$label", event.label.index) }
    if event.tags.exists, CanonicalWriter.hasItems(event.tags.index, of: tape) {
      body("$tags", event.tags.index)
    }
    guard event.attributeCount > 0 else { return }
    var member = event.attributes.index + 1
    let end = Int(tape[event.attributes].next)
    while member < end {
      let entry = tape[member]
      if !entry.isDropped {
        key.removeAll()
        KeyName.append(entry, of: tape, to: &key)
        body(key.view, member + 1)
      }
      member = Int(entry.next)
    }
  }
}
