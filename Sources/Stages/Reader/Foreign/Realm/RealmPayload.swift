import Pipeline

/// The content of `data` of an event of dialect `realm` (dialects 6): objects that were read,
/// changes that were written, or a custom value of an app.
///
/// One is made for each event; its memory is the reader's.
struct RealmPayload {
  /// The kind of its event.
  private enum Kind {
    case read, write, custom
  }

  private let kind: Kind
  let objects: RealmObjects
  let draft: ForeignDraft
  var tape: Tape { draft.tape }
  /// Its scratch memory.
  let line: RealmLine

  /// The payload of the event whose `event` is at tape index `event`, if present.
  init(event: Node, objects: RealmObjects, draft: ForeignDraft, line: RealmLine) {
    (self.objects, self.draft, self.line) = (objects, draft, line)
    switch !event.exists ? nil : draft.tape.string(at: event.index) {
    case "read": kind = .read
    case "write": kind = .write
    default: kind = .custom
    }
  }

  /// Drafts the payload at `node`, and returns its tape index; nil when nothing of it is kept.
  /// Complexity: O(bytes), sorting of fields aside.
  func draft(_ node: Int) -> Int? {
    line.beginPayload()
    // The library writes a date as text of one form.
    draft.readsDates = true
    defer { draft.readsDates = false }
    let isText = tape[node].kind == .string
    if !isText { draft.lose(.dataNotString, at: "data") }
    let value = isText ? scan(node) : node
    if kind == .custom { return draftCustom(value ?? node) }
    guard let value else { return draftOther(node, for: .payloadNotJSON) }
    guard tape[value].kind == .object else { return draftOther(node, for: .payloadShape) }
    return draftSummary(value) ?? draftOther(value, for: .payloadShape)
  }

  /// Scans the text at `node`; nil when it is not JSON. For custom events only objects are used.
  private func scan(_ node: Int) -> Int? {
    if kind == .custom, !Characters.trimmed(tape.bytes(at: node)).starts(with: "{") { return nil }
    guard case .value(let root) = Scanner.scan(textAt: node, into: tape) else { return nil }
    return root
  }

  /// Drafts an object unchanged, anything else as text.
  private func draftCustom(_ node: Int) -> Int? {
    var path = FieldPath(root: "data")
    let first = tape.count
    switch tape[node].kind {
    case .object, .string:
      guard draft.hasContent(node, names: 1) else { return nil }
      draft.append(node, names: 1, at: &path)
      if draft.isEmptyContainer(first) { return nil }
    case .array where tape[node].next == node + 1: return nil
    default: draft.appendJSON(node, at: path)
    }
    return first
  }

  /// Drafts an invalid payload of `read` or `write`. Where only counts are wanted nothing of it is
  /// kept: an invalid payload must not keep more data than a valid one.
  private func draftOther(_ node: Int, for code: ReasonCode) -> Int? {
    draft.lose(code, at: "data")
    return objects == .all ? draftCustom(node) : nil
  }

  /// Drafts a summary of the payload of `read` or `write` at `node`, an object; nil when it has
  /// another shape.
  private func draftSummary(_ node: Int) -> Int? {
    if kind == .read { return appendRead(node) }
    return line.write.read(node, of: tape) ? appendWrite() : nil
  }

  /// Appends the summary of the objects of a class that were read: the class, their number, and the
  /// first of them; or only their number. Complexity: O(bytes and entries of the objects).
  ///
  /// ```json
  /// {"type":"Patient","value":[{"_id":1,"name":"Ann"}]}
  /// ```
  private func appendRead(_ node: Int) -> Int? {
    guard let fields = tape.values(ofOnly: ["type", "value"], in: node), fields[0].exists,
      fields[1].exists, tape[fields[0]].kind == .string, tape[fields[1]].kind == .array
    else { return nil }
    let (type, value) = (fields[0].index, fields[1].index)
    var path = FieldPath(root: "data")
    return tape.appendContainer(.object) {
      if objects == .all, draft.hasContent(type, names: 2) {
        path.push(key: type - 1)
        tape.appendMember(draft.key(.type)) { draft.appendText(tape[type], at: path) }
        path.pop()
      }
      tape.appendMember(draft.key(.count)) { tape.appendInteger(tape.itemCount(of: value)) }
      if objects == .all {
        path.push(key: value - 1)
        draft.appendMember(draft.key(.value), value, names: 2, at: &path)
      }
    }
  }
}

extension Tape {
  /// The values of the fields `names` of the object at `node`: of repeated ones the last, none of a
  /// null or absent one. Nil if it is not an object, or another field has a value.
  func values<let count: Int>(ofOnly names: [count of StaticString], in node: Int)
    -> [count of Node]?
  {
    guard self[node].kind == .object else { return nil }
    var values = [count of Node](repeating: .none)
    var hasOther = false
    forEachMember(of: node) { key in
      let value = self[key + 1].kind == .null ? Node.none : Node(key + 1)
      if let index = names.indices.first(where: { bytes(at: key) == ByteView(names[$0]) }) {
        values[index] = value
      } else if value.exists {
        hasOther = true
      }
    }
    return hasOther ? nil : values
  }
}
