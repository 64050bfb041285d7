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
    let sorted = scratch.sorted.push(object, of: tape)
    for index in sorted where hasID(scratch.sorted[index]) {
      scratch.order.append(Node(scratch.sorted[index]))
    }
    scratch.sorted.pop(sorted)
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
    let name = tape[member]
    var path = Self.subSIDsPath
    path.push(key: member)
    tape.appendContainer(.object) {
      if canCopyVerbatim(text: name) || hasContent(text: name) {
        tape.appendMember(key) { appendText(name, at: path) }
      }
      tape.appendMember(sid) { append(member + 1, names: 2, at: &path) }
    }
  }
}
