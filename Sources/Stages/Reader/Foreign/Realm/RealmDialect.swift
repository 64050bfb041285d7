import Pipeline

/// Dialect `realm`: audit events of the Realm Event Library (dialects 6).
///
/// ```json
/// {"_id":"66335b9c0f1e2d3c4b5a6978","timestamp":"2024-05-02T09:15:00.000Z",
///  "activity":"Open chart","event":"read",
///  "data":"{\"type\":\"Patient\",\"value\":[{\"_id\":1}]}","userId":"nurse-1","ward":"3 b"}
/// ```
enum RealmDialect: RecordDialect {
  static func read(_ record: inout RecordEntry, by reader: DialectReader, into batch: RecordBatch) {
    let draft = reader.draft(into: batch)
    let line = reader.realm
    let root = reader.root
    line.read(batch.lines[Int(record.line)].object.index, root, of: batch, draft.scratch)
    draft.appendEvent { event in
      reader.noteOverwritten(in: root, of: batch)
      event.idNode = draft.eventID(root[.objectID], at: FieldPath(root: "_id"))
      event.timeNode = draft.time(root[.timestamp], at: FieldPath(root: "timestamp"))
      draft.name(line.name, of: &event)
      draft.identify(&record, by: root)
      draft.scratch.search.identify(&record, draft, at: FieldPath(root: ""))
      let payload = RealmPayload(
        event: root[.event], objects: reader.foreign.realmObjects, draft: draft, line: line)
      let data = root.has(.data) ? payload.draft(root[.data].index) : nil
      event.attributes = draft.appendObject(at: FieldPath(root: "")) {
        line.addMetadata(root, to: draft)
        if let data {
          draft.addMember(root[.data].index - 1) { draft.tape.appendCopy(of: data) }
          draft.keepFirst()
        }
      }
    }
  }
}

/// The metadata of a line of dialect `realm`, all fields other than those of the library (dialects
/// 6), and scratch memory for its payload. One thread at a time.
final class RealmLine {
  /// The fields of the library and of the envelope: about the event, its owner or the database.
  private static let known =
    RootField.identity
    | RootField.set(.objectID, .timestamp, .activity, .event, .data, .partition, .realmID)

  /// The event's name: `event`, or `activity` where that is empty. None without either.
  private(set) var name: Node = .none
  /// Tape indices of the keys of the metadata.
  private var metadata = PlainList<Node>()
  var write = RealmWrite()
  var changed = ChangedProperties()
  /// Names of classes and of properties, each for one array.
  var types = PlainList<TapeEntry>()
  var names = PlainList<TapeEntry>()

  /// Reads the line's object; the search of `scratch` notes possible ids of the owner.
  func read(_ object: Int, _ root: RootFields, of batch: RecordBatch, _ scratch: ForeignScratch) {
    let tape = batch.tape
    let (event, search) = (root[.event], scratch.search)
    let isEmpty = !event.exists || tape[event].kind == .string && tape[event].length == 0
    name = isEmpty ? root[.activity] : event
    metadata.recycle()
    search.begin()
    tape.forEachMember(of: object) { key in
      let entry = tape[key]
      let bit = batch.field(of: entry)?.bit ?? 0
      guard bit & Self.known == 0 else { return }
      let identity = scratch.names.identity(entry, in: tape)
      // An id may be an integer, by its digits; other numbers are not ids.
      if identity > 0, tape[key + 1].kind == .integer { relabel(key + 1, in: tape) }
      search.note(key, info: identity, of: tape)
      metadata.append(Node(key))
    }
  }

  /// Adds the activity, and all metadata that is not an id of the record, to the open object.
  func addMetadata(_ root: RootFields, to draft: ForeignDraft) {
    if root.has(.activity) { addMember(root[.activity].index - 1, to: draft, staysFirst: true) }
    for position in metadata.indices {
      let key = metadata[position].index
      if !draft.scratch.search.hasTaken(key, of: draft.tape) { addMember(key, to: draft) }
    }
  }

  /// Metadata is text: a number or boolean becomes its source text.
  private func addMember(_ key: Int, to draft: ForeignDraft, staysFirst: Bool = false) {
    let path = FieldPath(root: "")
    switch draft.tape[key + 1].kind {
    case .object, .array:
      let firstLoss = draft.batch.findings.count
      draft.lose(.badMetadata, at: path.field(key))
      return draft.omitMember(
        key, as: draft.names.key(draft.tape[key], in: draft.tape), lossesFrom: firstLoss)
    case .integer, .double, .true, .false:
      // The name of the event must be text; the validator rejects it.
      if Node(key + 1) != name { relabel(key + 1, in: draft.tape) }
    default: break
    }
    draft.addMember(key, names: 1, at: path)
    if staysFirst { draft.keepFirst() }
  }

  private func relabel(_ node: Int, in tape: Tape) {
    tape[node].kind = .string
    tape[node].flags &= TapeEntry.decoded
  }
}
