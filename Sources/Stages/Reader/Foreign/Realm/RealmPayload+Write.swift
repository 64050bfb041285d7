import Pipeline

/// The summary of a `write` payload: classes, counts, changed properties, and the first objects
/// (dialects 6).
extension RealmPayload {
  /// Longest written name of a class or property, in bytes, as at most ``Limits/string`` characters
  /// of it are kept.
  private static let longestName = 16 << 10

  /// Appends the summary of the payload that was read, or only the counts; returns its tape index.
  /// Complexity: O(bytes of the modifications and of the result), sorting of fields aside.
  func appendWrite() -> Int {
    if objects == .none { return tape.appendContainer(.object) { appendCounts() } }
    draftTypes()
    draftNames()
    return tape.appendContainer(.object) {
      append(.types, line.types)
      appendCounts()
      append(.changed, line.names)
      let count = line.write.insertions + line.write.modifications + line.write.deletions
      if count > 0 {
        tape.appendMember(draft.key(.changes)) { appendChanges(of: count) }
      }
    }
  }

  private func appendCounts() {
    tape.appendMember(draft.key(.insertions)) { tape.appendInteger(line.write.insertions) }
    tape.appendMember(draft.key(.modifications)) { tape.appendInteger(line.write.modifications) }
    tape.appendMember(draft.key(.deletions)) { tape.appendInteger(line.write.deletions) }
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

  // MARK: - Names

  /// Drafts the names of the first classes.
  private func draftTypes() {
    let count = line.write.classes.count
    for position in 0..<min(count, Limits.array) {
      line.types.append(type(line.write.classes[position].key.index))
    }
    if count > Limits.array { noteCut(at: "data.types", actual: count) }
  }

  /// The name of the class whose key is at `key`, as a valid text of v2.
  private func type(_ key: Int) -> TapeEntry {
    var path = FieldPath(root: "data")
    path.push(key: key)
    return text(tape[key], at: path)
  }

  /// `entry` as a valid text of v2; empty for a blank one.
  private func text(_ entry: TapeEntry, at path: FieldPath) -> TapeEntry {
    draft.hasContent(text: entry)
      ? draft.text(entry, at: path) : TapeEntry(kind: .string)
  }

  /// Drafts the names of the first properties that changed.
  private func draftNames() {
    line.changed.begin()
    for position in line.write.classes.indices {
      line.changed.add(line.write.classes[position], of: tape)
    }
    let count = line.changed.count
    for position in 0..<min(count, Limits.array) {
      let name = line.changed[position]
      let text = tape.text { text in
        text.append(Self.head(tape.bytes(at: name.classKey)))
        text.append(UInt8(ascii: "."))
        text.append(Self.head(tape.bytes(at: name.property)))
      }
      var path = FieldPath(root: "data.changed")
      path.push(index: position)
      line.names.append(self.text(text, at: path))
    }
    // The list holds at most one more than are reported.
    if count > Limits.array { noteCut(at: "data.changed") }
  }

  private static func head(_ name: ByteView) -> ByteView {
    name[0..<Characters.wholeCharacters(name, atMost: longestName)]
  }

  private func noteCut(at path: StaticString, actual: Int? = nil) {
    draft.lose(.arrayTruncated, at: FieldPath(root: path), limit: Limits.array, actual: actual)
  }

  // MARK: - Changes

  private func appendChanges(of count: Int) {
    var left = Limits.array
    tape.appendContainer(.array) {
      line.write.forEachChange(of: tape) { change in
        tape.appendContainer(.object) { append(change) }
        left -= 1
        return left > 0
      }
    }
    if count > Limits.array { noteCut(at: "data.changes", actual: count) }
  }

  private func append(_ change: RealmWrite.Change) {
    let classKey = line.write.classes[change.classIndex].key.index
    let type =
      change.classIndex < line.types.count
      ? line.types[change.classIndex] : self.type(classKey)
    if type.length > 0 { tape.appendMember(draft.key(.type), scalar: type) }
    var path = FieldPath(root: "data")
    path.push(key: classKey)
    path.push(key: change.list - 1)
    path.push(index: change.position)
    tape.appendMember(draft.key(.operation), scalar: draft.text(change.operation))
    guard change.operation == .modify else { return append(change.item, as: .value, at: path) }
    guard let pair = RealmWrite.Modification(change.item, of: tape) else { return }
    path.push(key: pair.old - 1)
    append(pair.old, as: .old, at: path)
    path.pop()
    path.push(key: pair.new - 1)
    append(pair.new, as: .new, at: path)
  }

  /// Appends the object at `node`, unless it has no content.
  private func append(_ node: Int, as word: DraftedWord, at path: FieldPath) {
    var path = path
    draft.appendMember(draft.key(word), node, names: 3, at: &path)
  }
}
