import Pipeline

/// Dialect `realm`: audit events of the Realm Event Library (dialects 6).
///
/// ```json
/// {"_id":"66335b9c0f1e2d3c4b5a6978","timestamp":"2024-05-02T09:15:00.000Z",
///  "activity":"Open chart","event":"read",
///  "data":"{\"type\":\"Patient\",\"value\":[{\"_id\":1}]}","userId":"nurse-1","ward":"3 b"}
/// ```
/// The members are in ``RealmLine``, what stands in `data` in ``RealmPayload``.
enum RealmDialect: RecordDialect {
  static func evidence(in line: LineFields) -> Evidence? {
    if line.has("activity") { return Evidence("activity") }
    guard line.has("_id"), line.has("timestamp") else { return nil }
    if line.has("event") { return Evidence("_id", "timestamp", "event") }
    return line.has("data") ? Evidence("_id", "timestamp", "data") : nil
  }

  static func read(
    _ record: inout RecordEntry, by reader: DialectReader, into batch: RecordBatch
  ) {
    let draft = reader.draft(of: record, into: batch)
    let line = reader.realm.line
    line.read(
      batch.lines[Int(record.line)].object.index, of: batch.tape, draft.scratch.search,
      reader.cache(of: record))
    record.hasEventList = false
    draft.appendEvent { event in
      event.idNode = draft.eventID(line.id, at: "_id")
      event.timeNode = draft.time(line.timestamp, at: "timestamp")
      draft.name(line.name(of: batch.tape), of: &event)
      line.identify(&record, reader.root, draft)
      let payload = RealmPayload(
        event: line.event, objects: reader.foreign.realmObjects, draft: draft, scratch: reader.realm
      )
      let data = !line.data.exists ? nil : payload.draft(line.data.index)
      event.attributes = draft.appendObject(at: FieldPath(root: "")) {
        line.addMetadata(of: record, to: draft)
        if let data {
          draft.addMember(
            line.data.index - 1, drafted: data.node, isPrevalidated: data.isPrevalidated)
          draft.keepFirst()
        }
      }
    }
  }
}
