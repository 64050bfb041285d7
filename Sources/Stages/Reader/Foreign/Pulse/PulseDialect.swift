import Pipeline

/// Dialect `pulse`: events that the Pulse SDKs collect by themselves (dialects 7).
///
/// ```json
/// {"event_type":"page_view","event_id":"6e1f…","timestamp":1714641300000,"is_background":false,
///  "sub_sids":{"app":"s-1"},"data":{"metadata":{"url":"…"},"element":{"type":"page"}}}
/// ```
enum PulseDialect: RecordDialect {
  /// What a line may have, beside the envelope, that has no member by which it is told.
  private static let bareNames = ForeignEnvelope.names + ["event_type"] as [StaticString]

  static func evidence(in line: LineFields) -> Evidence? {
    guard line.has("event_type") else { return nil }
    for member in ["data", "sub_sids", "is_background"] as [StaticString]
    where line.has(ByteView(member)) {
      return Evidence("event_type", member)
    }
    guard
      line.isFixed(to: Self.self)
        || line.root.hasOnly(ForeignEnvelope.known, bareNames, of: line.tape)
    else { return nil }
    return Evidence("event_type")
  }

  static func read(
    _ record: inout RecordEntry, by reader: DialectReader, into batch: RecordBatch
  ) {
    let names = PulseNames(reader.cache(of: record), reader.foreign.identityKeys)
    let own = names.take(from: reader.root, of: batch.tape)
    let envelope = ForeignEnvelope(reader.root, userID: own[.userID], deviceID: own[.deviceID])
    record.hasEventList = false
    let id = reader.root[.eventID]
    let draft = reader.draft(of: record, into: batch)
    draft.appendEvent { event in
      envelope.identify(&record, draft)
      draft.name(own[.eventType], of: &event)
      event.idNode = draft.eventID(id, at: "event_id")
      event.timeNode = draft.time(own[.timestamp], at: "timestamp")
      let attributes = PulseAttributes(own, names: names, draft: draft)
      event.attributes = attributes.append(of: event, for: &record, by: reader)
    }
  }
}
