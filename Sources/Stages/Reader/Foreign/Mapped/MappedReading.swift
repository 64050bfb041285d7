import Pipeline

/// Reads a line of a dialect described by a mapping (docs/guides/mapping.md), or an item of its
/// list: events are drafted as in other foreign dialects, everything else becomes operations.
struct MappedReading {
  let kind: MappedKind
  let scope: MappedScope
  let found: MappedLine
  let reader: DialectReader
  /// The draft of the line, which notes all paths in it.
  let draft: ForeignDraft
  var batch: RecordBatch { draft.batch }
  var tape: Tape { draft.tape }
  /// Where the values of the event itself begin (``MappedRules/levels``).
  var level: Int { kind.trees.count - 1 }

  init(_ kind: MappedKind, _ found: MappedLine, _ reader: DialectReader, _ draft: ForeignDraft) {
    (self.kind, self.found, self.reader, self.draft) = (kind, found, reader, draft)
    scope = found.scope(of: kind, in: draft.tape)
  }

  /// Reads the line whose object is at tape index `object`.
  func read(_ object: Int, into record: inout RecordEntry) {
    found.read(object, as: kind.tree, into: scope.levels[0], at: SourcePlaces.root, in: tape)
    read(into: &record)
  }

  /// Reads an item of the list: with an owner of its `own` as a record, else as an event.
  func readItem(_ item: Int, at place: Int32, own: Bool, into record: inout RecordEntry) {
    let isEvent = kind.rules.effect == .event
    enterLists()
    found.read(
      item, as: kind.trees[level], into: scope.levels[level],
      at: isEvent ? SourcePlaces.item : place, in: tape)
    if own {
      read(into: &record)
    } else {
      draft.appendEvent { event in readEvent(&event, of: &record) }
    }
  }

  /// Finds the values around the current item, unless that was done, and drafts what events share.
  private func enterLists() {
    for outer in 0..<level { enter(level: outer) }
    let list = found.outer[level - 1].number
    if scope.sharedNumber == list { return }
    scope.sharedNumber = list
    scope.shared.begin(kind.rules)
    guard found.spend(0) else { return }
    _ = notingLineLosses {
      draft.appendObject(at: FieldPath(root: "")) {
        let first = draft.scratch.members.count
        addAll(at: 0...level - 1) { if $0 { scope.shared.endGroup(draft, from: first) } }
        draft.takeLosses(of: first..<draft.scratch.members.count, ofContent: false)
        // Each event settles the attributes together with its own.
        draft.object.isSettled = true
      }
    }
    _ = found.spend(scope.shared.bytes)
  }

  /// Finds the values of the line, or of the item of an outer list, unless that was done.
  func enter(level: Int) {
    let object = found.outer[level]
    guard scope.enter(object, level: level) else { return }
    found.read(
      object.node.index, as: kind.trees[level], into: scope.levels[level], at: object.place,
      in: tape)
    notingLineLosses { convert(level: level) }
  }

  /// Reads what the line or item is: an event, or a change of a profile.
  private func read(into record: inout RecordEntry) {
    switch kind.rules.effect {
    case .event:
      draft.appendEvent { event in
        identify(&record)
        readEvent(&event, of: &record)
      }
    case .identify, .alias, .delete:
      batch.noteOmissions(of: &record) { record in
        convert(level: level)
        noteUnread(of: scope.levels[level])
        identify(&record)
        record.timeNode = firstTime()
        readChange(into: &record)
        batch.findings.append(found.losses[...])
        found.losses.removeAll(keepingCapacity: true)
      }
    case .ignore:
      record.mayBeEmpty = true
      let (node, source) = name()
      let name = source.exists ? source : node
      if name.exists, tape[name].kind == .string {
        batch.notes.note(.ignoredAction, name: name.index, of: batch.records.count)
      }
    }
  }

  // MARK: - Events

  private func readEvent(_ event: inout EventEntry, of record: inout RecordEntry) {
    convert(level: level)
    (event.nameNode, event.sourceName) = name()
    event.idNode = firstID()
    event.hasTimelessID = kind.rules.hasTimelessIDs
    if kind.rules.time.isEmpty || kind.rules.isUntimed { event.timing = .optional }
    event.timeNode = firstTime()
    let keeps = level == 0 && reader.unknownFields == .keep
    noteUnread(of: scope.levels[level], keeps: keeps)
    if let source = firstSource(kind.rules.label) {
      noting(.label, isShared: isShared(source)) {
        event.label = draft.text(at: value(source), atMost: Limits.label, path(source))
      }
    }
    if let source = firstSource(kind.rules.tags) {
      noting(.tags, isShared: isShared(source)) { event.tags = tags(source) }
    }
    event.attributes = attributes()
    guard !kind.rules.profile.isEmpty || kind.rules.changesConsent else { return }
    guard record.customID.exists || record.installationID.exists else {
      if hasTraits { draft.lose(.noIdentity, at: "profile") }
      return
    }
    record.timeNode = event.timeNode
    readTraits(of: record)
    readConsent(of: record)
  }

  /// The tags: a text, or a list of texts, each cut to its limit.
  private func tags(_ source: MappedSource) -> Node {
    let (node, path) = (value(source), path(source))
    var texts: [Node] = []
    if tape[node].kind == .array {
      tape.forEachItem(of: node.index) { item, position in
        guard texts.count <= Limits.tags else { return }
        let text = draft.text(at: Node(item), atMost: Limits.tag, path.item(position))
        if text.exists { texts.append(text) }
      }
    } else {
      texts = [draft.text(at: node, atMost: Limits.tag, path)].filter(\.exists)
    }
    if texts.count > Limits.tags { draft.lose(.arrayTruncated, at: path, limit: Limits.tags) }
    if texts.isEmpty { return .none }
    return Node(
      tape.appendContainer(.array) {
        for text in texts.prefix(Limits.tags) { tape.appendCopy(of: text.index) }
      })
  }

  // MARK: - Attributes

  /// The attributes of an event, if any.
  private func attributes() -> Node {
    let base = draft.scratch.members.count
    let object = draft.appendObject(at: FieldPath(root: ""), isKept: false) {
      if level > 0 {
        addItem()
      } else {
        addAll(at: 0...0) { _ in }
        if reader.unknownFields == .keep { keepOthers(from: base) }
      }
    }
    return object.index < tape.count ? object : .none
  }

  /// Adds the attributes that are found at these levels, and from level 0 on those of the mapping.
  /// Calls `end` after each group that was added, or, without `isAdded`, where one of outer levels
  /// belongs.
  private func addAll(at levels: ClosedRange<Int>, _ end: (_ isAdded: Bool) -> Void) {
    func add(_ level: Int, _ body: () -> Void) {
      let isAdded = levels.contains(level)
      if isAdded { body() }
      end(isAdded)
    }
    if levels.lowerBound > 0 { end(false) }
    for level in levels {
      forEachAttribute(of: scope.levels[level], ofProfile: false) { key, path in
        let name = found.name(tape[key], scope, draft)
        draft.addMember(key.index, as: name, names: 1, at: path)
      }
    }
    if levels.lowerBound == 0 { end(true) }
    for (index, attributes) in kind.rules.event.attributes.enumerated() where attributes.isList {
      add(attributes.level) { addPairs(index) }
    }
    for (index, field) in kind.rules.event.fields.enumerated() {
      add(field.sources.reduce(0) { max($0, $1.level) }) { addField(index) }
    }
    add(0) {
      draft.object.place = SourcePlaces.none
      for index in scope.constants.indices {
        draft.addMember(scope.constantKeys[index]) { tape.appendScalar(scope.constants[index]) }
        draft.keepFirst()
      }
    }
  }

  /// Adds the attributes of an item and the shared ones, in the same order as in a line of one
  /// event.
  private func addItem() {
    let shared = scope.shared
    let isShared = found.spend(shared.bytes)
    if !isShared {
      draft.lose(
        .attributesTruncated, at: FieldPath(root: "attributes"), limit: 0, actual: shared.count)
    }
    var group = 0
    addAll(at: level...level) { isAdded in
      if isAdded { return }
      if isShared { shared.addCopies(ofGroup: group, to: draft) }
      group += 1
    }
  }

  /// Calls `body` with the key of each field that becomes an attribute, and the path of its object.
  @inline(__always)
  func forEachAttribute(
    of found: MappedLine.Found, ofProfile: Bool, _ body: (_ key: Node, _ path: FieldPath) -> Void
  ) {
    var path = FieldPath(root: "")
    draft.object.place = SourcePlaces.root
    for index in found.attributes.indices where found.attributes[index].isOfProfile == ofProfile {
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

  /// Adds an attribute that the mapping names. It stays if there are too many.
  private func addField(_ index: Int) {
    let field = kind.rules.event.fields[index]
    guard let source = firstSource(field.sources) else { return }
    let isOuter = isShared(source)
    // What all items share was spent before (``SharedAttributes``); here each may draft it.
    if isOuter, !found.spend(tape.size(of: value(source))) {
      return draft.lose(.attributesTruncated, at: path(source))
    }
    draft.object.place = place(source)
    let (name, count) = (scope.fields[index], draft.scratch.members.count)
    noting(.field(index), isShared: isOuter) {
      if field.form == .plain {
        draft.addMember(name, value: value(source).index, at: path(source))
      } else {
        draft.addMember(name, as: field.form) { tape.appendCopy(of: value(source).index) }
      }
    }
    guard draft.scratch.members.count > count else { return }
    draft.keepFirst()
    if isOuter { draft.scratch.members[count].losses = ReasonRange() }
  }

  private func addPairs(_ index: Int) {
    forEachPair(of: kind.rules.event.attributes[index], kind.pairTrees[index]) { pair in
      if pair.name.kind != .key {
        if draft.hasContent(pair.value, names: 1) { draft.lose(.badKey, at: pair.path) }
      } else if let entry = pair.converted {
        draft.addMember(pair.name, as: pair.form) { draft.append(scalar: entry, at: pair.path) }
      } else {
        draft.addMember(pair.name, value: pair.value, at: pair.path)
      }
    }
  }

  // MARK: - Other fields

  /// Notes the values that a later field of the same name overwrites; a null is a value only in
  /// changes of a profile. Notes unread fields, without those of the root if the event `keeps`
  /// them.
  func noteUnread(of found: MappedLine.Found, keeps: Bool = false) {
    // The names in text that holds JSON are new.
    batch.keys.learn(from: tape.names)
    for index in found.objects.indices {
      let (object, isOfProfile) = found.objects[index]
      batch.noteOverwritten(
        of: object.node.index, at: self.found.places.path(of: object.place),
        nulls: isOfProfile && object.place != SourcePlaces.root, with: reader.fold)
    }
    for index in found.others.indices {
      let field = found.others[index]
      if keeps, field.place == SourcePlaces.root, !field.isItem { continue }
      let path = self.found.places.path(of: field.place)
      if !field.isItem {
        reader.noteUnknown(key: field.key.index, in: path, of: batch)
      } else if let pair = kind.idPairTree, readsID(in: field.item, found) {
        self.found.read(field.item.index, as: pair, into: scope.pair, at: field.place, in: tape)
        noteUnread(of: scope.pair)
      } else {
        batch.unread.add(.unknownField, item: path, ofKey: field.key, of: tape)
      }
    }
  }

  /// Adds the root fields that no rule reads as attributes, in source order.
  private func keepOthers(from base: Int) {
    let (line, root) = (scope.levels[0], SourcePlaces.root)
    line.others.sort { $0.key < $1.key }
    draft.beginOthers(from: base, by: reader)
    for index in line.others.indices {
      let field = line.others[index]
      guard field.place == root, !field.isItem else { continue }
      draft.keepOther(field.key, at: FieldPath(root: ""), of: root, by: reader)
    }
  }
}

extension Tape {
  /// About how many bytes a copy of the value at `node` takes.
  func size(of node: Node) -> Int {
    let entry = self[node]
    return (Int(entry.next) - node.index) * MemoryLayout<TapeEntry>.size + entry.textLength
  }
}

extension TapeEntry {
  /// Bytes of its text; a date has none.
  var textLength: Int { kind == .date ? 0 : Int(length) }
}
