import Pipeline

/// `sub_sids` of an auto event: session ids by what they are ids of, which become a list in the
/// byte order of that (dialects 7). They are values, and never say whose the event is.
///
/// Made for one line; sorts in the reader's scratch memory.
struct PulseSubSIDs {
  private let draft: ForeignDraft
  private var tape: Tape { draft.tape }
  private let path = FieldPath(root: "sub_sids")

  init(_ draft: ForeignDraft) {
    self.draft = draft
  }

  /// Adds the list of what stands at `node`, if there is any of it, to the object that is being
  /// drafted. Complexity: O(n log n) for n members.
  func add(_ node: Int) {
    guard tape[node].kind == .object else {
      draft.lose(.badFieldSubSIDs, at: path)
      return
    }
    sort(node)
    let count = draft.scratch.order.count
    guard count > 0 else { return }
    let (key, sid) = (draft.key(PulseWord.key), draft.key(PulseWord.sid))
    let list = tape.append(TapeEntry(start: 0, length: 0, next: 0, kind: .array))
    for position in 0..<min(count, Limits.array) {
      appendItem(draft.scratch.order[position].index, key, sid)
    }
    tape[list].next = UInt32(truncatingIfNeeded: tape.count)
    if count > Limits.array {
      draft.lose(.arrayTruncated, at: path, limit: Limits.array, actual: count)
    }
    draft.addMember(PulseWord.subSIDs, drafted: list, isPrevalidated: true)
  }

  /// Leaves the keys of the members that have a session id in `order`, sorted; of repeated ones the
  /// last.
  private func sort(_ object: Int) {
    let scratch = draft.scratch
    scratch.order.removeAll()
    tape.forEachMember(of: object) { scratch.order.append(Node($0)) }
    scratch.order.sort { a, b in
      let (first, second) = (tape.bytes(at: a), tape.bytes(at: b))
      return first < second || first == second && a < b
    }
    var kept = 0
    for position in scratch.order.indices {
      let key = scratch.order[position]
      let isRepeated =
        position + 1 < scratch.order.count
        && tape.bytes(at: scratch.order[position + 1].index) == tape.bytes(at: key)
      if isRepeated || !hasID(key.index) { continue }
      scratch.order[kept] = key
      kept += 1
    }
    scratch.order.truncate(to: kept)
  }

  /// Whether the member has a session id: text, or a number. What is anything else is a loss, what
  /// is empty is not.
  private func hasID(_ key: Int) -> Bool {
    let value = tape[key + 1]
    guard draft.canCopyVerbatim(value) || draft.hasContent(key + 1, names: 2) else {
      draft.noteLostContent(key, names: 2, at: path)
      return false
    }
    switch value.kind {
    case .string, .integer, .double: return true
    default:
      var path = path
      path.push(key: key)
      draft.lose(.badFieldSubSIDs, at: path)
      return false
    }
  }

  /// Appends the key and the session id of one member, as `key` and `sid`.
  private func appendItem(_ member: Int, _ key: TapeEntry, _ sid: TapeEntry) {
    let item = tape.append(TapeEntry(start: 0, length: 0, next: 0, kind: .object))
    let name = tape[member]
    if draft.canCopyVerbatim(text: name) || draft.hasContent(text: name) {
      append(key, name, member)
    }
    append(sid, tape[member + 1], member)
    tape[item].next = UInt32(truncatingIfNeeded: tape.count)
  }

  /// Appends a scalar of the member as the value of `key`.
  private func append(_ key: TapeEntry, _ value: TapeEntry, _ member: Int) {
    let position = tape.append(key)
    if value.kind == .key ? draft.canCopyVerbatim(text: value) : draft.canCopyVerbatim(value) {
      var value = value
      if value.kind == .key { value.kind = .string }
      tape.appendScalar(value)
    } else {
      var path = path
      path.push(key: member)
      if value.kind == .key {
        draft.appendText(value, at: path)
      } else {
        draft.appendValue(member + 1, names: 2, at: &path)
      }
    }
    tape[position].next = UInt32(truncatingIfNeeded: tape.count)
  }
}
