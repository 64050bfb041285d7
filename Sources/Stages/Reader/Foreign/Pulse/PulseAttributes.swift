import Pipeline

/// The attributes of one auto event (dialects 7): two fields of the line, and every field of
/// `data`.
///
/// Made for one line; its drafts are on the tape.
struct PulseAttributes {
  /// Tape indices of the fields of the line that become attributes.
  private let background: Node
  private let subSIDs: Node
  private let data: Node
  private let draft: ForeignDraft
  private var tape: Tape { draft.tape }
  private var names: ForeignNames { draft.names }

  /// The attributes of the line with these fields.
  init(_ root: RootFields, draft: ForeignDraft) {
    (background, subSIDs, data) = (root[.isBackground], root[.subSIDs], root[.data])
    self.draft = draft
  }

  /// Drafts the attributes of `event`, whose name is known, and sets the ids that the record lacks.
  /// Returns the tape index of the attributes; a `data` that is not an object is left for the
  /// validator to reject. Complexity: O(bytes and entries of the line), sorting aside.
  func append(
    of event: EventEntry, for record: inout RecordEntry, by reader: DialectReader
  ) -> Node {
    let known = PulseDialect.known
    if data.exists, tape[data].kind != .object {
      draft.takeOthers(of: reader.root, besides: known, by: reader)
      return data
    }
    let path = FieldPath(root: "data")
    let base = draft.scratch.members.count
    return draft.appendObject(at: path) {
      defer { draft.takeOthers(of: reader.root, besides: known, from: base, by: reader) }
      addBackground()
      if subSIDs.exists { draft.addSubSIDs(subSIDs.index) }
      if data.exists {
        draft.batch.noteOverwritten(of: data.index, at: path, with: reader.fold)
        addData(of: event, for: &record, at: path)
      } else {
        draft.lose(.missingData, at: path)
      }
    }
  }

  private func addBackground() {
    guard background.exists else { return }
    switch tape[background].kind {
    case .true, .false:
      draft.addMember(draft.key(.isBackground)) { tape.appendScalar(tape[background]) }
    default: draft.lose(.badFieldIsBackground, at: "is_background")
    }
  }

  // MARK: - Data

  private func addData(of event: EventEntry, for record: inout RecordEntry, at path: FieldPath) {
    let parts = PulseParts(of: data.index, in: tape, names)
    parts.noteLosses(of: !event.nameNode.exists ? "" : tape.bytes(at: event.nameNode), in: draft)
    let hasLooked = identify(&record, by: parts[.additionalIDs], at: path)
    let whose = hasLooked ? record : nil
    tape.forEachMember(of: data.index) { key in
      guard let part = names.part(tape[key], of: nil, in: tape) else {
        draft.addMember(key, names: 1, at: path)
        return
      }
      // Of repeated fields the last counts, and none if that has a wrong type.
      if parts[part] == key + 1 { add(part, key, parts, whose, at: path) }
    }
  }

  private func add(
    _ part: PulsePart, _ key: Int, _ parts: PulseParts, _ whose: RecordEntry?, at path: FieldPath
  ) {
    switch part {
    case _ where parts.hasRefusedMember(part):
      addObject(key, at: path) { member in
        names.part(tape[member], of: part, in: tape).map(parts.isRefused) ?? false
      }
    case .previousEvents, .sourcesInfo: addNewest(part, key, at: path)
    case .additionalIDs where whose != nil:
      guard let whose else { return }
      addObject(key, at: path) { draft.scratch.search.hasTaken($0, of: tape, for: whose) }
    case .params:
      tellDates(of: key + 1)
      draft.addMember(key, names: 1, at: path)
    default: draft.addMember(key, names: 1, at: path)
    }
  }

  /// Adds the field whose key is at tape index `key`, an object, without those of its fields for
  /// which `isLeftOut` is true.
  private func addObject(_ key: Int, at path: FieldPath, without isLeftOut: (Int) -> Bool) {
    var path = path
    path.push(key: key)
    draft.addMember(key) {
      draft.appendObject(at: path) {
        tape.forEachMember(of: key + 1) { member in
          if !isLeftOut(member) { draft.addMember(member, names: 2, at: path) }
        }
      }
    }
  }

  /// Adds the newest items of a list, which are its last ones.
  private func addNewest(_ part: PulsePart, _ key: Int, at path: FieldPath) {
    let count = tape.itemCount(of: key + 1)
    guard let most = part.mostItems, let code = part.tooMany, count > most else {
      draft.addMember(key, names: 1, at: path)
      return
    }
    draft.lose(code, at: FieldPath(root: part.path), limit: most, actual: count)
    var path = path
    path.push(key: key)
    draft.addMember(key) {
      draft.appendArray(key + 1, names: 1, at: &path, skipping: count - most)
    }
  }

  // MARK: - Times

  /// Converts each `timestamp` of the objects in a list that is the time of an event to a date.
  private func tellDates(of list: Int) {
    guard draft.areObjects(list, names: 1) else { return }
    tape.forEachItem(of: list) { item, _ in
      guard let node = tape.present("timestamp", of: item), let time = milliseconds(node) else {
        return
      }
      tape[node].flags = 0
      tape[node].kind = .date
      tape[node].milliseconds = time
    }
  }

  private func milliseconds(_ node: Int) -> Int? {
    let count = tape.count
    defer { tape.truncate(to: count) }
    let value = draft.time(Node(node), at: FieldPath(root: PulsePart.params.path))
    return tape.milliseconds(at: value).flatMap { Rules.isTime($0) ? $0 : nil }
  }

  // MARK: - Identity

  /// Sets the ids that the record lacks from the object at `node`; returns whether there is one.
  private func identify(_ record: inout RecordEntry, by node: Int?, at path: FieldPath) -> Bool {
    guard let node, !record.customID.exists || !record.installationID.exists else { return false }
    draft.scratch.search.begin()
    tape.forEachMember(of: node) { key in
      draft.scratch.search.note(key, info: names.identity(tape[key], in: tape), of: tape)
    }
    var path = path
    path.push(key: node - 1)
    draft.scratch.search.identify(&record, draft, at: path)
    return draft.scratch.search.hasNoted
  }
}
