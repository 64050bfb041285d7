import Pipeline

/// Drafts the event of one line of a foreign dialect as v2 has it (dialects 4): the name, and an
/// object of attributes in which nothing breaks a limit. What is cut or left out is noted as a
/// loss, at the path in the line.
///
/// ```swift
/// draft.appendEvent { event in
///   draft.name(node, of: &event)
///   event.attributes = draft.appendObject(at: path) {
///     draft.addMembers(of: arguments, names: 1, at: path)
///   }
/// }
/// ```
/// Values are drafted in one walk: each member is written as it is added, and an object is gone
/// over again only where keys fall together or are too many (``settle(at:)``). Meanwhile nothing
/// else may be left on the tape.
///
/// `names` is everywhere how many attribute names stand on the path of a value, its own included:
/// an object or array may stand below up to ``Limits/nesting`` of them. One for each batch of a
/// ``DialectReader``, a class so that those who draft with it can keep it without cost; one thread
/// at a time.
final class ForeignDraft {
  let batch: RecordBatch
  let tape: Tape
  let scratch: ForeignScratch
  let names: ForeignNames
  /// Whether values that drafting leaves unchanged may stand on the tape as text.
  var copiesText = false
  /// Whether text of the form `YYYY-MM-DDTHH:mm:ss.SSSZ` is a date where it is the value of a
  /// member.
  var readsDates = false
  /// The innermost object in the making.
  var object = ForeignObject()

  /// Drafts into `batch`, in the memory of `scratch`.
  init(into batch: RecordBatch, _ scratch: ForeignScratch) {
    self.batch = batch
    tape = batch.tape
    self.scratch = scratch
    names = scratch.names
  }

  // MARK: - Events

  /// Appends an event of the record that is being read, which `fill` fills in. What is lost
  /// meanwhile is what was left out of it.
  func appendEvent(_ fill: (inout EventEntry) -> Void) {
    var event = EventEntry(record: UInt32(batch.records.count))
    let first = batch.findings.count
    let firstUnread = batch.unread.count
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

  /// Gives the event the name that the source at `node` has, if any. Without any text it has no
  /// name; what is no text, or has nothing that a name may have, is left to be refused.
  func name(_ node: Node, of event: inout EventEntry) {
    guard node.exists else { return }
    let entry = tape[node]
    guard entry.kind == .string else {
      event.nameNode = node
      return
    }
    guard entry.length > 0 else { return }
    event.nameNode = node
    guard !ForeignName.isCanonical(tape.bytes(entry)),
      let name = names.event(entry, in: tape)
    else { return }
    event.nameNode = Node(tape.appendScalar(name))
    event.sourceName = node
  }

  // MARK: - Objects

  /// Appends an object with the members that `add` adds, and returns its tape index; `path` is
  /// where its members come from. Unless it `isKept` anyway, nothing is appended when there is none
  /// that says anything.
  @inline(__always) @discardableResult
  func appendObject(at path: FieldPath, isKept: Bool = true, _ add: () -> Void) -> Node {
    let outer = object
    object = ForeignObject(
      node: tape.append(TapeEntry(start: 0, length: 0, next: 0, kind: .object)),
      firstMember: scratch.members.count)
    let node = object.node
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

  /// Adds the members of the object at `object`, which stands at `path`.
  func addMembers(of object: Int, names: Int, at path: FieldPath) {
    let end = Int(tape[object].next)
    var key = object + 1
    while key < end {
      addMember(key, names: names, at: path)
      key = Int(tape[key].next)
    }
  }

  /// Adds the member whose key stands at tape index `key`, of the object at `path`; a key of which
  /// nothing is left is a loss. What the dialect has made a date of, where it stands, is one.
  @inline(__always)
  func addMember(_ key: Int, names: Int, at path: FieldPath) {
    addMember(key, as: self.names.key(tape[key], in: tape), names: names, at: path)
  }

  /// The same under the key `name`, of kind `null` when nothing of it is left.
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

  /// Adds a member with the key `name` and what is kept of the value at `node`, which stands at
  /// `path`.
  func addMember(_ name: TapeEntry, value node: Int, at path: FieldPath) {
    let (first, firstLoss) = (tape.count, batch.findings.count)
    tape.append(drafted(name))
    var path = path
    append(node, names: 1, at: &path)
    guard tape.count > first + 1 else {
      tape.truncate(to: first)
      return
    }
    tape[first].next = UInt32(truncatingIfNeeded: tape.count)
    var member = ForeignMember(key: name, source: .none, drafted: Node(first))
    member.losses = ReasonRange(
      start: UInt32(firstLoss), count: UInt32(batch.findings.count - firstLoss))
    if member.losses.count > 0 || isEmptyContainer(first + 1) { object.isSettled = false }
    push(member)
  }

  /// The same for a value that is worth a closer look, or under a key of which nothing is left.
  @inline(never)
  private func addOther(_ key: Int, _ name: TapeEntry, names: Int, at path: FieldPath) {
    if name.kind == .key, let text = textAsIs(key + 1, names: names) {
      push(ForeignMember(key: name, source: Node(key), drafted: Node(tape.count)))
      tape.appendMember(drafted(name), scalar: text)
      return
    }
    let (first, firstLoss) = (tape.count, batch.findings.count)
    tape.append(drafted(name))
    var path = path
    path.push(key: key)
    append(key + 1, names: names, at: &path)
    let hasContent = tape.count > first + 1
    guard hasContent, name.kind == .key else {
      tape.truncate(to: first)
      if name.kind == .key {
        push(
          ForeignMember(key: name, source: Node(key), drafted: Node(first), isAbsent: true))
      } else if hasContent {
        // What it says has no key.
        batch.findings.truncate(to: firstLoss)
        lose(.badKey, at: path)
      }
      return
    }
    tape[first].next = UInt32(truncatingIfNeeded: tape.count)
    var member = ForeignMember(key: name, source: Node(key), drafted: Node(first))
    member.losses = ReasonRange(
      start: UInt32(firstLoss), count: UInt32(batch.findings.count - firstLoss))
    if member.losses.count > 0 || isEmptyContainer(first + 1) { object.isSettled = false }
    push(member)
  }

  /// Adds a member with a copy of the value at `node`, which is kept as it is: drafted by the
  /// dialect, or known to be valid. Its key is that of the member at `key`, typed as `form` says.
  func addMember(_ key: Int, as form: KeyForm = .plain, drafted node: Int) {
    addMember(key, as: form) { tape.appendCopy(of: node) }
  }

  /// The same with the value that `append` appends, unless it is an object or array with nothing in
  /// it.
  func addMember(_ key: Int, as form: KeyForm = .plain, _ append: () -> Void) {
    let name = self.names.key(tape[key], in: tape)
    guard name.kind == .key else { return }
    addMember(name, source: Node(key), form, append)
  }

  /// Adds a member with the key `word`, and with the value that `append` appends.
  func addMember(_ word: DraftedWord, _ append: () -> Void) { addMember(key(word), append) }

  /// Adds a member with the key `name`, which stands in no line, and with the value that `append`
  /// appends.
  func addMember(_ name: TapeEntry, _ append: () -> Void) {
    addMember(name, source: .none, .plain, append)
  }

  @inline(__always)
  private func addMember(
    _ name: TapeEntry, source: Node, _ form: KeyForm, _ append: () -> Void
  ) {
    let first = tape.append(drafted(name, as: form))
    append()
    if tape.count == first + 1 || isEmptyContainer(first + 1) {
      tape.truncate(to: first)
      return
    }
    tape[first].next = UInt32(truncatingIfNeeded: tape.count)
    push(ForeignMember(key: name, source: source, drafted: Node(first), form: form))
  }

  /// Adds what is known of a member that was written, or would have been if it were not absent.
  @inline(__always)
  private func push(_ member: ForeignMember) {
    let number = member.key.number
    let bit: UInt64 = 1 &<< UInt64(number & 63)
    // Texts without numbers could be the same.
    if object.isSettled,
      number == 0 || object.seen & bit != 0 && hasMember(number)
        || scratch.members.count - object.firstMember >= Limits.v2.attributes
    {
      object.isSettled = false
    }
    object.seen |= bit
    scratch.members.append(member)
  }

  /// Whether a member of the innermost object has the key with this number.
  private func hasMember(_ number: UInt16) -> Bool {
    (object.firstMember..<scratch.members.count).contains {
      scratch.members[$0].key.number == number
    }
  }

  /// The key `name` in its stored form, as one that types its value or not. What is drafted breaks
  /// no rule, so the validator need not look at it again.
  @inline(__always)
  func drafted(_ name: TapeEntry, as form: KeyForm = .plain) -> TapeEntry {
    var key = name
    key.form = form.rawValue
    key.flags |= TapeEntry.prevalidated
    return key
  }

  /// Whether a value is a point in time, or text that the draft takes for one.
  @inline(__always)
  func isDate(_ value: TapeEntry) -> Bool {
    if value.kind == .date { return true }
    return readsDates && value.kind == .string && value.length == Timestamp.textLength
      && Timestamp.parseCanonical(tape.bytes(value)) != nil
  }

  /// Takes the fields of an object of the line that no rule reads, those of `members` besides
  /// `known`, as the rules say: as losses, or, inside an object in the making whose members begin
  /// at `base`, as attributes behind these, which win over fields of the same key. `holder` is the
  /// tape index of the object's key, none where it is the line.
  func takeOthers(
    of members: RootFields, besides known: UInt64, in holder: Node = .none, from base: Int? = nil,
    by reader: DialectReader
  ) {
    guard members.mayHaveOthers(than: known) else { return }
    var path = FieldPath(root: "")
    if holder.exists { path.push(key: holder.index) }
    guard reader.unknownFields == .keep, let base else {
      reader.noteUnknown(in: members, besides: known, at: path, of: batch)
      return
    }
    beginOthers(from: base, by: reader)
    members.forEachOther(than: known, of: tape) { key in
      keepOther(key, at: path, in: holder, by: reader)
    }
  }

  /// Begins to keep fields that no rule reads, behind the members from `base` on.
  func beginOthers(from base: Int, by reader: DialectReader) {
    reader.attributeNames.begin()
    for index in base..<scratch.members.count where !scratch.members[index].isAbsent {
      reader.attributeNames.add(tape.bytes(scratch.members[index].key))
    }
  }

  /// Keeps the field with the key at `key`, of the object at `path`, as an attribute, unless
  /// another one has the key: then it is a loss.
  func keepOther(_ key: Node, at path: FieldPath, in holder: Node, by reader: DialectReader) {
    let name = names.key(tape[key], in: tape)
    if name.kind == .key, reader.attributeNames.has(tape.bytes(name)) {
      reader.noteUnknown(key: key.index, in: path, of: batch)
      return
    }
    let count = scratch.members.count
    addMember(key.index, names: 1, at: path)
    if scratch.members.count > count { scratch.members[count].holder = holder }
  }

  /// Where the member stands, one of an object at `path`.
  func path(of member: ForeignMember, in path: FieldPath) -> FieldPath {
    var path = path
    if let holder = member.holder {
      path = FieldPath(root: "")
      if holder.exists { path.push(key: holder.index) }
    }
    if member.source.exists { path.push(key: member.source.index) }
    return path
  }

  /// The member that was added last stays where there are too many, before all others.
  func keepFirst() { scratch.members[scratch.members.count - 1].staysFirst = true }

  /// Appends a member of the dialect's own, unless nothing is kept of its value at `node`, which
  /// stands at `path`; what is lost by that is noted.
  func appendMember(_ name: TapeEntry, _ node: Int, names: Int, at path: inout FieldPath) {
    let key = tape.append(name)
    append(node, names: names, at: &path)
    if tape.count == key + 1 || isEmptyContainer(key + 1) {
      tape.truncate(to: key)
    } else {
      tape[key].next = UInt32(truncatingIfNeeded: tape.count)
    }
  }
}
