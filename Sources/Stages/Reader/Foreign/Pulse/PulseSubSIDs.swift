import Pipeline

/// `sub_sids` of an auto event: session ids by kind, which become a list in the byte order of the
/// kinds (dialects 7). They are values, and never identify the owner of the event.
extension ForeignDraft {
  private static let subSIDsPath = FieldPath(root: "sub_sids")

  /// Adds the list of the session ids at `node`, if there are any, to the open object. Complexity:
  /// O(n log n) for n fields.
  func addSubSIDs(_ node: Int) {
    guard tape[node].kind == .object else {
      lose(.badFieldSubSIDs, at: Self.subSIDsPath)
      return
    }
    sortSubSIDs(node)
    let count = scratch.order.count
    guard count > 0 else { return }
    let (key, sid) = (self.key(.key), self.key(.sid))
    addMember(self.key(.subSIDs)) {
      tape.appendContainer(.array) {
        for position in 0..<min(count, Limits.array) {
          appendItem(scratch.order[position].index, key, sid)
        }
      }
    }
    if count > Limits.array {
      lose(.arrayTruncated, at: Self.subSIDsPath, limit: Limits.array, actual: count)
    }
  }

  /// Collects the keys of the fields with a session id in `order`, sorted; of repeated ones the
  /// last.
  private func sortSubSIDs(_ object: Int) {
    scratch.order.removeAll()
    let few = 16
    tape.forEachMember(of: object) { key in
      scratch.order.append(Node(key))
      var position = scratch.order.count - 1
      guard position < few else { return }
      while position > 0, tape.bytes(at: key) < tape.bytes(at: scratch.order[position - 1]) {
        scratch.order[position] = scratch.order[position - 1]
        position -= 1
      }
      scratch.order[position] = Node(key)
    }
    if scratch.order.count > few {
      scratch.order.sort { a, b in
        let (first, second) = (tape.bytes(at: a), tape.bytes(at: b))
        return first < second || first == second && a < b
      }
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

  /// Whether the field has a session id: text, or a number. An empty value is ignored, any other is
  /// a loss.
  private func hasID(_ key: Int) -> Bool {
    let value = tape[key + 1]
    var path = Self.subSIDsPath
    path.push(key: key)
    guard canCopyVerbatim(value) || hasContent(key + 1, names: 2) else {
      // Nothing is appended, but the losses are noted.
      append(key + 1, names: 2, at: &path)
      return false
    }
    switch value.kind {
    case .string, .integer, .double: return true
    default:
      lose(.badFieldSubSIDs, at: path)
      return false
    }
  }

  /// Appends the key and the session id of one field, as `key` and `sid`.
  private func appendItem(_ member: Int, _ key: TapeEntry, _ sid: TapeEntry) {
    let item = tape.append(TapeEntry(kind: .object))
    let name = tape[member]
    if canCopyVerbatim(text: name) || hasContent(text: name) {
      append(key, name, member)
    }
    append(sid, tape[member + 1], member)
    tape[item].next = UInt32(truncatingIfNeeded: tape.count)
  }

  /// Appends a scalar of the field as the value of `key`.
  private func append(_ key: TapeEntry, _ value: TapeEntry, _ member: Int) {
    let isName = value.kind == .key
    if isName ? canCopyVerbatim(text: value) : canCopyVerbatim(value) {
      var value = value
      if isName { value.kind = .string }
      tape.appendMember(key, scalar: value)
      return
    }
    var path = Self.subSIDsPath
    path.push(key: member)
    tape.appendMember(key) {
      if isName {
        appendText(value, at: path)
      } else {
        append(member + 1, names: 2, at: &path)
      }
    }
  }
}
