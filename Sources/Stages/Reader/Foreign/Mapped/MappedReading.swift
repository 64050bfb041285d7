import Pipeline

/// Reads a line of a dialect described by a mapping (docs/guides/mapping.md): events are drafted as
/// in other foreign dialects, everything else becomes operations.
struct MappedReading {
  let kind: MappedKind
  let found: MappedLine
  let reader: DialectReader
  let batch: RecordBatch
  let draft: ForeignDraft
  private let keys: MappedKeys
  let tape: Tape

  init(_ kind: MappedKind, _ found: MappedLine, _ reader: DialectReader, _ batch: RecordBatch) {
    (self.kind, self.found, self.reader, self.batch) = (kind, found, reader, batch)
    tape = batch.tape
    draft = reader.draft(into: batch)
    keys = found.keys(of: kind, in: tape)
  }

  /// Reads the line whose object is at tape index `object`.
  func read(_ object: Int, into record: inout RecordEntry) {
    found.read(object, as: kind, in: tape)
    record.hasEventList = false
    switch kind.rules.effect {
    case .event:
      if let tree = kind.itemTree {
        readList(tree, into: &record)
      } else {
        draft.appendEvent { event in
          identify(&record)
          readEvent(&event, item: nil)
        }
      }
    case .identify, .alias, .delete:
      batch.noteOmissions(of: &record) { record in readChange(into: &record) }
    case .ignore:
      record.mayBeEmpty = true
      let name = firstSource(kind.rules.name, item: nil).map(value) ?? .none
      if name.exists, tape[name].kind == .string {
        batch.notes.note(.ignoredAction, name: name.index, of: batch.records.count)
      }
    }
  }

  // MARK: - Events

  /// Reads each item of a list as an event. Losses of the line itself are recorded once.
  private func readList(_ tree: MappedTree, into record: inout RecordEntry) {
    noteUnread(of: found.line)
    let list = value(MappedSource(number: kind.rules.list))
    guard list.exists else { return }
    record.hasEventList = true
    guard tape[list].kind == .array else {
      record.hasBadEvents = true
      return
    }
    found.shared.begin()
    batch.noteOmissions(of: &record) { record in
      identify(&record)
      shareTimeAndID(of: list, tree)
      if refusedAttributes(item: nil) == nil { draftShared() }
    }
    tape.forEachItem(of: list.index) { item, _ in
      guard tape[item].kind == .object else {
        var event = EventEntry(record: UInt32(batch.records.count))
        event.isObject = false
        batch.events.append(event)
        return
      }
      found.readItem(item, as: tree, in: tape)
      draft.appendEvent { event in readEvent(&event, item: item) }
    }
  }

  private func readEvent(_ event: inout EventEntry, item: Int?) {
    let source = firstSource(kind.rules.name, item: item)
    if let source, source.number < 0 {
      event.nameNode = Node(tape.appendScalar(keys.constantName))
    } else if let source {
      draft.name(value(source), of: &event)
    }
    event.idNode = firstID(item: item)
    event.hasTimelessID = kind.rules.hasTimelessIDs
    if kind.rules.time.isEmpty { event.timing = .optional }
    let time = firstTime(item: item)
    let isOwn = item == nil || time?.source.isOfItem == true
    event.timeNode = isOwn ? timeNode(time) : found.shared.time
    let keeps = item == nil && reader.unknownFields == .keep
    noteUnread(of: item == nil ? found.line : found.item, keeps: keeps)
    event.attributes = attributes(item: item)
  }

  /// Sets the first valid custom id and the first valid installation id. Invalid ones before them
  /// are losses.
  private func identify(_ record: inout RecordEntry) {
    for source in kind.rules.customID where value(source).exists {
      record.customID = customID(source)
      if record.customID.exists { break }
    }
    for source in kind.rules.installationID where value(source).exists {
      record.installationID = installationID(source)
      if record.installationID.exists { break }
    }
  }

  // MARK: - Changes

  /// Reads a change of a profile: attributes, a link, an erase mark.
  private func readChange(into record: inout RecordEntry) {
    noteUnread(of: found.line)
    identify(&record)
    let losses = batch.findings.count
    record.timeNode = timeNode(firstTime(item: nil))
    switch kind.rules.effect {
    case .identify:
      // Without attributes, two ids are a link, and one id has no effect.
      record.mayBeLink = true
      readTraits()
      record.mayBeEmpty =
        record.customID.exists != record.installationID.exists
        && batch.findings.count == losses
    case .alias: record.mayBeLink = true
    default:
      var erase = OperationEntry(
        record: UInt32(batch.records.count), kind: .erase, key: .none, value: .none)
      erase.isOnInstallation = !record.customID.exists
      batch.operations.append(erase)
    }
  }

  /// Reads attributes of a person or installation, with the usual keys of foreign events. Values
  /// are not cut: one that breaks a rule is rejected, as it can be sent again.
  private func readTraits() {
    if let node = refusedAttributes(item: nil) {
      return reader.readOperations(node, isV1: false, into: batch)
    }
    let traits = draft.appendObject(at: FieldPath(root: "")) {
      draft.object.hasOperations = true
      forEachAttribute(of: found.line) { key, path in
        var path = path
        path.push(key: key.index)
        let name = found.name(tape[key], keys, draft)
        draft.addOperation(name, source: key, value: key.index + 1, at: path)
      }
      for index in kind.rules.attributes.indices {
        forEachPair(of: index) { draft.addOperation($0, source: .none, value: $1, at: $2) }
      }
      for (index, (_, sources)) in kind.rules.fields.enumerated() {
        guard let source = firstSource(sources, item: nil) else { continue }
        draft.object.place = place(source)
        draft.addOperation(
          keys.fields[index], source: .none, value: value(source).index, at: path(source))
      }
    }
    reader.readOperations(traits, isV1: false, into: batch)
  }

  // MARK: - Attributes

  /// The value found instead of an object or list of pairs of attributes, if any. The validator
  /// rejects it.
  private func refusedAttributes(item: Int?) -> Node? {
    for attributes in kind.rules.attributes where item != nil || !attributes.source.isOfItem {
      let node = value(attributes.source)
      guard node.exists else { continue }
      let isList = attributes.pairs != nil
      if tape[node].kind == (isList ? .array : .object) { continue }
      // The validator would take an object instead of a list for the attributes.
      return isList ? Node(tape.appendScalar(.fault(.badAttributes))) : node
    }
    return nil
  }

  /// The attributes of an event, if any.
  private func attributes(item: Int?) -> Node {
    if let refused = refusedAttributes(item: item) { return refused }
    let base = draft.scratch.members.count
    let object = draft.appendObject(at: FieldPath(root: ""), isKept: false) {
      if let item {
        addItem(item)
      } else {
        addLine()
        if reader.unknownFields == .keep { keepOthers(from: base) }
      }
    }
    return object.index < tape.count ? object : .none
  }

  /// Adds the attributes of the line and of the mapping, and calls `end` after each group that one
  /// of an item may follow.
  private func addLine(_ end: () -> Void = {}) {
    addAttributes(of: found.line)
    end()
    for (index, attributes) in kind.rules.attributes.enumerated()
    where attributes.pairs != nil && !attributes.source.isOfItem {
      addPairs(index)
      end()
    }
    for (index, (_, sources)) in kind.rules.fields.enumerated() where !Self.areOfItem(sources) {
      addField(index, firstSource(sources, item: nil))
      end()
    }
    draft.object.place = SourcePlaces.none
    for index in keys.constants.indices {
      draft.addMember(keys.constantKeys[index]) { tape.appendScalar(keys.constants[index]) }
    }
    end()
  }

  /// Adds the attributes of an item and those shared by all items, in the same order as in a line
  /// with one event.
  private func addItem(_ item: Int) {
    let shared = found.shared
    let isShared = shared.spend()
    if !isShared {
      let path = FieldPath(root: "attributes")
      draft.lose(.attributesTruncated, at: path, limit: 0, actual: shared.count)
    }
    var group = 0
    func addShared() {
      if isShared { shared.addCopies(ofGroup: group, to: draft) }
      group += 1
    }
    addShared()
    addAttributes(of: found.item)
    for (index, attributes) in kind.rules.attributes.enumerated() where attributes.pairs != nil {
      if attributes.source.isOfItem { addPairs(index) } else { addShared() }
    }
    for (index, (_, sources)) in kind.rules.fields.enumerated() {
      if Self.areOfItem(sources) {
        addField(index, firstSource(sources, item: item))
      } else {
        addShared()
      }
    }
    addShared()
  }

  /// Drafts the attributes that the line gives to each of its events.
  private func draftShared() {
    draft.appendObject(at: FieldPath(root: "")) {
      let first = draft.scratch.members.count
      addLine { found.shared.endGroup(draft, from: first) }
      // Each event settles the attributes together with its own.
      draft.object.isSettled = true
    }
  }

  /// Drafts the time and the id of the line, for listed events that have none of their own.
  private func shareTimeAndID(of list: Node, _ tree: MappedTree) {
    found.shared.time = share(list, tree) {
      timeNode(firstTime(item: nil))
    } isUsed: { item in
      firstTime(item: item)?.source.isOfItem == false
    }
    for (index, sources) in kind.rules.id.enumerated() {
      let isOfLine = !Self.areOfItem(sources) && isPresent(sources, item: nil)
      let id =
        !isOfLine
        ? Node.none
        : share(list, tree) {
          eventID(sources)
        } isUsed: { item in
          !hasID(before: index, item: item)
        }
      found.shared.ids.append(id)
    }
  }

  /// Drafts a value for the listed events that use it. Its losses are recorded only if one does.
  private func share(
    _ list: Node, _ tree: MappedTree, _ draft: () -> Node, isUsed: (_ item: Int) -> Bool
  ) -> Node {
    let first = batch.findings.count
    let node = draft()
    if batch.findings.count == first { return node }
    var hasUse = false
    tape.forEachItem(of: list.index) { item, _ in
      if hasUse || tape[item].kind != .object { return }
      found.readItem(item, as: tree, in: tape)
      hasUse = isUsed(item)
    }
    if !hasUse { batch.findings.truncate(to: first) }
    return node
  }

  private func addAttributes(of found: MappedLine.Found) {
    forEachAttribute(of: found) { key, path in
      let name = self.found.name(tape[key], keys, draft)
      draft.addMember(key.index, as: name, names: 1, at: path)
    }
  }

  /// Calls `body` with the key of each field that becomes an attribute, and the path of its object.
  @inline(__always)
  private func forEachAttribute(
    of found: MappedLine.Found, _ body: (_ key: Node, _ path: FieldPath) -> Void
  ) {
    var path = FieldPath(root: "")
    draft.object.place = SourcePlaces.root
    for index in found.attributes.indices {
      let field = found.attributes[index]
      if field.place != draft.object.place {
        draft.object.place = field.place
        path = self.found.places.path(of: field.place)
      }
      if field.isObject {
        tape.forEachMember(of: field.node.index) { body(Node($0), path) }
      } else {
        body(field.node, path)
      }
    }
  }

  private func addField(_ index: Int, _ source: MappedSource?) {
    guard let source else { return }
    draft.object.place = place(source)
    draft.addMember(keys.fields[index], value: value(source).index, at: path(source))
  }

  private func addPairs(_ index: Int) {
    forEachPair(of: index) { name, value, path in
      if name.kind == .key {
        draft.addMember(name, value: value, at: path)
      } else if isFilled(value) {
        draft.lose(.badKey, at: path)
      }
    }
  }

  /// Calls `body` with name, value and path of each pair that has a value; the name is of kind
  /// `null` if none is usable. Items that are not pairs are losses.
  private func forEachPair(
    of index: Int, _ body: (_ name: TapeEntry, _ value: Int, _ path: FieldPath) -> Void
  ) {
    let attributes = kind.rules.attributes[index]
    guard let pairs = attributes.pairs, let tree = kind.pairTrees[index] else { return }
    let list = value(attributes.source)
    guard list.exists else { return }
    let listPath = path(attributes.source)
    tape.forEachItem(of: list.index) { item, position in
      var path = listPath
      path.push(index: position)
      let place = found.places.item(position, of: place(attributes.source))
      guard tape[item].kind == .object else {
        if isFilled(item) { draft.lose(.badKey, at: path) }
        return
      }
      found.readPair(item, as: tree, at: place, in: tape)
      noteUnread(of: found.pair)
      let key = found.pair[pairs.key].node
      let isText = key.exists && tape[key].kind == .string
      if key.exists, !isText, isFilled(key.index) {
        return draft.lose(.badKey, at: path)
      }
      guard let value = pairs.values.first(where: { found.pair[$0].node.exists }) else { return }
      draft.object.place = place
      body(
        isText ? draft.key(named: tape[key]) : TapeEntry(start: 0, length: 0, next: 0, kind: .null),
        found.pair[value].node.index, path)
    }
  }

  /// Whether the value at `node` is anything but null, blank text, or an empty object or array.
  private func isFilled(_ node: Int) -> Bool {
    let entry = tape[node]
    return switch entry.kind {
    case .null: false
    case .string: !Characters.isBlank(tape.bytes(entry))
    case .object, .array: Int(entry.next) > node + 1
    default: true
    }
  }

  // MARK: - Other fields

  /// Notes the values that a later field of the same name overwrites, in the root and in objects
  /// whose fields become attributes; a null is a value only in changes of a profile. Notes the
  /// fields that no rule reads, too, without those of the root if the event `keeps` them.
  private func noteUnread(of found: MappedLine.Found, keeps: Bool = false) {
    let isChange = kind.rules.effect != .event
    for index in found.objects.indices {
      let object = found.objects[index]
      batch.noteOverwritten(
        of: object.node.index, at: self.found.places.path(of: object.place),
        nulls: isChange && object.place != SourcePlaces.root, with: reader.fold)
    }
    for index in found.others.indices {
      let field = found.others[index]
      if keeps, field.place == SourcePlaces.root, !field.isItem { continue }
      let path = self.found.places.path(of: field.place)
      if field.isItem {
        batch.unread.add(.unknownField, item: path, ofKey: field.key, of: tape)
      } else {
        reader.noteUnknown(key: field.key.index, in: path, of: batch)
      }
    }
  }

  /// Adds the root fields that no rule reads as attributes, after the existing ones, in source
  /// order.
  private func keepOthers(from base: Int) {
    found.line.sortOthers()
    draft.beginOthers(from: base, by: reader)
    let root = SourcePlaces.root
    for index in found.line.others.indices {
      let field = found.line.others[index]
      guard field.place == root, !field.isItem else { continue }
      draft.keepOther(field.key, at: FieldPath(root: ""), of: root, by: reader)
    }
  }
}
