import Pipeline

/// Turns parsed objects into records (data-model 3): detects the dialect of a line, passes the line
/// to it, and has what dialects share. Scratch memory is reused from line to line; one reader
/// belongs to one thread at a time.
package final class DialectReader {
  let root = RootFields()
  let inner = RootFields()
  let fold = KeyFold()
  let foreign: ForeignRules
  let unknownFields: UnknownFieldPolicy
  /// The texts that are not ids.
  let placeholders: Placeholders
  private(set) var lineNumber = 0
  /// Numbers of unread fields, and of omissions, before the record that was begun last.
  private var firstUnread = 0
  private var firstOmission = 0
  /// The only dialect that is read, or nil.
  private let fixed: Dialect?
  private let copiesText: Bool
  private let scratch: ForeignScratch
  /// The draft of events of foreign dialects, for the batch that was read last.
  private var draft: ForeignDraft?
  let actionTags = ActionTags()
  let realm = RealmLine()
  /// The matches of mappings in a line.
  let mapped: MappedLine
  private let mappings: Mappings
  /// Compared for every line.
  private let v1 = Dialect.v1
  private let v1Fields = RootField.set(.update, .name, .events)

  /// With `copiesText` unchanged values may be text on the tape.
  package init(_ rules: Rules = Rules(), copiesText: Bool = false) {
    self.copiesText = copiesText
    foreign = rules.foreign
    unknownFields = rules.unknownFields
    placeholders = rules.placeholders
    scratch = ForeignScratch(rules.foreign.identityKeys, rules.placeholders)
    fixed = rules.dialect
    mappings = rules.mappings
    mapped = MappedLine(rules.mappings, scratch.places)
  }

  /// The names that foreign dialects derive from those on the tape.
  var names: ForeignNames { scratch.names }

  /// The draft for the events of a record of the batch.
  func draft(into batch: RecordBatch) -> ForeignDraft {
    scratch.begin()
    if draft?.batch !== batch { draft = nil }
    let draft = draft ?? ForeignDraft(into: batch, scratch)
    self.draft = draft
    draft.repairs = batch.lines[lineNumber].repairs
    draft.copiesText = copiesText && batch.lines[lineNumber].isCompact
    return draft
  }

  /// Reads the object as a record of line number `line`, and appends it if its dialect is read.
  func read(_ object: Int, line: Int, into batch: RecordBatch) -> Detection {
    let found = detect(object, in: batch)
    guard case .found(let dialect) = found else { return found }
    if let fixed, fixed != dialect { return .wrong(dialect) }
    let type = dialect.isMapped ? nil : DialectRegistry.all[Int(dialect.number)]
    read(line, of: dialect, as: type, into: batch)
    return found
  }

  package func detect(_ line: LineEntry, in batch: RecordBatch) -> Detection {
    detect(line.object.index, in: batch)
  }

  /// The paths or the names of the fields by which the line is of this dialect; the exceptions for
  /// one that an option sets apply to any.
  package func evidence(
    of dialect: Dialect, in line: LineEntry, of batch: RecordBatch
  ) -> [String] {
    if let mapping = mappings.mapping(of: dialect) { return mapping.matches[0].map(\.path) }
    root.read(line.object.index, of: batch)
    return dialect.row.evidence.first { $0.holds(for: root, in: batch, isFixed: true) }?.names ?? []
  }

  /// Detects the dialect: that of the option first, then those of mappings, then the built-in ones.
  func detect(_ object: Int, in batch: RecordBatch) -> Detection {
    batch.keys.learn(from: batch.tape.names)
    if mappings.isEmpty { return detectBuiltIn(object, in: batch) }
    if let fixed, !fixed.isMapped {
      let found = detectBuiltIn(object, in: batch)
      if found == .found(fixed) { return found }
    }
    let (first, second) = mapped.claims(of: object, in: batch, preferring: fixed)
    guard let first else { return detectBuiltIn(object, in: batch) }
    return second.map { .ambiguous(first.dialect, $0.dialect) } ?? .found(first.dialect)
  }

  /// Reads the fields into ``root``, and finds the built-in dialect that they identify.
  private func detectBuiltIn(_ object: Int, in batch: RecordBatch) -> Detection {
    root.read(object, of: batch)
    let isNotification =
      root.has(.name) && batch.tape[root[.name]].length >= Detection.notificationName
    // Only v2 and v1 can match, each by one of its fields.
    if root.present & RootField.foreign == 0, !isNotification {
      return root.has(.identifiers) ? .found(.v2) : root.hasAny(v1Fields) ? .found(v1) : .unknown
    }
    let found = Detection.of(root, in: batch, fixed: fixed)
    guard case .ambiguous(let first, let second) = found, let fixed else { return found }
    return fixed == first || fixed == second ? .found(fixed) : found
  }

  /// Reads the line whose fields are in ``root``; without a type, as that of the matched mapping.
  func read(
    _ line: Int, of dialect: Dialect, as type: (any RecordDialect.Type)?, into batch: RecordBatch
  ) {
    lineNumber = line
    names.begin(batch.tape)
    var record = RecordEntry(line: UInt32(line), dialect: dialect)
    record.form = dialect.form
    record.hasEventList = record.form != .drafted
    begin(&record, in: batch)
    if let type {
      type.read(&record, by: self, into: batch)
    } else if readMapped(&record, of: dialect, into: batch) {
      return
    }
    append(record, to: batch)
  }

  /// Begins a record: what is added to the batch from now on belongs to it.
  func begin(_ record: inout RecordEntry, in batch: RecordBatch) {
    (firstUnread, firstOmission) = (batch.unread.count, batch.omissions.count)
    record.firstEvent = UInt32(batch.events.count)
    record.firstOperation = UInt32(batch.operations.count)
  }

  /// Appends the record that was begun last.
  func append(_ record: RecordEntry, to batch: RecordBatch) {
    var record = record
    record.eventCount = UInt32(batch.events.count) - record.firstEvent
    record.operationCount = UInt32(batch.operations.count) - record.firstOperation
    if batch.unread.count > firstUnread {
      record.omissions.unread = batch.unclaimed(from: firstUnread, omissions: firstOmission)
    }
    batch.records.append(record)
    // Drafted keys are names, too.
    if record.form == .drafted { batch.keys.learn(from: batch.tape.names) }
  }

  /// The dialect with that name, built in or described by a mapping of the run.
  func dialect(named name: String) -> Dialect? {
    Dialect(named: name) ?? mappings.all.first { $0.dialect.name == name }?.dialect
  }

  /// Reads a line of a dialect that a mapping describes. Returns whether its records are appended.
  private func readMapped(
    _ record: inout RecordEntry, of dialect: Dialect, into batch: RecordBatch
  ) -> Bool {
    guard let mapping = mappings.mapping(of: dialect),
      let kind = mapped.kind(of: mapping, in: batch.tape)
    else {
      batch.reject(&record, .unmappedLine, at: "")
      return false
    }
    let object = batch.lines[lineNumber].object.index
    if kind.hasList {
      return MappedList(kind, of: mapping, self, mapped, batch).read(object, into: &record)
    }
    MappedReading(kind, mapped, self, draft(into: batch)).read(object, into: &record)
    return false
  }

  /// Reads the items of `events`; anything but an array makes the record invalid.
  func readEvents(_ node: Node, isV1: Bool, of record: inout RecordEntry, into batch: RecordBatch) {
    guard node.exists else { return }
    guard batch.tape[node].kind == .array else {
      return batch.reject(&record, .badEvents, at: "events")
    }
    batch.tape.forEachItem(of: node.index) { item, _ in
      var event = EventEntry(record: UInt32(batch.records.count))
      if batch.tape[item].kind == .object {
        inner.read(item, of: batch)
        readEvent(isV1: isV1, into: &event, of: batch)
      } else {
        event.isObject = false
      }
      batch.events.append(event)
    }
  }

  /// Reads `overwrite`: `false` is nothing, any value but `true` a clear that the validator
  /// rejects.
  func readOverwrite(_ node: Node, into batch: RecordBatch) {
    if node.exists, batch.tape[node].kind != .false { batch.addOperation(.clear, value: node) }
  }

  /// Reads the fields of `attributes` or `values` as operations. Of two equal keys the later wins
  /// at its own position (data-model 6), a v1 collection over an attribute (data-model 3.4). The
  /// other value is a loss at its path from `root` on; an overwritten null only if `nulls` count.
  func readOperations(
    _ node: Node, isV1: Bool, at root: StaticString = "attributes", nulls: Bool = true,
    into batch: RecordBatch
  ) {
    guard node.exists else { return }
    let tape = batch.tape
    guard tape[node].kind == .object else {
      return batch.addOperation(.noObject, key: node.previous, value: node)
    }
    // Drafted keys are names that were unknown when the line began.
    batch.keys.learn(from: tape.names)
    fold.begin()
    let first = batch.operations.count
    var hasOverwritten = false
    tape.forEachMember(of: node.index) { key in
      var operation = OperationEntry(
        record: UInt32(batch.records.count), kind: .attribute, key: Node(key), value: Node(key + 1))
      let written = tape[key]
      if isV1 { operation.isCollection = V1Names.stripPrefix(ofKey: key, in: tape) }
      // Without the prefixes of v1 the text differs from the one that was numbered.
      if isV1 || !batch.keys.relabel(key, in: tape) { KeyName.classify(key, in: tape) }
      if tape[key].keyKind == .reserved { operation.native = NativeKey(tape.bytes(at: key)) }
      // An invalid key keeps the text as written and equals no other key.
      if !tape[key].isValidKey, operation.native == nil {
        let kind = tape[key].keyKind
        tape[key] = written
        tape[key].keyKind = kind
      }
      hasOverwritten = foldOperation(operation, in: batch) || hasOverwritten
    }
    guard hasOverwritten else { return }
    for index in first..<batch.operations.count where batch.operations[index].isOverwritten {
      guard let winner = latest(index, in: batch) else { continue }
      batch.noteOverwritten(
        batch.operations[index].key.index, by: batch.operations[winner].key.index,
        at: FieldPath(root: root), nulls: nulls)
    }
    batch.operations.removeAll(from: first) { $0.isOverwritten }
  }

  /// Appends the operation; returns whether one of two with equal keys lost.
  private func foldOperation(_ operation: OperationEntry, in batch: RecordBatch) -> Bool {
    let index = batch.operations.count
    batch.operations.append(operation)
    guard let winner = latest(index, in: batch, adds: true) else { return false }
    let isBeaten = batch.operations[winner].isCollection && !operation.isCollection
    // The winner remains the one to compare with.
    if isBeaten { _ = latest(winner, in: batch, adds: true) }
    batch.operations[isBeaten ? index : winner].isOverwritten = true
    return true
  }

  /// The operation added last with the key of operation `index`: the same stored key if it is
  /// valid, the same text if not. With `adds` operation `index` replaces it.
  private func latest(_ index: Int, in batch: RecordBatch, adds: Bool = false) -> Int? {
    let (tape, key) = (batch.tape, batch.operations[index].key.index)
    let tag = KeyFold.tag(tape.bytes(at: key))
    func isSame(_ other: Int) -> Bool { tape.isSameKey(batch.operations[other].key.index, key) }
    return adds ? fold.add(tag, item: index, isSame: isSame) : fold.latest(tag, isSame: isSame)
  }

  // MARK: - Registers and installations

  /// Reads registers and `erase` of the root as one operation each (dialects 2). They count only in
  /// their specified form; any other value is an unknown field. `"erase":false` has no effect,
  /// `"erase":"person"` is about the person. Returns the tape index of `installation_attributes`.
  func readPrivacy(of record: RecordEntry, into batch: RecordBatch) -> Node {
    if root.unknownKeys.isEmpty { return .none }
    let tape = batch.tape
    for kind in RegisterKind.allCases {
      let node = root.take(ByteView(kind.field), of: tape) { kind.form.fits($0, of: tape) }
      if node.exists { batch.addOperation(.register(kind), value: node) }
    }
    let erase = root.take("erase", of: tape) { node in
      tape.isBoolean(node)
        || record.customID.exists && tape[node].kind == .string && tape.bytes(at: node) == "person"
    }
    if erase.exists, tape[erase].kind != .false {
      batch.addOperation(.erase, value: erase, onInstallation: tape[erase].kind == .true)
    }
    return root.take("installation_attributes", of: tape) { tape[$0].kind == .object }
  }

  /// Reads the fields of an object as operations on attributes of the record's installation.
  func readInstallationOperations(_ node: Node, nulls: Bool = true, into batch: RecordBatch) {
    let first = batch.operations.count
    readOperations(node, isV1: false, at: "installation_attributes", nulls: nulls, into: batch)
    for index in first..<batch.operations.count { batch.operations[index].isOnInstallation = true }
  }
}
