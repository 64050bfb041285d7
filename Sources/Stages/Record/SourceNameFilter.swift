import Pipeline

/// Tells which source names of events a lane has not handed on yet, so that what is done for most
/// events is to look at the few names that are told of one (``SourceNames``).
///
/// Of each event name it keeps as many names as are told: what is greater than all of these is no
/// news, whatever other lanes have met. Bounded by the number of event names.
struct SourceNameFilter: ~Copyable {
  /// By number of the event name: where its names begin in `slots`, in groups and from 1; 0 = none.
  private var groups: [UInt32] = []
  /// ``SourceNames/most`` for each event name that has any, in no order; empty ones stand at the
  /// end.
  private var slots: [ArenaSlot] = []
  private var texts = Arena()

  init() {}

  /// Whether the name `text`, as it is told, of the event name with that number has to be handed
  /// on: it was not met before, and may be among the smallest. Allocates nothing for one that was.
  /// Complexity: O(`text.count`).
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

  /// Where the slots of an event name begin; they are made when it is met for the first time.
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
