import Pipeline

/// `sub_sids` of an auto event: session ids by kind, which become a list in the byte order of the
/// kinds (dialects 7). They are values, and never identify the owner of the event.
extension ForeignDraft {
  private static let subSIDsPath = FieldPath(root: "sub_sids")

  /// Adds the list of the session ids at `node`, if there are any, to the open object.
  func addSubSIDs(_ node: Int) {
    guard tape[node].kind == .object else { return lose(.badFieldSubSIDs, at: Self.subSIDsPath) }
    let sids = scratch.sorted.push(node, of: tape)
    scratch.order.removeAll()
    for position in sids where hasID(scratch.sorted[position]) {
      scratch.order.append(Node(scratch.sorted[position]))
    }
    scratch.sorted.pop(sids)
    let count = scratch.order.count
    guard count > 0 else { return }
    addMember(key(.subSIDs)) {
      tape.appendContainer(.array) {
        for position in 0..<min(count, Limits.array) {
          tape.appendContainer(.object) { appendSubSID(scratch.order[position].index) }
        }
      }
    }
    if count > Limits.array {
      lose(.arrayTruncated, at: Self.subSIDsPath, limit: Limits.array, actual: count)
    }
  }

  /// Whether the field has a session id: text, or a number. Any other non-empty value is a loss.
  private func hasID(_ key: Int) -> Bool {
    let value = tape[key + 1]
    if value.kind == .string, canCopyVerbatim(text: value) { return true }
    var path = Self.subSIDsPath.field(key)
    guard hasContent(key + 1, names: 2) else {
      // Nothing is appended, but the losses are noted.
      append(key + 1, names: 2, at: &path)
      return false
    }
    if value.kind == .string || value.kind == .integer || value.kind == .double { return true }
    lose(.badFieldSubSIDs, at: path)
    return false
  }

  /// Appends the key and the session id of one field, as `key` and `sid`.
  private func appendSubSID(_ member: Int) {
    var path = Self.subSIDsPath.field(member)
    if hasContent(text: tape[member]) {
      tape.appendMember(key(.key)) { appendText(tape[member], at: path) }
    }
    tape.appendMember(key(.sid)) { append(member + 1, names: 2, at: &path) }
  }
}
