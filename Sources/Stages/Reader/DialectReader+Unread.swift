import Pipeline

/// Fields that no rule reads (see "Unknown fields" in `docs/reference/data-model.md`). A dialect
/// notes those that belong to no single event, then those of each event, to which
/// ``RecordBatch/noteOmissions(from:unreadFrom:of:)`` assigns them; the rest belongs to the record.
/// Under `keep` those of an event become attributes, and only those that cannot be one are noted.
extension DialectReader {
  /// Notes the fields of an object that are present, not null, and not among `known`, as unknown;
  /// `path` is the object's path in its event or line. Almost free where there are none.
  @inline(__always)
  func noteUnknown(
    in members: RootFields, besides known: FieldSet, at path: FieldPath = FieldPath(root: ""),
    of batch: RecordBatch
  ) {
    noteOverwritten(in: members, at: path, of: batch)
    guard members.mayHaveOthers(than: known) else { return }
    members.forEachOther(than: known, of: batch.tape) { key in
      batch.unread.add(.unknownField, key: key, in: path, of: batch.tape)
    }
  }

  /// Notes the values of an object at `path` that a later field of the same name overwrites.
  @inline(__always)
  func noteOverwritten(
    in members: RootFields, at path: FieldPath = FieldPath(root: ""), of batch: RecordBatch
  ) {
    guard members.mayRepeat else { return }
    batch.noteOverwritten(of: members.object.index, at: path, with: fold)
  }

  /// Notes a field of the object at `path` as unknown, unless it is null; `key` is its tape index.
  func noteUnknown(key: Int, in path: FieldPath, of batch: RecordBatch) {
    guard batch.tape[key + 1].kind != .null else { return }
    batch.unread.add(.unknownField, key: Node(key), in: path, of: batch.tape)
  }

  func readEvent(isV1: Bool, into event: inout EventEntry, of batch: RecordBatch) {
    let first = batch.unread.count
    if isV1 {
      inner.readV1(into: &event)
      noteAliases(.event, .id, .eventID, in: inner, of: batch)
      readOthers(of: inner, besides: Self.knownV1EventObject, into: &event, from: first, in: batch)
    } else {
      inner.readV2(into: &event, of: batch.tape)
      dropPlaceholder(of: &event, in: batch)
      noteIgnored(of: batch)
      readOthers(of: inner, besides: Self.knownV2Event, into: &event, from: first, in: batch)
    }
  }

  /// Keeps or notes the fields of an event that its form does not define. The batch had `first`
  /// unread fields before the event.
  @inline(__always)
  func readOthers(
    of members: RootFields, besides known: FieldSet, into event: inout EventEntry,
    from first: Int, in batch: RecordBatch
  ) {
    takeOthers(of: members, besides: known, into: &event, in: batch)
    if batch.unread.count > first {
      batch.noteOmissions(from: batch.findings.count, unreadFrom: first, of: &event)
    }
  }

  /// The same for one object of the event, at `path`, without assigning the notes to the event.
  @inline(__always)
  func takeOthers(
    of members: RootFields, besides known: FieldSet, at path: FieldPath = FieldPath(root: ""),
    into event: inout EventEntry, in batch: RecordBatch
  ) {
    guard members.mayHaveOthers(than: known) || members.mayRepeat else { return }
    if unknownFields == .keep,
      !event.attributes.exists || batch.tape[event.attributes].kind == .object
    {
      keepOthers(of: members, besides: known, at: path, in: &event, of: batch)
    } else {
      noteUnknown(in: members, besides: known, at: path, of: batch)
    }
  }

  /// Drafts the attributes of an event, which win, followed by the undefined fields of `members`.
  private func keepOthers(
    of members: RootFields, besides known: FieldSet, at path: FieldPath,
    in event: inout EventEntry, of batch: RecordBatch
  ) {
    noteOverwritten(in: members, at: path, of: batch)
    guard members.mayHaveOthers(than: known) else { return }
    let tape = batch.tape
    fold.begin()
    let object = tape.appendContainer(.object) {
      if event.attributes.exists {
        tape.forEachMember(of: event.attributes.index) { key in
          let name = tape.bytes(at: key)
          _ = fold.add(KeyName.tag(name), item: key) {
            KeyName.isSameKey(tape.bytes(at: $0), name)
          }
          tape.appendMember(tape[key]) { tape.appendCopy(of: key + 1) }
        }
      }
      members.forEachOther(than: known, of: tape) { key in
        let name = tape.bytes(at: key)
        let attribute = fold.latest(KeyName.tag(name)) {
          KeyName.isSameKey(tape.bytes(at: $0), name)
        }
        if attribute != nil {
          batch.unread.add(.unknownField, key: key, in: path, of: tape)
        } else {
          tape.appendMember(tape[key]) { tape.appendCopy(of: key.index + 1) }
        }
      }
    }
    event.attributes = Node(object)
    // Consecutive fields of the draft are not consecutive in the source.
    batch.lines[lineNumber].isCompact = false
  }

  // MARK: - Attributes with label and tags

  /// Drafts label, tags and attributes of an event in the form of v2, in this order. Attributes
  /// that are not an object are left for the validator, which rejects them together with the other
  /// faults.
  @inline(__always)
  func draft(
    label: Node, tags: Node, attributes: Node, of event: inout EventEntry, in tape: Tape,
    appendTags: (_ tags: Int) -> Void, _ append: (_ attributes: Int) -> Void
  ) {
    if attributes.exists, tape[attributes].kind != .object {
      (event.attributes, event.label) = (attributes, label)
      guard tags.exists else { return }
      event.tags = Node(tape.count)
      return appendTags(tags.index)
    }
    let object = tape.appendContainer(.object) {
      if label.exists {
        tape.appendMember(names.key(.eventLabel, in: tape)) { tape.appendCopy(of: label.index) }
      }
      if tags.exists {
        tape.appendMember(names.key(.eventTags, in: tape)) { appendTags(tags.index) }
      }
      if attributes.exists { append(attributes.index) }
    }
    event.attributes = Node(object)
  }

  // MARK: - Ids

  /// Installation ids under the names of canonical records, v1, and dialect `action`.
  static let installationNames = RootField.set(.installationID, .installID)

  /// Removes placeholders from the fields `names`: each is as null, and a loss.
  @inline(__always)
  func dropPlaceholders(
    _ names: FieldSet = DialectReader.installationNames, in members: RootFields,
    at path: FieldPath = FieldPath(root: ""), of batch: RecordBatch
  ) {
    guard members.hasAny(names) else { return }
    members.remove(names) { node in
      guard placeholders.contain(batch.tape[node], as: .installation, of: batch.tape) else {
        return false
      }
      batch.unread.add(.nobodyID, key: node.previous, in: path, of: batch.tape)
      return true
    }
  }

  /// Removes the id of an event that counts once for its id, if that is a placeholder.
  private func dropPlaceholder(of event: inout EventEntry, in batch: RecordBatch) {
    guard event.hasTimelessID, event.idNode.exists,
      placeholders.contain(batch.tape[event.idNode], as: .event, of: batch.tape)
    else { return }
    batch.unread.add(.nobodyID, key: event.idNode.previous, in: FieldPath(root: ""), of: batch.tape)
    event.idNode = .none
  }

  /// Alternative names of a field that may occur beside another one.
  private static let secondNames = RootField.set(.customID, .userID, .installID, .eventID)

  /// Notes the alternative names of ids at the root of a v1 line that have another value than the
  /// one that counts. Only the root of an event line has an event id; in others `id` is the person.
  @inline(__always)
  func noteAliases(isEvent: Bool, of batch: RecordBatch) {
    guard root.hasAny(Self.secondNames) else { return }
    if isEvent {
      noteAliases(.person, .customID, .userID, in: root, of: batch)
      noteAliases(.event, .id, .eventID, in: root, of: batch)
    } else {
      noteAliases(.person, .id, .customID, in: root, of: batch)
      noteAliases(.person, root.has(.id) ? .id : .customID, .userID, in: root, of: batch)
    }
    noteAliases(.installation, .installationID, .installID, in: root, of: batch)
  }

  /// Notes the second name if both are present and have different values.
  private func noteAliases(
    _ kind: IDKind, _ first: RootField, _ second: RootField, in members: RootFields,
    of batch: RecordBatch
  ) {
    guard members.has(first), members.has(second),
      !batch.tape.isSameID(members[first].index, members[second].index, kind)
    else { return }
    batch.unread.add(
      .aliasIgnored, key: members[second].previous, in: FieldPath(root: ""), of: batch.tape)
  }
}

extension Tape {
  /// Whether two ids are the same: an integer equals its text, and UUIDs of installations have no
  /// case.
  func isSameID(_ one: Int, _ other: Int, _ kind: IDKind) -> Bool {
    let (first, second) = (bytes(at: one), bytes(at: other))
    switch (self[one].kind, self[other].kind) {
    case (.string, .string):
      return first == second
        || kind == .installation && UUIDText.shape(first).isUUID && KeyName.isSame(first, second)
    case (.string, .integer), (.integer, .string): return kind != .installation && first == second
    case let (a, b): return a == b && first == second
    }
  }
}
