import Pipeline

/// Drafts the event of one line of a foreign dialect as v2 has it (dialects 4): the name, and an
/// object of attributes in which nothing breaks a limit. What is cut or left out is noted as a
/// loss, at the path in the line.
///
/// ```swift
/// draft.appendEvent { event in
///   draft.name(node, of: &event)
///   event.attributes = draft.appendObject { draft.addMembers(of: arguments, names: 1, at: path) }
/// }
/// ```
/// `names` is everywhere how many attribute names stand on the path of a value, its own included:
/// an object or array may stand below up to ``Limits/nesting`` of them. One for each batch of a
/// ``DialectReader``, a class so that those who draft with it can keep it without cost; one thread
/// at a time.
final class ForeignDraft {
  let batch: RecordBatch
  let tape: Tape
  let scratch: ForeignScratch
  /// Whether values that drafting leaves unchanged may be copied as text.
  var copiesText = false
  /// Whether text of the form `YYYY-MM-DDTHH:mm:ss.SSSZ` is a date where it is the value of a
  /// member.
  var readsDates = false

  /// Drafts into `batch`, in the memory of `scratch`.
  init(into batch: RecordBatch, _ scratch: ForeignScratch) {
    self.batch = batch
    tape = batch.tape
    self.scratch = scratch
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
      let name = scratch.names.event(entry, in: tape)
    else { return }
    event.nameNode = Node(tape.appendScalar(name))
    event.sourceName = node
  }

  // MARK: - Objects

  /// Appends an object with the members that `add` adds, and returns its tape index; `path` is
  /// where its members come from. Objects may be begun inside others, of which values are drafted
  /// first.
  @inline(__always) @discardableResult
  func appendObject(at path: FieldPath, names: Int = 1, _ add: () -> Void) -> Node {
    let base = scratch.members.count
    add()
    return appendAdded(from: base, names: names, at: path)
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
  func addMember(_ key: Int, names: Int, at path: FieldPath) {
    let value = tape[key + 1]
    let isCanonicalAsIs = canCopyVerbatim(value) || isCanonicalAsIs(key + 1, names: names)
    let hasContent = isCanonicalAsIs || hasContent(key + 1, names: names)
    if !hasContent { noteLostContent(key, names: names, at: path) }
    let name = scratch.names.key(tape[key], in: tape)
    guard name.kind == .key else {
      if hasContent { lose(.badKey, at: path, member: key) }
      return
    }
    scratch.members.append(
      ForeignMember(
        key: name, value: Node(key + 1),
        source: Node(key), form: isDate(value) ? .date : .plain,
        isDrafted: isCanonicalAsIs, isAbsent: !hasContent))
  }

  /// Whether a value is a point in time, or text that the draft takes for one.
  @inline(__always)
  func isDate(_ value: TapeEntry) -> Bool {
    if value.kind == .date { return true }
    return readsDates && value.kind == .string && value.length == Timestamp.textLength
      && Timestamp.parseCanonical(tape.bytes(value)) != nil
  }

  /// Adds a member with the value at `node`, which is kept as it is: drafted by the dialect, or
  /// known to be valid. Its key is that of the member at `key`, typed as `form` says.
  func addMember(_ key: Int, as form: KeyForm = .plain, drafted node: Int) {
    let name = scratch.names.key(tape[key], in: tape)
    guard name.kind == .key else { return }
    scratch.members.append(
      ForeignMember(
        key: name, value: Node(node), source: Node(key), form: form, isDrafted: true))
  }

  /// Adds a member with the key `word`, and with the value at `node`, which is kept as it is.
  func addMember(_ word: DraftedWord, drafted node: Int) {
    scratch.members.append(
      ForeignMember(key: key(word), value: Node(node), source: .none, isDrafted: true))
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
    reader.attributeNames.begin()
    for index in base..<scratch.members.count where !scratch.members[index].isAbsent {
      reader.attributeNames.add(tape.bytes(scratch.members[index].key))
    }
    members.forEachOther(than: known, of: tape) { key in
      let name = scratch.names.key(tape[key], in: tape)
      if name.kind == .key, reader.attributeNames.has(tape.bytes(name)) {
        reader.noteUnknown(key: key.index, in: path, of: batch)
        return
      }
      let count = scratch.members.count
      addMember(key.index, names: 1, at: path)
      if scratch.members.count > count { scratch.members[count].holder = holder }
    }
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
    if !appendPlain(node, names: names) {
      if hasContent(node, names: names) {
        appendValue(node, names: names, at: &path)
      } else {
        noteLostContent(value: node, names: names, at: path)
      }
    }
    if tape.count == key + 1 || isEmptyContainer(key + 1) {
      tape.truncate(to: key)
    } else {
      tape[key].next = UInt32(truncatingIfNeeded: tape.count)
    }
  }

  /// Appends an object with the members from `base` on, which are forgotten, and returns its tape
  /// index. What is drafted breaks no rule, so the validator need not look at it again.
  private func appendAdded(from base: Int, names: Int, at path: FieldPath) -> Node {
    resolveKeys(from: base, at: path)
    let object = tape.append(TapeEntry(start: 0, length: 0, next: 0, kind: .object))
    for index in base..<scratch.members.count where !scratch.members[index].isAbsent {
      let member = scratch.members[index]
      var name = scratch.names.typed(member.key, as: member.form, in: tape)
      name.flags |= TapeEntry.prevalidated
      let value = member.value.index
      let entry = tape[value]
      if member.isDrafted, Int(entry.next) == value + 1 {
        tape.appendMember(name, scalar: entry)
        continue
      }
      if member.isDrafted, copiesText, let text = tape.verbatimText(value) {
        tape.appendMember(name, scalar: text)
        continue
      }
      let key = tape.append(name)
      if member.isDrafted {
        tape.appendCopy(of: value)
      } else if !appendPlain(value, names: names) {
        var path = self.path(of: member, in: path)
        appendValue(value, names: names, at: &path)
        // Only seen now: what said something was overwritten by what says nothing.
        if isEmptyContainer(key + 1) {
          tape.truncate(to: key)
          continue
        }
      }
      tape[key].next = UInt32(truncatingIfNeeded: tape.count)
    }
    scratch.members.truncate(to: base)
    tape[object].next = UInt32(truncatingIfNeeded: tape.count)
    return Node(object)
  }

  private func lose(_ code: ReasonCode, at path: FieldPath, member key: Int) {
    var path = path
    path.push(key: key)
    lose(code, at: path)
  }

  /// Notes what is lost by a member that is left out although it says something.
  func noteLostContent(_ key: Int, names: Int, at path: FieldPath) {
    var path = path
    path.push(key: key)
    noteLostContent(value: key + 1, names: names, at: path)
  }

  /// The same for the value at `node`, which stands at `path`. Complexity: O(entries of the value).
  func noteLostContent(value node: Int, names: Int, at path: FieldPath) {
    let value = tape[node]
    switch value.kind {
    case .string where !Characters.isBlank(tape.bytes(value)): lose(.stringTruncated, at: path)
    case .integer, .double: lose(.numberOutOfRange, at: path)
    case .object where names <= Limits.nesting:
      tape.forEachMember(of: node) { inner in
        if hasContent(inner + 1, names: names + 1) {
          // What it says has no key.
          lose(.badKey, at: path, member: inner)
        } else {
          noteLostContent(inner, names: names + 1, at: path)
        }
      }
    case .array where names <= Limits.nesting:
      noteLostContent(itemsOf: node, names: names, at: path)
    default: break
    }
  }

  /// The same for the items of an array; those of arrays inside it share its path.
  private func noteLostContent(itemsOf array: Int, names: Int, at path: FieldPath) {
    var item = array + 1
    var position = 0
    while item < Int(tape[array].next) {
      switch tape[item].kind {
      case .null: break
      case .array: noteLostContent(itemsOf: item, names: names, at: path)
      default:
        var path = path
        path.push(index: position)
        noteLostContent(value: item, names: names, at: path)
      }
      position += 1
      item = Int(tape[item].next)
    }
  }
}
