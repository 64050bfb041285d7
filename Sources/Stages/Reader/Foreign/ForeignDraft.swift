import Pipeline

/// Drafts the event of one line of a foreign dialect in the form of v2 (dialects 4). What is cut or
/// omitted is noted as a loss, at its path in the line. Values are drafted in one walk: each field
/// is written as it is added, and an object is revised only where keys are equal or too many
/// (``settle(at:)``). Meanwhile nothing else may be appended to the tape. `names` is always the
/// number of attribute names on the path of a value, its own included. Of one
/// ``DialectReader``; one thread at a time.
final class ForeignDraft {
  let batch: RecordBatch
  let tape: Tape
  let scratch: ForeignScratch
  let names: ForeignNames
  /// Whether unchanged values may be text on the tape.
  var copiesText = false
  /// The repairs of the line.
  var repairs = LineRepairs()
  /// Whether text of the form `YYYY-MM-DDTHH:mm:ss.SSSZ` is a date as the value of a field.
  var readsDates = false
  /// The innermost open object.
  var object = ForeignObject()

  init(into batch: RecordBatch, _ scratch: ForeignScratch) {
    self.batch = batch
    tape = batch.tape
    self.scratch = scratch
    names = scratch.names
  }

  // MARK: - Events

  /// Appends an event of the current record; losses noted meanwhile belong to it.
  func appendEvent(_ fill: (inout EventEntry) -> Void) {
    var event = EventEntry(record: UInt32(batch.records.count))
    let (first, firstUnread) = (batch.findings.count, batch.unread.count)
    batch.findings.beginPart()
    fill(&event)
    batch.findings.endPart()
    batch.noteOmissions(from: first, unreadFrom: firstUnread, of: &event)
    batch.events.append(event)
  }

  /// Notes a loss of the event. Only inside ``appendEvent(_:)``.
  func lose(_ code: ReasonCode, at path: FieldPath, limit: Int? = nil, actual: Int? = nil) {
    batch.findings.add(code, at: path, of: tape, limit: limit, actual: actual)
  }

  /// The same at a path without variable parts.
  func lose(_ code: ReasonCode, at path: StaticString) { batch.findings.add(code, at: path) }

  /// Sets the name of the event from the source text at `node`. A value that is not text, or has no
  /// valid character, is left for the validator to reject.
  func name(_ node: Node, of event: inout EventEntry) {
    guard node.exists else { return }
    let entry = tape[node]
    if entry.kind == .string, entry.length == 0 { return }
    event.nameNode = node
    guard entry.kind == .string, !ForeignName.isCanonical(tape.bytes(entry)),
      let name = names.event(entry, in: tape)
    else { return }
    event.nameNode = Node(tape.appendScalar(name))
    event.sourceName = node
  }

  // MARK: - Objects

  /// Appends an object with the fields that `add` adds, and returns its tape index; `path` is the
  /// source of its fields. Without any content nothing is appended, unless it `isKept`.
  @inline(__always) @discardableResult
  func appendObject(at path: FieldPath, isKept: Bool = true, _ add: () -> Void) -> Node {
    let outer = object
    let node = tape.append(TapeEntry(kind: .object))
    object = ForeignObject(node: node, firstMember: scratch.members.count)
    add()
    if isKept || tape.count > node + 1 {
      if !object.isSettled { settle(at: path) }
      tape[node].next = UInt32(truncatingIfNeeded: tape.count)
    } else {
      tape.truncate(to: node)
    }
    scratch.members.truncate(to: object.firstMember)
    object = outer
    return Node(node)
  }

  /// Adds the fields of the object at `object`, whose path is `path`.
  func addMembers(of object: Int, names: Int, at path: FieldPath) {
    tape.forEachMember(of: object) { addMember($0, names: names, at: path) }
  }

  /// Adds the field whose key is at tape index `key`, of the object at `path`; a key without valid
  /// characters is a loss. A value that the dialect has converted to a date is one.
  @inline(__always)
  func addMember(_ key: Int, names: Int, at path: FieldPath) {
    addMember(key, as: self.names.key(tape[key], in: tape), names: names, at: path)
  }

  /// The same under the key `name`, which may be of kind `null`.
  @inline(__always)
  func addMember(_ key: Int, as name: TapeEntry, names: Int, at path: FieldPath) {
    let value = tape[key + 1]
    let form: KeyForm = isDate(value) ? .date : .plain
    guard canCopyVerbatim(value) || value.kind == .date, name.kind == .key else {
      addOther(key, name, names: names, at: path)
      return
    }
    push(ForeignMember(key: name, source: Node(key), drafted: Node(tape.count), form: form))
    tape.appendMember(drafted(name, as: form), scalar: value)
  }

  /// Adds a field with the key `name` and what is kept of the value at `node`.
  func addMember(_ name: TapeEntry, value node: Int, at path: @autoclosure () -> FieldPath) {
    let value = tape[node]
    if canCopyVerbatim(value) {
      push(ForeignMember(key: name, source: .none, drafted: Node(tape.count)))
      return tape.appendMember(drafted(name), scalar: value)
    }
    let (first, firstLoss) = (tape.count, batch.findings.count)
    tape.append(drafted(name))
    var path = path()
    append(node, names: 1, at: &path)
    guard tape.count > first + 1 else {
      tape.truncate(to: first)
      return
    }
    push(ForeignMember(key: name, source: .none, drafted: Node(first)), lossesFrom: firstLoss)
  }

  /// The same for an unusual value, or under a key without valid characters.
  @inline(never)
  private func addOther(_ key: Int, _ name: TapeEntry, names: Int, at path: FieldPath) {
    if name.kind == .key, let text = textAsIs(key + 1, names: names) {
      push(ForeignMember(key: name, source: Node(key), drafted: Node(tape.count)))
      tape.appendMember(drafted(name), scalar: text)
      return
    }
    let (first, firstLoss) = (tape.count, batch.findings.count)
    tape.append(drafted(name))
    var path = path.field(key)
    append(key + 1, names: names, at: &path)
    let hasContent = tape.count > first + 1
    if hasContent, name.kind == .key {
      let member = ForeignMember(key: name, source: Node(key), drafted: Node(first))
      return push(member, lossesFrom: firstLoss)
    }
    tape.truncate(to: first)
    if name.kind == .key {
      omitMember(key, as: name, lossesFrom: firstLoss)
    } else if hasContent {
      // Without a key its content is lost as a whole.
      batch.findings.truncate(to: firstLoss)
      lose(.badKey, at: path)
    }
  }

  /// Registers the field as omitted; what was lost with it are the losses from `firstLoss` on.
  func omitMember(_ key: Int, as name: TapeEntry, lossesFrom firstLoss: Int) {
    var member = ForeignMember(key: name, source: Node(key), drafted: .none, isAbsent: true)
    member.losses = batch.findings.range(from: firstLoss)
    if member.losses.count > 0 { object.isSettled = false }
    push(member)
  }

  /// Adds a field with the key at `key`, typed by `form`, and the valid value that `append`
  /// appends.
  func addMember(_ key: Int, as form: KeyForm = .plain, _ append: () -> Void) {
    let name = self.names.key(tape[key], in: tape)
    if name.kind == .key { addMember(name, source: Node(key), as: form, append) }
  }

  /// The same with the key `name`, which the line has at `source`, if it has it, in the object of
  /// the key `outer`. An empty object or array is not added, unless it is an operation on a
  /// profile.
  @inline(__always)
  func addMember(
    _ name: TapeEntry, source: Node = .none, in outer: Node = .none, as form: KeyForm = .plain,
    _ append: () -> Void
  ) {
    let first = tape.append(drafted(name, as: form))
    append()
    if tape.count == first + 1 || isEmptyContainer(first + 1) && !object.hasOperations {
      tape.truncate(to: first)
      return
    }
    tape[first].next = UInt32(truncatingIfNeeded: tape.count)
    push(
      ForeignMember(key: name, source: source, outer: outer, drafted: Node(first), form: form))
  }

  /// Adds a copy of a field that was drafted before, inside of another object.
  func addCopy(of member: ForeignMember) {
    var copy = member
    if !member.isAbsent {
      copy.drafted = Node(tape.appendCopy(of: member.drafted.index))
      if isEmptyContainer(copy.drafted.index + 1) { object.isSettled = false }
    }
    copy.losses = ReasonRange()
    object.place = member.place
    push(copy)
  }

  /// Ends the value of a field, and registers it; the losses in it are those from `firstLoss` on.
  private func push(_ member: ForeignMember, lossesFrom firstLoss: Int) {
    var member = member
    tape[member.drafted].next = UInt32(truncatingIfNeeded: tape.count)
    member.losses = batch.findings.range(from: firstLoss)
    if member.losses.count > 0 || isEmptyContainer(member.drafted.index + 1) {
      object.isSettled = false
    }
    push(member)
  }

  /// Registers a field that was written, or is absent.
  @inline(__always)
  private func push(_ member: ForeignMember) {
    var member = member
    member.place = object.place
    let number = member.key.number
    let bit: UInt64 = 1 &<< UInt64(number & 63)
    // Texts without numbers could be equal.
    if object.isSettled,
      number == 0 || object.seen & bit != 0 && hasMember(number)
        || scratch.members.count - object.firstMember >= Limits.v2.attributes
    {
      object.isSettled = false
    }
    object.seen |= bit
    scratch.members.append(member)
  }

  /// Whether a field of the innermost object has the key with this number.
  private func hasMember(_ number: UInt16) -> Bool {
    (object.firstMember..<scratch.members.count).contains {
      scratch.members[$0].key.number == number
    }
  }

  /// The key `name` in its stored form; drafted keys are valid, and need no second check.
  @inline(__always)
  func drafted(_ name: TapeEntry, as form: KeyForm = .plain) -> TapeEntry {
    var key = name
    key.form = form.rawValue
    key.flags |= TapeEntry.prevalidated
    return key
  }

  /// Whether a value is a time, or text that the draft converts to one.
  @inline(__always)
  func isDate(_ value: TapeEntry) -> Bool {
    if value.kind == .date { return true }
    return readsDates && value.kind == .string && value.length == Timestamp.textLength
      && Timestamp.parseCanonical(tape.bytes(value)) != nil
  }

  /// Reads the fields of `members` besides `known`, which no rule reads: as losses, or, inside an
  /// open object whose fields begin at `base`, as attributes after these. `holder` is the tape
  /// index of the object's key, none for the line.
  func takeOthers(
    of members: RootFields, besides known: FieldSet, in holder: Node = .none, from base: Int? = nil,
    by reader: DialectReader
  ) {
    guard members.mayHaveOthers(than: known) || members.mayRepeat else { return }
    let place =
      holder.exists ? scratch.places.field(holder, of: SourcePlaces.root) : SourcePlaces.root
    let path = scratch.places.path(of: place)
    guard reader.unknownFields == .keep, let base else {
      reader.noteUnknown(in: members, besides: known, at: path, of: batch)
      return
    }
    reader.noteOverwritten(in: members, at: path, of: batch)
    beginOthers(from: base, by: reader)
    members.forEachOther(than: known, of: tape) { key in
      keepOther(key, at: path, of: place, by: reader)
    }
    object.place = SourcePlaces.none
  }

  /// Begins to keep unread fields, after the fields from `base` on.
  func beginOthers(from base: Int, by reader: DialectReader) {
    reader.fold.begin()
    for index in base..<scratch.members.count where !scratch.members[index].isAbsent {
      let name = tape.bytes(scratch.members[index].key)
      _ = reader.fold.add(KeyName.tag(name), item: index) {
        KeyName.isSameKey(tape.bytes(scratch.members[$0].key), name)
      }
    }
  }

  /// Keeps a field of the object at `path` as an attribute, unless another one has the key: a loss.
  func keepOther(_ key: Node, at path: FieldPath, of place: Int32, by reader: DialectReader) {
    let name = names.key(tape[key], in: tape)
    let text = tape.bytes(name)
    let attribute = reader.fold.latest(KeyName.tag(text)) {
      KeyName.isSameKey(tape.bytes(scratch.members[$0].key), text)
    }
    if name.kind == .key, attribute != nil {
      return reader.noteUnknown(key: key.index, in: path, of: batch)
    }
    object.place = place
    addMember(key.index, as: name, names: 1, at: path)
  }

  /// If there are too many fields, keeps the one added last before all others.
  func keepFirst() { scratch.members[scratch.members.count - 1].staysFirst = true }

  /// Appends a field of the dialect's own, unless nothing is kept of its value at `node`.
  func appendMember(_ name: TapeEntry, _ node: Int, names: Int, at path: FieldPath) {
    let key = tape.append(name)
    var path = path
    append(node, names: names, at: &path)
    if tape.count == key + 1 || isEmptyContainer(key + 1) {
      tape.truncate(to: key)
    } else {
      tape[key].next = UInt32(truncatingIfNeeded: tape.count)
    }
  }
}
