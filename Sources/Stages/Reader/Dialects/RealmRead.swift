import Pipeline

/// What a `read` payload of the Realm Event Library tells: which objects of a class were read
/// (DIALECTS 2.2). Tape indices of the payload.
///
/// ```json
/// {"type":"Patient","value":[{"_id":1,"name":"Ann"}]}
/// ```
struct RealmRead {
  private let type: Int
  private let value: Int
  /// How many objects were read, and how many of them have members.
  private let count: Int
  private let fullCount: Int

  /// Reads the object at `node`; nil when it has another shape.
  /// Complexity: O(members and objects), whatever they hold.
  init?(_ node: Int, of tape: Tape) {
    var (type, value, isRead) = (-1, -1, true)
    tape.forEachMember(of: node) { key in
      switch tape.bytes(at: key) {
      case "type": type = key + 1
      case "value": value = key + 1
      default: isRead = isRead && tape[key + 1].kind == .null
      }
    }
    guard isRead, type >= 0, value >= 0, tape[type].kind == .string, tape[value].kind == .array
    else {
      return nil
    }
    var (count, fullCount) = (0, 0)
    var item = value + 1
    while item < Int(tape[value].next) {
      guard tape[item].kind == .object else { return nil }
      count += 1
      if RealmRead.isFull(item, tape) { fullCount += 1 }
      item = Int(tape[item].next)
    }
    (self.type, self.value, self.count, self.fullCount) = (type, value, count, fullCount)
  }

  /// Whether the object at `node` has members; one without tells nothing.
  static func isFull(_ node: Int, _ tape: Tape) -> Bool { Int(tape[node].next) > node + 1 }

  /// Appends the attribute: the class, how many objects there were, and the first of them as JSON text; or
  /// only how many. Returns its tape index. Complexity: O(bytes of what is written).
  func append(by draft: ForeignDraft, _ objects: RealmObjects) -> Int {
    let tape = draft.tape
    var path = FieldPath(root: "data")
    return tape.appendContainer(.object) {
      if objects == .all, draft.isKept(type, names: 2) {
        path.push(key: type - 1)
        tape.appendMember(draft.key(RealmWord.type)) { draft.appendText(tape[type], at: path) }
        path.pop()
      }
      tape.appendMember(draft.key(RealmWord.count)) { tape.appendInteger(count) }
      if objects == .all, fullCount > 0 {
        tape.appendMember(draft.key(RealmWord.value)) { appendObjects(by: draft) }
      }
    }
  }

  private func appendObjects(by draft: ForeignDraft) {
    let tape = draft.tape
    var path = FieldPath(root: "data")
    path.push(key: value - 1)
    if fullCount > Limits.array {
      draft.lose(.arrayTruncated, at: path, limit: Limits.array, actual: fullCount)
    }
    tape.appendContainer(.array) {
      var place = 0
      var left = Limits.array
      var item = value + 1
      while item < Int(tape[value].next), left > 0 {
        if RealmRead.isFull(item, tape) {
          path.push(index: place)
          draft.appendJSON(item, at: path)
          path.pop()
          left -= 1
        }
        place += 1
        item = Int(tape[item].next)
      }
    }
  }
}
