import Pipeline

/// Dialect `realm`: audit events of the Realm Event Library (dialects 6).
///
/// ```json
/// {"_id":"66335b9c0f1e2d3c4b5a6978","timestamp":"2024-05-02T09:15:00.000Z",
///  "activity":"Open chart","event":"read",
///  "data":"{\"type\":\"Patient\",\"value\":[{\"_id\":1}]}","userId":"nurse-1","ward":"3 b"}
/// ```
/// ``RealmLine`` reads the fields, ``RealmPayload`` the content of `data`.
enum RealmDialect: RecordDialect {
  static func evidence(in line: LineFields) -> Evidence? {
    if line.has(.activity) { return Evidence("activity") }
    guard line.has(.objectID), line.has(.timestamp) else { return nil }
    if line.has(.event) { return Evidence("_id timestamp event") }
    return line.has(.data) ? Evidence("_id timestamp data") : nil
  }

  static func read(
    _ record: inout RecordEntry, by reader: DialectReader, into batch: RecordBatch
  ) {
    let draft = reader.draft(into: batch)
    let line = reader.realm
    let root = reader.root
    line.read(batch.lines[Int(record.line)].object.index, root, of: batch, draft.scratch)
    record.hasEventList = false
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
        line.addMetadata(of: record, root, to: draft)
        if let data {
          draft.addMember(root[.data].index - 1) { draft.tape.appendCopy(of: data) }
          draft.keepFirst()
        }
      }
    }
  }
}
