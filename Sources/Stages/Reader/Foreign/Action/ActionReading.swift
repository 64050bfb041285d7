import Pipeline

/// The actions of one line (dialects 3): events, and tags in a list that becomes operations.
struct ActionReading: ~Copyable {
  private static let pairDetail: StaticString =
    "an action is an array of a name and an object of arguments"

  /// Tape index of the line's id, if it has one.
  let id: Node
  let batch: RecordBatch
  let tape: Tape
  let reader: DialectReader
  /// Index in the batch of the line's first event.
  private let firstEvent: Int
  /// Number of the batch's unread fields before the line.
  private let firstUnread: Int
  /// The reason that rejects the line as a whole: a number in the batch's findings, if any.
  private(set) var fault: Node = .none
  private(set) var hasIgnored = false

  init(id: Node, unreadFrom firstUnread: Int, batch: RecordBatch, reader: DialectReader) {
    (self.id, self.firstUnread, self.batch, self.reader) = (id, firstUnread, batch, reader)
    (tape, firstEvent) = (batch.tape, batch.events.count)
    reader.actionTags.begin()
  }

  /// Reads `[name, arguments]` at `path`.
  mutating func readPair(_ array: Int, at path: FieldPath) {
    if let (name, arguments) = pair(array) {
      read(name, arguments: arguments, at: path.item(1))
    } else {
      refuse(path, Self.pairDetail)
    }
  }

  /// Reads the action called `name`, whose arguments, if any, are at `path`.
  mutating func read(_ name: Int, arguments: Node, at path: FieldPath) {
    // Unread root fields belong to the event, if the line is one event.
    let isEvent = tape.bytes(at: name) == "batch.user.event"
    if !isEvent {
      reader.noteAliases(isEvent: true, of: batch)
      reader.noteUnknown(in: reader.root, besides: ActionDialect.known, of: batch)
    }
    if tape.bytes(at: name) == "batch.group" {
      readGroup(arguments, at: path)
    } else {
      noteUnknown(name, arguments, at: path)
      readSingle(name, arguments: arguments, at: path, isLine: isEvent)
    }
  }

  /// The name and the arguments, if any, of a pair; nil for anything else.
  private func pair(_ array: Int) -> (name: Int, arguments: Node)? {
    let end = Int(tape[array].next)
    let name = array + 1
    guard tape[array].kind == .array, name < end, tape[name].kind == .string else { return nil }
    let arguments = name + 1
    if arguments == end { return (name, .none) }
    return Int(tape[arguments].next) == end ? (name, Node(arguments)) : nil
  }

  /// Reads an action that is not a group.
  private mutating func readSingle(
    _ name: Int, arguments: Node, at path: FieldPath, isLine: Bool = false
  ) {
    // Null arguments count as none.
    let arguments = arguments.exists && tape[arguments].kind == .null ? .none : arguments
    switch tape.bytes(at: name) {
    case "batch.user.event": readEvent(arguments, at: path, isLine: isLine)
    case "batch.user.tag": reader.actionTags.read(arguments, at: path, by: reader, in: batch)
    default:
      let batch = batch
      batch.notes.note(.ignoredAction, name: name, of: batch.records.count)
      hasIgnored = true
    }
  }

  private static let tagFields = RootField.set(.collection, .actionTags, .actionAttributes)
  private static let eventFields = RootField.set(
    .actionName, .actionLabel, .actionTags, .actionAttributes)

  /// Notes the unknown arguments of a tag: they belong to no single event.
  private func noteUnknown(_ name: Int, _ arguments: Node, at path: FieldPath) {
    guard tape.bytes(at: name) == "batch.user.tag" else { return }
    noteUnknown(in: arguments, besides: Self.tagFields, at: path)
  }

  /// Notes the fields of the object at `node`, if it is one, other than `known`.
  private func noteUnknown(in node: Node, besides known: FieldSet, at path: FieldPath) {
    guard node.exists, tape[node].kind == .object else { return }
    reader.inner.read(node.index, of: batch)
    reader.noteUnknown(in: reader.inner, besides: known, at: path, of: batch)
  }

  /// Rejects the line; the first fault counts.
  private mutating func refuse(
    _ path: FieldPath, _ detail: StaticString, limit: Int? = nil, actual: Int? = nil
  ) {
    guard !fault.exists else { return }
    // A copy, because the thread sanitizer's build rejects a value that is changed through `self`
    // here.
    let batch = batch
    fault = Node(batch.findings.count)
    batch.findings.add(.badAction, at: path, of: tape, limit: limit, actual: actual, detail: detail)
  }

  // MARK: - Groups

  /// Reads the actions of a group. One that cannot be read is rejected alone, as an event; a group
  /// that breaks the rules for groups rejects the line.
  private mutating func readGroup(_ arguments: Node, at path: FieldPath) {
    guard arguments.exists, let actions = tape.present("actions", of: arguments.index),
      tape[actions].kind == .array
    else { return refuse(path, #"a group has "actions", an array of actions"#) }
    noteUnknown(in: arguments, besides: RootField.actions.bit, at: path)
    let path = path.field(actions - 1)
    let count = tape.itemCount(of: actions)
    guard count <= ActionDialect.mostInGroup else {
      return refuse(
        path, "a group has up to 10 actions", limit: ActionDialect.mostInGroup, actual: count)
    }
    tape.forEachItem(of: actions) { item, position in
      guard let (name, arguments) = pair(item) else { return }
      noteUnknown(name, arguments, at: path.item(position).item(1))
    }
    var item = actions + 1
    for position in 0..<count {
      let path = path.item(position)
      if let (name, arguments) = pair(item) {
        if tape.bytes(at: name) == "batch.group" {
          refuse(path, "a group cannot contain a group")
        } else {
          readSingle(name, arguments: arguments, at: path.item(1))
        }
      } else {
        addUnreadable(at: path, Self.pairDetail)
      }
      item = Int(tape[item].next)
    }
  }

  // MARK: - Events

  /// Adds a rejected event for an action that cannot be read.
  private func addUnreadable(at path: FieldPath, _ detail: StaticString) {
    batch.addUnreadableEvent { batch.findings.add(.badAction, at: path, of: tape, detail: detail) }
  }

  /// Reads an event; with `isLine` the root of the line is a part of it.
  private func readEvent(_ arguments: Node, at path: FieldPath, isLine: Bool) {
    guard !arguments.exists || tape[arguments].kind == .object else {
      return addUnreadable(at: path, "the arguments of an event are an object")
    }
    var event = EventEntry(record: UInt32(batch.records.count))
    event.idNode = eventID()
    let first = batch.findings.count
    let firstUnread = isLine ? firstUnread : batch.unread.count
    if arguments.exists {
      reader.inner.read(arguments.index, of: batch)
      readParts(of: &event, at: path)
      reader.takeOthers(
        of: reader.inner, besides: Self.eventFields, at: path, into: &event, in: batch)
    }
    if isLine {
      reader.noteAliases(isEvent: true, of: batch)
      reader.takeOthers(of: reader.root, besides: ActionDialect.known, into: &event, in: batch)
    }
    batch.noteOmissions(from: first, unreadFrom: firstUnread, of: &event)
    batch.events.append(event)
  }

  /// Reads the parts of an event, whose arguments are in the reader's `inner`.
  private func readParts(of event: inout EventEntry, at path: FieldPath) {
    let arguments = reader.inner
    let name = arguments[.actionName]
    if name.exists, tape[name].kind != .string || tape[name].length > 0 { event.nameNode = name }
    reader.draft(
      label: label(of: arguments), tags: arguments[.actionTags],
      attributes: arguments[.actionAttributes], of: &event, in: tape,
      appendTags: { appendTags($0, at: path) }
    ) { appendAttributes($0, at: path) }
  }

  /// The id of the next event: that of the line for the first, `ID.n` for the one at index n,
  /// because two with one id and name would be duplicates. The XXH64 replaces an id that would
  /// become too long.
  private func eventID() -> Node {
    let position = batch.events.count - firstEvent + 1
    guard id.exists, position > 1 else { return id }
    let entry = tape[id]
    // If it is invalid, so is that of every event.
    guard entry.kind == .integer || entry.kind == .string && entry.length > 0, !isTooLong(entry)
    else { return id }
    func text(_ write: (inout ByteBuffer) -> Void) -> TapeEntry {
      tape.text { text in
        write(&text)
        text.append(UInt8(ascii: "."))
        text.append(decimal: position)
      }
    }
    var new = text { $0.append(tape.bytes(entry)) }
    if isTooLong(new) { new = text { $0.append(hex: XXH64.hash(tape.bytes(entry))) } }
    return Node(tape.appendScalar(new))
  }

  private func isTooLong(_ id: TapeEntry) -> Bool {
    Characters.count(tape.bytes(id), moreThan: Limits.eventID) != nil
  }

  /// The label; none when it is absent or blank.
  private func label(of arguments: RootFields) -> Node {
    let label = arguments[.actionLabel]
    let isBlank =
      label.exists && tape[label].kind == .string && Characters.isBlank(tape.bytes(at: label))
    return isBlank ? .none : label
  }

  /// Appends the tags that are non-empty texts; other values are losses, empty texts are ignored. A
  /// value that is not a list is copied.
  private func appendTags(_ tags: Int, at path: FieldPath) {
    guard tape[tags].kind == .array else {
      tape.appendCopy(of: tags)
      return
    }
    tape.appendContainer(.array) {
      tape.forEachItem(of: tags) { item, position in
        let entry = tape[item]
        if entry.kind != .string {
          let path = path.field(tags - 1).item(position)
          batch.findings.add(.actionTagSkipped, at: path, of: tape)
        } else if entry.length > 0 {
          tape.appendScalar(entry)
        }
      }
    }
  }
}
