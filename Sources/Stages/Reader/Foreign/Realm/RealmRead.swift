import Pipeline

/// A `read` payload of the Realm Event Library: the objects of a class that were read (dialects 6).
/// Tape indices of the payload.
///
/// ```json
/// {"type":"Patient","value":[{"_id":1,"name":"Ann"}]}
/// ```
struct RealmRead {
  private let type: Int
  private let value: Int

  /// Reads the object at `node`; nil when it has another shape. Complexity: O(fields).
  init?(_ node: Int, of tape: Tape) {
    var (type, value, isRead): (Int?, Int?, Bool) = (nil, nil, true)
    tape.forEachMember(of: node) { key in
      switch tape.bytes(at: key) {
      case "type": type = key + 1
      case "value": value = key + 1
      default: isRead = isRead && tape[key + 1].kind == .null
      }
    }
    guard isRead, let type, let value, tape[type].kind == .string, tape[value].kind == .array
    else {
      return nil
    }
    (self.type, self.value) = (type, value)
  }

  /// Appends the attribute: the class, the number of objects, and the first of them; or only their
  /// number. Returns its tape index. Complexity: O(bytes and entries of the objects).
  func append(by draft: ForeignDraft, _ objects: RealmObjects) -> Int {
    let tape = draft.tape
    var path = FieldPath(root: "data")
    return tape.appendContainer(.object) {
      if objects == .all, draft.hasContent(type, names: 2) {
        path.push(key: type - 1)
        tape.appendMember(draft.key(.type)) { draft.appendText(tape[type], at: path) }
        path.pop()
      }
      tape.appendMember(draft.key(.count)) {
        tape.appendInteger(tape.itemCount(of: value))
      }
      if objects == .all {
        path.push(key: value - 1)
        draft.appendMember(draft.key(.value), value, names: 2, at: &path)
      }
    }
  }
}
