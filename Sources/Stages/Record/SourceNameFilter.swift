import Pipeline

/// Finds the source names of events that a lane has not sent yet; for most events it compares the
/// few names that are reported for one (``SourceNames``).
///
/// Of each event name it keeps as many names as are reported: a name greater than all of these is
/// never reported, whatever other lanes have seen. Bounded by the number of event names.
struct SourceNameFilter: ~Copyable {
  /// By number of the event name: the index of its names in `slots`, in groups and from 1; 0 =
  /// none.
  private var groups: [UInt32] = []
  /// ``SourceNames/most`` for each event name that has any, unordered; empty ones at the end.
  private var slots: [ArenaSlot] = []
  private var texts = Arena()

  /// The source name of `event`, as it is reported, if it must be sent; `name` is the number of its
  /// name.
  mutating func news(of event: EventEntry, _ name: UInt32, in tape: Tape) -> ByteView? {
    guard event.sourceName.exists else { return nil }
    let text = SourceNames.truncated(tape.bytes(at: event.sourceName))
    guard !text.isEmpty, text != tape.bytes(at: event.nameNode), isNews(text, of: name) else {
      return nil
    }
    return text
  }

  /// Whether the source name `text`, as it is reported, of the event name with that number must be
  /// sent: it is new, and may be among the smallest. Does not allocate otherwise. Complexity:
  /// O(`text.count`).
  mutating func isNews(_ text: ByteView, of name: UInt32) -> Bool {
    let first = firstSlot(of: name)
    var greatest = first
    for index in first..<first + SourceNames.most {
      if slots[index].count == 0 {
        slots[index] = texts.store(text)
        return true
      }
      let known = texts[slots[index]]
      if known == text { return false }
      if texts[slots[greatest]] < known { greatest = index }
    }
    guard text < texts[slots[greatest]] else { return false }
    var slot = slots[greatest]
    texts.overwrite(&slot, with: text)
    slots[greatest] = slot
    return true
  }

  /// The index of the slots of an event name; they are created on first use.
  private mutating func firstSlot(of name: UInt32) -> Int {
    let index = Int(name)
    if index < groups.count, groups[index] > 0 {
      return Int(groups[index] - 1) * SourceNames.most
    }
    if index >= groups.count {
      groups.append(contentsOf: repeatElement(0, count: index + 1 - groups.count))
    }
    let first = slots.count
    slots.append(contentsOf: repeatElement(.empty, count: SourceNames.most))
    groups[index] = UInt32(truncatingIfNeeded: first / SourceNames.most + 1)
    return first
  }
}
