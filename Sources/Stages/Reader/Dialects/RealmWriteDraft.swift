import Pipeline

/// Drafts what a `write` payload tells as one attribute: which classes, how much, which properties, and the first
/// objects (DIALECTS 2.2).
///
/// One is made for each payload; its memory is the reader's.
struct RealmWriteDraft {
  /// Keys and words that stand in every change.
  private struct Words {
    let type: TapeEntry
    let operation: TapeEntry
    let value: TapeEntry
    let old: TapeEntry
    let new: TapeEntry
    let insert: TapeEntry
    let modify: TapeEntry
    let delete: TapeEntry

    init(_ tape: Tape) {
      type = tape.key("type")
      operation = tape.key("op")
      value = tape.key("value")
      old = tape.key("old")
      new = tape.key("new")
      insert = tape.text { $0.append("insert") }
      modify = tape.text { $0.append("modify") }
      delete = tape.text { $0.append("delete") }
    }
  }

  /// No name of a class or property is written further than this, in bytes, as no more than ``Limits/string``
  /// characters of it are kept.
  private static let longestName = 16 << 10

  private let draft: ForeignDraft
  private let tape: Tape
  /// Holds the payload, ``RealmScratch/write``.
  private let scratch: RealmScratch

  init(draft: ForeignDraft, scratch: RealmScratch) {
    self.draft = draft
    self.scratch = scratch
    tape = draft.tape
  }

  /// Appends the attribute, or only how much there was; returns its tape index.
  /// Complexity: O(bytes of the modifications and of what is written), sorting of members aside.
  func append(_ objects: RealmObjects) -> Int {
    if objects == .none { return tape.appendContainer(.object) { appendCounts() } }
    draftTypes()
    draftNames()
    return tape.appendContainer(.object) {
      append("types", scratch.types)
      appendCounts()
      append("changed", scratch.names)
      let count = scratch.write.insertions + scratch.write.modifications + scratch.write.deletions
      if count > 0 {
        tape.appendMember(tape.key("changes")) { appendChanges(of: count) }
      }
    }
  }

  private func appendCounts() {
    tape.appendMember(tape.key("insertions")) { tape.appendInteger(scratch.write.insertions) }
    tape.appendMember(tape.key("modifications")) { tape.appendInteger(scratch.write.modifications) }
    tape.appendMember(tape.key("deletions")) { tape.appendInteger(scratch.write.deletions) }
  }

  /// Appends the texts under `name`, without those that say nothing, if any is left.
  private func append(_ name: StaticString, _ texts: borrowing PlainList<TapeEntry>) {
    guard texts.count(where: { $0.length > 0 }) > 0 else { return }
    tape.appendMember(tape.key(name)) {
      tape.appendContainer(.array) {
        for place in texts.indices where texts[place].length > 0 { tape.appendScalar(texts[place]) }
      }
    }
  }

  // MARK: - Names

  /// Drafts the names of the first classes.
  private func draftTypes() {
    let count = scratch.write.classes.count
    for place in 0..<min(count, Limits.array) {
      scratch.types.append(type(Int(scratch.write.classes[place].key)))
    }
    if count > Limits.array { noteCut(at: "data.types", actual: count) }
  }

  /// The name of the class whose key stands at `key` as a text that v2 takes.
  private func type(_ key: Int) -> TapeEntry {
    var path = FieldPath(root: "data")
    path.push(key: key)
    return text(tape[key], at: path)
  }

  /// `entry` as a text that v2 takes; an empty one when it says nothing.
  private func text(_ entry: TapeEntry, at path: FieldPath) -> TapeEntry {
    draft.isKept(text: entry)
      ? draft.text(entry, at: path) : TapeEntry(start: 0, length: 0, next: 0, kind: .string)
  }

  /// Drafts the names of the first properties that changed.
  private func draftNames() {
    scratch.changed.begin()
    for place in scratch.write.classes.indices {
      scratch.changed.add(scratch.write.classes[place], of: tape)
    }
    let count = scratch.changed.count
    for place in 0..<min(count, Limits.array) {
      let name = scratch.changed[place]
      let text = tape.text { text in
        text.append(Self.head(tape.bytes(at: Int(name.classKey))))
        text.append(UInt8(ascii: "."))
        text.append(Self.head(tape.bytes(at: Int(name.property))))
      }
      var path = FieldPath(root: "data.changed")
      path.push(index: place)
      scratch.names.append(self.text(text, at: path))
    }
    // One more than are told is all that is known of how many there are.
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
    let words = Words(tape)
    var left = Limits.array
    tape.appendContainer(.array) {
      scratch.write.forEachChange(of: tape) { change in
        tape.appendContainer(.object) { append(change, words) }
        left -= 1
        return left > 0
      }
    }
    if count > Limits.array { noteCut(at: "data.changes", actual: count) }
  }

  private func append(_ change: RealmWrite.Change, _ words: Words) {
    let key = Int(scratch.write.classes[change.classPlace].key)
    let type =
      change.classPlace < scratch.types.count ? scratch.types[change.classPlace] : self.type(key)
    if type.length > 0 { tape.appendMember(words.type) { tape.appendScalar(type) } }
    var path = FieldPath(root: "data")
    path.push(key: key)
    path.push(key: change.list - 1)
    path.push(index: change.place)
    switch change.operation {
    case .insert:
      tape.appendMember(words.operation) { tape.appendScalar(words.insert) }
      append(change.item, as: words.value, at: path)
    case .delete:
      tape.appendMember(words.operation) { tape.appendScalar(words.delete) }
      append(change.item, as: words.value, at: path)
    case .modify:
      tape.appendMember(words.operation) { tape.appendScalar(words.modify) }
      guard let pair = RealmWrite.Modification(change.item, of: tape) else { return }
      for (node, word) in [(pair.old, words.old), (pair.new, words.new)] {
        path.push(key: node - 1)
        append(node, as: word, at: path)
        path.pop()
      }
    }
  }

  /// Appends the object at `node` as JSON text, unless it tells nothing.
  private func append(_ node: Int, as key: TapeEntry, at path: FieldPath) {
    guard RealmRead.isFull(node, tape) else { return }
    tape.appendMember(key) { draft.appendJSON(node, at: path) }
  }
}
