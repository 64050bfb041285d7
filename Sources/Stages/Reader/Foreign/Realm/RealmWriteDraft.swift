import Pipeline

/// Drafts a `write` payload as one attribute: classes, counts, changed properties, and the first
/// objects (dialects 6).
///
/// One is made for each payload; its memory is the reader's.
struct RealmWriteDraft {
  /// Longest written name of a class or property, in bytes, as at most ``Limits/string`` characters
  /// of it are kept.
  private static let longestName = 16 << 10

  private let draft: ForeignDraft
  private var tape: Tape { draft.tape }
  /// Holds the payload, ``RealmScratch/write``.
  private let scratch: RealmScratch

  init(draft: ForeignDraft, scratch: RealmScratch) {
    self.draft = draft
    self.scratch = scratch
  }

  /// Appends the attribute, or only the counts; returns its tape index. Complexity: O(bytes of the
  /// modifications and of the result), sorting of fields aside.
  func append(_ objects: RealmObjects) -> Int {
    if objects == .none { return tape.appendContainer(.object) { appendCounts() } }
    draftTypes()
    draftNames()
    return tape.appendContainer(.object) {
      append(.types, scratch.types)
      appendCounts()
      append(.changed, scratch.names)
      let count = scratch.write.insertions + scratch.write.modifications + scratch.write.deletions
      if count > 0 {
        tape.appendMember(key(.changes)) { appendChanges(of: count) }
      }
    }
  }

  private func appendCounts() {
    tape.appendMember(key(.insertions)) { tape.appendInteger(scratch.write.insertions) }
    tape.appendMember(key(.modifications)) { tape.appendInteger(scratch.write.modifications) }
    tape.appendMember(key(.deletions)) { tape.appendInteger(scratch.write.deletions) }
  }

  /// Appends the texts under `name`, without blank ones, if any are left.
  private func append(_ name: DraftedWord, _ texts: borrowing PlainList<TapeEntry>) {
    guard texts.count(where: { $0.length > 0 }) > 0 else { return }
    tape.appendMember(key(name)) {
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
    let count = scratch.write.classes.count
    for position in 0..<min(count, Limits.array) {
      scratch.types.append(type(scratch.write.classes[position].key.index))
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
      ? draft.text(entry, at: path) : TapeEntry(start: 0, length: 0, next: 0, kind: .string)
  }

  /// Drafts the names of the first properties that changed.
  private func draftNames() {
    scratch.changed.begin()
    for position in scratch.write.classes.indices {
      scratch.changed.add(scratch.write.classes[position], of: tape)
    }
    let count = scratch.changed.count
    for position in 0..<min(count, Limits.array) {
      let name = scratch.changed[position]
      let text = tape.text { text in
        text.append(Self.head(tape.bytes(at: name.classKey)))
        text.append(UInt8(ascii: "."))
        text.append(Self.head(tape.bytes(at: name.property)))
      }
      var path = FieldPath(root: "data.changed")
      path.push(index: position)
      scratch.names.append(self.text(text, at: path))
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
      scratch.write.forEachChange(of: tape) { change in
        tape.appendContainer(.object) { append(change) }
        left -= 1
        return left > 0
      }
    }
    if count > Limits.array { noteCut(at: "data.changes", actual: count) }
  }

  private func append(_ change: RealmWrite.Change) {
    let classKey = scratch.write.classes[change.classIndex].key.index
    let type =
      change.classIndex < scratch.types.count
      ? scratch.types[change.classIndex] : self.type(classKey)
    if type.length > 0 { tape.appendMember(key(.type), scalar: type) }
    var path = FieldPath(root: "data")
    path.push(key: classKey)
    path.push(key: change.list - 1)
    path.push(index: change.position)
    switch change.operation {
    case .insert:
      appendOperation(.insert)
      append(change.item, as: .value, at: path)
    case .delete:
      appendOperation(.delete)
      append(change.item, as: .value, at: path)
    case .modify:
      appendOperation(.modify)
      guard let pair = RealmWrite.Modification(change.item, of: tape) else { return }
      path.push(key: pair.old - 1)
      append(pair.old, as: .old, at: path)
      path.pop()
      path.push(key: pair.new - 1)
      append(pair.new, as: .new, at: path)
    }
  }

  private func appendOperation(_ word: DraftedWord) {
    tape.appendMember(key(.operation), scalar: draft.text(word))
  }

  private func key(_ word: DraftedWord) -> TapeEntry { draft.key(word) }

  /// Appends the object at `node`, unless it has no content.
  private func append(_ node: Int, as word: DraftedWord, at path: FieldPath) {
    var path = path
    draft.appendMember(key(word), node, names: 3, at: &path)
  }
}
