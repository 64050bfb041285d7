import Pipeline

/// Reads a line of a dialect that a mapping describes (docs/guides/mapping.md): events are drafted
/// as those of other foreign dialects, everything else becomes operations.
struct MappedReading {
  let kind: MappedKind
  let found: MappedLine
  let reader: DialectReader
  let batch: RecordBatch
  private let tape: Tape

  init(_ kind: MappedKind, _ found: MappedLine, _ reader: DialectReader, _ batch: RecordBatch) {
    (self.kind, self.found, self.reader, self.batch) = (kind, found, reader, batch)
    tape = batch.tape
  }

  /// Reads the line whose object stands at tape index `object`.
  func read(_ object: Int, into record: inout RecordEntry) {
    found.read(object, as: kind, of: batch)
    record.hasEventList = false
    switch kind.rules.effect {
    case .event where kind.itemTree != nil: readList(into: &record)
    case .event:
      let draft = reader.draft(into: batch)
      draft.appendEvent { event in
        identify(&record, draft)
        readEvent(&event, draft, item: nil)
      }
    case .identify, .alias, .delete: readChange(into: &record)
    case .ignore:
      record.mayBeEmpty = true
      let name = firstSource(kind.rules.name, item: nil).map(value) ?? .none
      if name.exists, tape[name].kind == .string {
        batch.notes.note(.ignoredAction, name: name.index, of: batch.records.count)
      }
    }
  }

  // MARK: - Events

  /// Reads each item of a list as an event.
  private func readList(into record: inout RecordEntry) {
    noteOthers(of: found.line)
    let list = found.line[kind.rules.list]
    guard list.exists, let tree = kind.itemTree else { return }
    record.hasEventList = true
    guard tape[list].kind == .array else {
      record.hasBadEvents = true
      return
    }
    let draft = reader.draft(into: batch)
    var isIdentified = false
    tape.forEachItem(of: list.index) { item, _ in
      guard tape[item].kind == .object else {
        var event = EventEntry(record: UInt32(batch.records.count))
        event.isObject = false
        batch.events.append(event)
        return
      }
      found.readItem(item, as: tree, of: batch)
      draft.appendEvent { event in
        // What is no id is a loss of the first event.
        if !isIdentified { identify(&record, draft) }
        isIdentified = true
        readEvent(&event, draft, item: item)
      }
    }
  }

  private func readEvent(_ event: inout EventEntry, _ draft: ForeignDraft, item: Int?) {
    let source = firstSource(kind.rules.name, item: item)
    if let source, source.number < 0 {
      let name = tape.text { text in for byte in kind.rules.constantName { text.append(byte) } }
      event.nameNode = Node(tape.appendScalar(name))
    } else if let source {
      draft.name(value(source), of: &event)
    }
    if let id = firstSource(kind.rules.id, item: item) {
      event.idNode = draft.eventID(value(id), at: path(id))
    }
    if kind.rules.time.isEmpty { event.timing = .optional }
    event.timeNode = time(draft)
    if item == nil { noteOthers(of: found.line, keeps: reader.unknownFields == .keep) }
    if item != nil { noteOthers(of: found.item) }
    event.attributes = attributes(draft, item: item)
  }

  /// Gives the record the first custom id and the first installation id that are ids; others are
  /// losses of the event that is being drafted.
  private func identify(_ record: inout RecordEntry, _ draft: ForeignDraft) {
    for source in kind.rules.customID where !record.customID.exists {
      record.customID = draft.customID(id(source), at: path(source))
    }
    for source in kind.rules.installationID where !record.installationID.exists {
      record.installationID = draft.installationID(id(source), at: path(source))
    }
  }

  // MARK: - Changes

  /// Reads what changes a profile: attributes, a link, an erase mark.
  private func readChange(into record: inout RecordEntry) {
    noteOthers(of: found.line)
    record.customID = firstSource(kind.rules.customID, item: nil).map(id) ?? .none
    record.installationID = firstSource(kind.rules.installationID, item: nil).map(id) ?? .none
    let draft = reader.draft(into: batch)
    // A time without a zone is UTC, as it is for events; only these have losses.
    let losses = batch.findings.count
    record.timeNode = time(draft)
    batch.findings.truncate(to: losses)
    switch kind.rules.effect {
    case .identify: readTraits(draft)
    case .alias: record.mayBeLink = true
    default:
      let yes = tape.appendScalar(TapeEntry(start: 0, length: 0, next: 0, kind: .true))
      batch.operations.append(
        OperationEntry(
          record: UInt32(batch.records.count), kind: .erase, key: .none, value: Node(yes)))
    }
  }

  /// Attributes of a person or installation, under the names that keys of foreign events get. Their
  /// values are not cut: what breaks a rule is refused, as it can be sent again.
  private func readTraits(_ draft: ForeignDraft) {
    for attributes in kind.rules.attributes {
      let node = value(attributes.source)
      guard node.exists, tape[node].kind != .object else { continue }
      reader.readOperations(node, isV1: false, into: batch)
      return
    }
    let object = tape.appendContainer(.object) {
      for index in found.line.attributes.indices {
        let key = found.line.attributes[index].key
        let name = self.name(of: key, draft)
        if name.kind == .key {
          tape.appendMember(name) { tape.appendCopy(of: key.index + 1) }
        }
      }
      for (key, source) in kind.rules.fields where value(source).exists {
        tape.appendMember(self.key(key)) { tape.appendCopy(of: value(source).index) }
      }
    }
    reader.readOperations(Node(object), isV1: false, into: batch)
  }

  // MARK: - Attributes

  /// The attributes of an event, if there are any; what is no object where one belongs is left to
  /// be refused.
  private func attributes(_ draft: ForeignDraft, item: Int?) -> Node {
    for attributes in kind.rules.attributes {
      let node = value(attributes.source)
      let wanted: TapeKind = attributes.pairs == nil ? .object : .array
      if node.exists, tape[node].kind != wanted { return node }
    }
    let base = draft.scratch.members.count
    let object = draft.appendObject(at: FieldPath(root: ""), isKept: false) {
      addAttributes(of: found.line, draft)
      if item != nil { addAttributes(of: found.item, draft) }
      for attributes in kind.rules.attributes where item != nil || !attributes.source.isOfItem {
        if let pairs = attributes.pairs { addPairs(pairs, attributes.source, draft) }
      }
      for (key, source) in kind.rules.fields {
        let node = value(source)
        if node.exists { draft.addMember(self.key(key), value: node.index, at: path(source)) }
      }
      for (key, value) in kind.rules.constants {
        draft.addMember(self.key(key)) { tape.appendScalar(constant(value)) }
      }
      if item == nil, reader.unknownFields == .keep { keepOthers(from: base, draft) }
    }
    return object.index < tape.count ? object : .none
  }

  private func addAttributes(of found: MappedLine.Found, _ draft: ForeignDraft) {
    for index in found.attributes.indices {
      let field = found.attributes[index]
      let path = self.found.objects[Int(field.object)]
      if let name = self.found.rename(tape[field.key], kind, tape) {
        draft.addMember(field.key.index, as: key(name), names: 1, at: path)
      } else {
        draft.addMember(field.key.index, names: 1, at: path)
      }
    }
  }

  /// Adds an attribute for each item of a list that has a key and a value.
  private func addPairs(
    _ pairs: MappedAttributes.Pairs, _ source: MappedSource, _ draft: ForeignDraft
  ) {
    let list = value(source)
    guard list.exists else { return }
    let base = path(source)
    tape.forEachItem(of: list.index) { item, position in
      var path = base
      path.push(index: position)
      guard let key = inner(pairs.key, of: item), tape[key].kind == .string else { return }
      for names in pairs.values {
        guard let value = inner(names, of: item) else { continue }
        let text = tape[key]
        var name = text
        if ForeignName.isUsable(tape.bytes(text)) {
          name = tape.key { _ = ForeignName.append(tape.bytes(text), for: .key, to: &$0) }
        } else {
          name.kind = .null
        }
        if name.kind == .key {
          draft.addMember(name, value: value, at: path)
        } else {
          draft.lose(.badKey, at: path)
        }
        return
      }
    }
  }

  /// The value at field names of the object at `node` that is there and not null.
  private func inner(_ names: [[UInt8]], of node: Int) -> Int? {
    var node = node
    for name in names {
      guard tape[node].kind == .object else { return nil }
      var found: Int?
      tape.forEachMember(of: node) { key in if tape.bytes(at: key) == name { found = key + 1 } }
      guard let next = found, tape[next].kind != .null else { return nil }
      node = next
    }
    return node
  }

  // MARK: - Other fields

  /// Notes the fields that nothing reads, without those of the line's root if the event `keeps`
  /// them.
  private func noteOthers(of found: MappedLine.Found, keeps: Bool = false) {
    for index in found.others.indices {
      let field = found.others[index]
      if keeps, field.object == 0 { continue }
      reader.noteUnknown(
        key: field.key.index, in: self.found.objects[Int(field.object)], of: batch)
    }
  }

  /// Adds the fields of the line's root that nothing reads as attributes behind those that are
  /// there.
  private func keepOthers(from base: Int, _ draft: ForeignDraft) {
    draft.beginOthers(from: base, by: reader)
    for index in found.line.others.indices where found.line.others[index].object == 0 {
      draft.keepOther(
        found.line.others[index].key, at: FieldPath(root: ""), in: .none, by: reader)
    }
  }

  // MARK: - Values

  /// The first of the sources that is there, or is a constant.
  private func firstSource(_ sources: [MappedSource], item: Int?) -> MappedSource? {
    sources.first { $0.number < 0 || (item != nil || !$0.isOfItem) && value($0).exists }
  }

  private func value(_ source: MappedSource) -> Node {
    source.isOfItem ? found.item[source.number] : found.line[source.number]
  }

  private func path(_ source: MappedSource) -> FieldPath {
    source.isOfItem ? found.item.paths[source.number] : found.line.paths[source.number]
  }

  /// An id: an integer is its text, under a name by which erasing finds it.
  private func id(_ source: MappedSource) -> Node {
    let node = value(source)
    guard node.exists, tape[node].kind == .integer, tape[node.previous].kind == .key,
      reader.foreign.identityKeys.mayHoldNumber(tape.bytes(at: node.previous))
    else { return node }
    tape[node.index].kind = .string
    tape[node.index].flags &= TapeEntry.decoded
    return node
  }

  /// The time of the first source that has one.
  private func time(_ draft: ForeignDraft) -> Node {
    for time in kind.rules.time {
      let node = value(time.source)
      if node.exists { return draft.time(node, as: time, at: path(time.source)) }
    }
    return .none
  }

  private func name(of key: Node, _ draft: ForeignDraft) -> TapeEntry {
    if let name = found.rename(tape[key], kind, tape) { return self.key(name) }
    return draft.names.key(tape[key], in: tape)
  }

  private func key(_ text: [UInt8]) -> TapeEntry {
    tape.key { written in for byte in text { written.append(byte) } }
  }

  private func constant(_ value: MappedValue) -> TapeEntry {
    var entry = tape.text { written in for byte in value.text { written.append(byte) } }
    entry.kind = value.kind
    if value.kind == .double { entry.flags |= TapeEntry.exponent }
    return entry
  }
}
