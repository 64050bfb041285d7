import Pipeline

/// Dialect `pulse`: events that the Pulse SDKs collect automatically (dialects 7).
///
/// ```json
/// {"event_type":"page_view","event_id":"6e1f…","timestamp":1714641300000,"is_background":false,
///  "sub_sids":{"app":"s-1"},"data":{"metadata":{"url":"…"},"element":{"type":"page"}}}
/// ```
enum PulseDialect: RecordDialect {
  fileprivate static let known =
    RootField.identity
    | RootField.set(.eventType, .eventID, .timestamp, .isBackground, .subSIDs, .data)

  static func read(_ record: inout RecordEntry, by reader: DialectReader, into batch: RecordBatch) {
    let root = reader.root
    let draft = reader.draft(into: batch)
    draft.appendEvent { event in
      draft.identify(&record, by: root)
      draft.name(root[.eventType], of: &event)
      event.idNode = draft.eventID(root[.eventID], at: FieldPath(root: "event_id"))
      event.timeNode = draft.time(root[.timestamp], at: FieldPath(root: "timestamp"))
      event.attributes = PulseAttributes(data: root[.data], draft: draft).append(
        of: event, for: &record, by: reader)
    }
  }
}

/// The attributes of one auto event (dialects 7): two fields of the line, and all of `data`.
private struct PulseAttributes {
  let data: Node
  let draft: ForeignDraft
  private var tape: Tape { draft.tape }
  private var names: ForeignNames { draft.names }

  /// Drafts the attributes of `event`, whose name is known, and sets the ids that the record lacks.
  /// A `data` that is not an object is left for the validator to reject.
  func append(
    of event: EventEntry, for record: inout RecordEntry, by reader: DialectReader
  ) -> Node {
    let (root, known) = (reader.root, PulseDialect.known)
    if data.exists, tape[data].kind != .object {
      draft.takeOthers(of: root, besides: known, by: reader)
      return data
    }
    let path = FieldPath(root: "data")
    let base = draft.scratch.members.count
    return draft.appendObject(at: path) {
      let background = root[.isBackground]
      if background.exists, tape.isBoolean(background.index) {
        draft.addMember(draft.key(.isBackground)) { tape.appendScalar(tape[background]) }
      } else if background.exists {
        draft.lose(.badFieldIsBackground, at: "is_background")
      }
      if root.has(.subSIDs) { draft.addSubSIDs(root[.subSIDs].index) }
      if data.exists {
        draft.batch.noteOverwritten(of: data.index, at: path, with: reader.fold)
        addData(of: event, for: &record, at: path)
      } else {
        draft.lose(.missingData, at: path)
      }
      draft.takeOthers(of: root, besides: known, from: base, by: reader)
    }
  }

  // MARK: - Data

  private func addData(of event: EventEntry, for record: inout RecordEntry, at path: FieldPath) {
    let parts = PulseParts(of: data.index, in: tape, names)
    parts.noteLosses(of: !event.nameNode.exists ? "" : tape.bytes(at: event.nameNode), in: draft)
    let hasIDs = identify(&record, by: parts[.additionalIDs], at: path)
    tape.forEachMember(of: data.index) { key in
      guard let part = names.part(tape[key], of: nil, in: tape) else {
        draft.addMember(key, names: 1, at: path)
        return
      }
      // Of repeated fields the last counts, and none if that has a wrong type.
      if parts[part] == key + 1 { add(part, key, parts, hasIDs: hasIDs, at: path) }
    }
  }

  private func add(
    _ part: PulsePart, _ key: Int, _ parts: PulseParts, hasIDs: Bool, at path: FieldPath
  ) {
    switch part {
    case _ where parts.hasRefusedMember(part):
      return addObject(key, at: path) { member in
        names.part(tape[member], of: part, in: tape).map(parts.isRefused) ?? false
      }
    case .previousEvents, .sourcesInfo: return addNewest(part, key, at: path)
    case .additionalIDs where hasIDs:
      return addObject(key, at: path) { draft.scratch.search.hasTaken($0, of: tape) }
    case .params: tellDates(of: key + 1)
    default: break
    }
    draft.addMember(key, names: 1, at: path)
  }

  /// Adds the field at `key`, an object, without those of its fields for which `isLeftOut` is true.
  private func addObject(_ key: Int, at path: FieldPath, without isLeftOut: (Int) -> Bool) {
    let path = path.field(key)
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
    let most = part == .previousEvents ? 10 : 3
    guard count > most else { return draft.addMember(key, names: 1, at: path) }
    part.lose(.tooMany, limit: most, actual: count, in: draft)
    var path = path.field(key)
    draft.addMember(key) { draft.appendArray(key + 1, names: 1, at: &path, skipping: count - most) }
  }

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

  /// Sets the ids that the record lacks from the object at `node`; returns whether there is one.
  private func identify(_ record: inout RecordEntry, by node: Int?, at path: FieldPath) -> Bool {
    guard let node, !record.customID.exists || !record.installationID.exists else { return false }
    let search = draft.scratch.search
    search.begin()
    tape.forEachMember(of: node) { key in
      search.note(key, info: names.identity(tape[key], in: tape), of: tape)
    }
    search.identify(&record, draft, at: path.field(node - 1))
    return search.hasNoted
  }
}
