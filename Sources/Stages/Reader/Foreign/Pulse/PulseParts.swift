import Pipeline

/// The described parts of one auto event: present ones, those with a wrong type, and missing ones
/// (dialects 7).
///
/// Made for one line; no state beyond it.
struct PulseParts {
  /// Tape index of the value of each part that is present; of repeated fields the last one.
  private var nodes = [18 of Node](repeating: .none)
  /// The parts that are present, as bits.
  private var there: UInt32 = 0
  /// Those of them that have a wrong type, as bits.
  private var refused: UInt32 = 0

  /// Finds the parts in the object `data`. Complexity: O(fields of it and of its described parts).
  init(of data: Int, in tape: Tape, _ names: ForeignNames) {
    find(in: data, of: nil, tape, names)
    find(in: .element, tape, names)
    find(in: .scrollInfo, tape, names)
    find(in: .gestureParams, tape, names)
  }

  private mutating func find(in parent: PulsePart, _ tape: Tape, _ names: ForeignNames) {
    if let node = self[parent] { find(in: node, of: parent, tape, names) }
  }

  private mutating func find(
    in object: Int, of parent: PulsePart?, _ tape: Tape, _ names: ForeignNames
  ) {
    var key = object + 1
    let end = Int(tape[object].next)
    while key < end {
      let entry = tape[key]
      if let part = names.part(entry, of: parent, in: tape) { note(part, key + 1, tape) }
      key = Int(entry.next)
    }
  }

  private mutating func note(_ part: PulsePart, _ node: Int, _ tape: Tape) {
    let value = tape[node]
    let isThere = !Self.isNothing(value, for: part, tape)
    nodes[Int(part.rawValue)] = isThere ? Node(node) : .none
    Self.set(part, in: &there, isThere)
    Self.set(part, in: &refused, isThere && !part.allows(value.kind))
  }

  private static func set(_ part: PulsePart, in parts: inout UInt32, _ isIn: Bool) {
    if isIn { parts |= part.bit } else { parts &= ~part.bit }
  }

  /// Whether a value counts as absent: null, or blank where a text is valid.
  private static func isNothing(_ value: TapeEntry, for part: PulsePart, _ tape: Tape) -> Bool {
    value.kind == .null
      || value.kind == .string && part.allows(.string) && Characters.isBlank(tape.bytes(value))
  }

  /// The tape index of the value of a part that is present and has a valid type, or nil.
  subscript(part: PulsePart) -> Int? {
    there & ~refused & part.bit == 0 ? nil : nodes[Int(part.rawValue)].index
  }

  /// Whether the part is present, but has a wrong type.
  func isRefused(_ part: PulsePart) -> Bool { refused & part.bit != 0 }

  /// Whether a field of the part has a wrong type.
  func hasRefusedMember(_ part: PulsePart) -> Bool { refused != 0 && refused & part.members != 0 }

  // MARK: - Losses

  /// Notes the invalid and missing parts of the event called `event`.
  func noteLosses(of event: ByteView, in draft: ForeignDraft) {
    forEach(refused) { part in
      if let code = part.badField { draft.lose(code, at: part.path) }
    }
    forEach(there & ~refused) { part in
      guard let code = part.badEnum, let node = self[part] else { return }
      if !part.knows(draft.tape.bytes(at: node)) { draft.lose(code, at: part.path) }
    }
    let expected = PulsePart.expected(of: event)
    forEach(expected & ~there) { part in
      guard isMissed(part), let code = part.missing else { return }
      draft.lose(code, at: part.path)
    }
    if expected & PulsePart.itemsCount.bit != 0 { noteCount(in: draft) }
  }

  /// Whether an absent part is reported as missing: not if its parent is reported.
  private func isMissed(_ part: PulsePart) -> Bool {
    guard let parent = part.parent else { return true }
    // Of `gesture_params` only the type is required, so its absence is reported here.
    return self[parent] != nil || part == .gestureType && !isRefused(parent)
  }

  /// Compares the item count of an event with its items.
  private func noteCount(in draft: ForeignDraft) {
    guard let count = self[.itemsCount], let params = self[.params] else { return }
    // By their decimal text, in thousandths: `2` equals `2.0`, `2.5` is not a valid count.
    let thousandths = DecimalNumber.milliseconds(draft.tape.bytes(at: count), per: .seconds)
    if thousandths != draft.tape.itemCount(of: params) * 1000 {
      draft.lose(.itemsCountMismatch, at: PulsePart.itemsCount.path)
    }
  }

  /// Calls `body` with each part whose bit is set.
  private func forEach(_ parts: UInt32, _ body: (PulsePart) -> Void) {
    var rest = parts
    while rest != 0 {
      if let part = PulsePart(rawValue: UInt8(rest.trailingZeroBitCount)) { body(part) }
      rest &= rest - 1
    }
  }
}
