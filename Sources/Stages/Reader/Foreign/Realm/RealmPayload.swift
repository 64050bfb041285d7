import Pipeline

/// The content of `data` of an event of dialect `realm` (dialects 6): objects that were read,
/// changes that were written, or a custom value of an app.
struct RealmPayload {
  private let isRead: Bool
  private let isWrite: Bool
  private let objects: RealmObjects
  private let draft: ForeignDraft
  private var tape: Tape { draft.tape }
  private let line: RealmLine

  /// The payload of the event whose `event` is at tape index `event`, if present.
  init(event: Node, objects: RealmObjects, draft: ForeignDraft, line: RealmLine) {
    (self.objects, self.draft, self.line) = (objects, draft, line)
    let kind = event.exists ? draft.tape.string(at: event.index) ?? "" : ""
    (isRead, isWrite) = (kind == "read", kind == "write")
  }

  /// Drafts the payload at `node`; nil when nothing of it is kept. Complexity: O(bytes).
  func draft(_ node: Int) -> Int? {
    line.types.removeAll()
    line.names.removeAll()
    // The library writes a date as text of one form.
    draft.readsDates = true
    defer { draft.readsDates = false }
    let isCustom = !isRead && !isWrite
    let isText = tape[node].kind == .string
    if !isText { draft.lose(.dataNotString, at: "data") }
    var value: Int? = isText ? nil : node
    // Of texts in custom events only objects are used.
    if isText, !isCustom || Characters.trimmed(tape.bytes(at: node)).starts(with: "{"),
      case .value(let root) = Scanner.scan(textAt: node, into: tape)
    {
      value = root
    }
    if isCustom { return draftCustom(value ?? node) }
    guard let value else { return draftOther(node, for: .payloadNotJSON) }
    guard tape[value].kind == .object else { return draftOther(node, for: .payloadShape) }
    let summary =
      isRead ? appendRead(value) : line.write.read(value, of: tape) ? appendWrite() : nil
    return summary ?? draftOther(value, for: .payloadShape)
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

  /// Drafts an invalid payload; where only counts are wanted it must not keep more than a valid
  /// one.
  private func draftOther(_ node: Int, for code: ReasonCode) -> Int? {
    draft.lose(code, at: "data")
    return objects == .all ? draftCustom(node) : nil
  }

  /// Appends the summary of the objects of a class that were read: the class, their number, and the
  /// first of them; or only their number. Complexity: O(bytes and entries of the objects).
  private func appendRead(_ node: Int) -> Int? {
    guard let fields = tape.values(ofOnly: ["type", "value"], in: node), fields[0].exists,
      fields[1].exists, tape[fields[0]].kind == .string, tape[fields[1]].kind == .array
    else { return nil }
    let (type, value) = (fields[0].index, fields[1].index)
    let path = FieldPath(root: "data")
    return tape.appendContainer(.object) {
      if objects == .all, draft.hasContent(type, names: 2) {
        tape.appendMember(draft.key(.type)) {
          draft.appendText(tape[type], at: path.field(type - 1))
        }
      }
      tape.appendMember(draft.key(.count)) { tape.appendInteger(tape.itemCount(of: value)) }
      if objects == .all {
        draft.appendMember(draft.key(.value), value, names: 2, at: path.field(value - 1))
      }
    }
  }

  // MARK: - Writes

  /// Longest written name of a class or property, in bytes: ``Limits/string`` characters are kept.
  private static let longestName = 16 << 10

  /// Appends the summary of the payload that was read, or only the counts.
  func appendWrite() -> Int {
    if objects == .none { return tape.appendContainer(.object) { appendCounts() } }
    let classes = line.write.classes.count
    for index in 0..<min(classes, Limits.array) {
      line.types.append(type(line.write.classes[index].key.index))
    }
    if classes > Limits.array { noteCut(at: "data.types", actual: classes) }
    draftNames()
    return tape.appendContainer(.object) {
      append(.types, line.types)
      appendCounts()
      append(.changed, line.names)
      let counts = line.write.counts
      let count = counts[0] + counts[1] + counts[2]
      if count > 0 { tape.appendMember(draft.key(.changes)) { appendChanges(of: count) } }
    }
  }

  private func appendCounts() {
    let words: [3 of DraftedWord] = [.insertions, .modifications, .deletions]
    for number in words.indices {
      tape.appendMember(draft.key(words[number])) { tape.appendInteger(line.write.counts[number]) }
    }
  }

  /// Appends the texts under `name`, without blank ones, if any are left.
  private func append(_ name: DraftedWord, _ texts: borrowing PlainList<TapeEntry>) {
    guard texts.count(where: { $0.length > 0 }) > 0 else { return }
    tape.appendMember(draft.key(name)) {
      tape.appendContainer(.array) {
        for position in texts.indices where texts[position].length > 0 {
          tape.appendScalar(texts[position])
        }
      }
    }
  }

  /// The name of the class whose key is at `key`, as a valid text of v2.
  private func type(_ key: Int) -> TapeEntry {
    text(tape[key], at: FieldPath(root: "data").field(key))
  }

  /// `entry` as a valid text of v2; empty for a blank one.
  private func text(_ entry: TapeEntry, at path: FieldPath) -> TapeEntry {
    draft.hasContent(text: entry) ? draft.text(entry, at: path) : TapeEntry(kind: .string)
  }

  /// Drafts the names of the first properties that changed.
  private func draftNames() {
    for index in line.write.classes.indices {
      line.changed.add(line.write.classes[index], of: tape)
    }
    let count = line.changed.count
    for position in 0..<min(count, Limits.array) {
      let name = line.changed[position]
      let text = tape.text { text in
        text.append(Self.head(tape.bytes(at: name.classKey)))
        text.append(UInt8(ascii: "."))
        text.append(Self.head(tape.bytes(at: name.property)))
      }
      line.names.append(self.text(text, at: FieldPath(root: "data.changed").item(position)))
    }
    // The list holds at most one more than are reported.
    if count > Limits.array { noteCut(at: "data.changed") }
    // Values that were compared may be as long as the line.
    line.changed.removeAll()
  }

  private static func head(_ name: ByteView) -> ByteView {
    name[0..<Characters.wholeCharacters(name, atMost: longestName)]
  }

  private func noteCut(at path: StaticString, actual: Int? = nil) {
    draft.lose(.arrayTruncated, at: FieldPath(root: path), limit: Limits.array, actual: actual)
  }

  /// Appends the first changes: class by class, of each the insertions, the modifications, the
  /// deletions, in source order.
  private func appendChanges(of count: Int) {
    var left = Limits.array
    tape.appendContainer(.array) {
      for index in line.write.classes.indices where left > 0 {
        let change = line.write.classes[index]
        for number in change.lists.indices where change.lists[number].exists {
          let list = change.lists[number].index
          let path = FieldPath(root: "data").field(change.key.index).field(list - 1)
          tape.forEachItem(of: list) { item, position in
            guard left > 0 else { return }
            left -= 1
            tape.appendContainer(.object) {
              let type = index < line.types.count ? line.types[index] : self.type(change.key.index)
              if type.length > 0 { tape.appendMember(draft.key(.type), scalar: type) }
              append(item, RealmWrite.operations[number], at: path.item(position))
            }
          }
        }
      }
    }
    if count > Limits.array { noteCut(at: "data.changes", actual: count) }
  }

  /// Appends what was done to an object, and the object or the pair of a modification at `item`.
  private func append(_ item: Int, _ operation: DraftedWord, at path: FieldPath) {
    tape.appendMember(draft.key(.operation), scalar: draft.text(operation))
    guard operation == .modify else { return append(item, as: .value, at: path) }
    guard let pair = RealmWrite.Modification(item, of: tape) else { return }
    append(pair.old, as: .old, at: path.field(pair.old - 1))
    append(pair.new, as: .new, at: path.field(pair.new - 1))
  }

  /// Appends the object at `node`, unless it has no content.
  private func append(_ node: Int, as word: DraftedWord, at path: FieldPath) {
    draft.appendMember(draft.key(word), node, names: 3, at: path)
  }
}

extension Tape {
  /// The values of the fields `names`: of repeated ones the last, none of a null or absent one. Nil
  /// if another field has a value.
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
