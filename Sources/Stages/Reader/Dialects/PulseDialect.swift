import Pipeline

/// Dialect `pulse`: events that the Pulse SDKs collect by themselves (DIALECTS 2.3).
///
/// ```json
/// {"event_type":"page_view","event_id":"6e1f…","timestamp":1714641300000,"is_background":false,
///  "sub_sids":{"app":"s-1"},"data":{"metadata":{"url":"…"},"element":{"type":"page"}}}
/// ```
enum PulseDialect: RecordDialect {
  static let name: StaticString = "pulse"
  static let marks: [StaticString] = ["event_type"]
  static let hasTrailingCommas = true

  private static let known = ForeignEnvelope.known | RootMember.eventID.bit

  static func evidence(in line: LineMembers) -> Evidence? {
    guard line.node("event_type") != nil else { return nil }
    if line.has(.eventID) { return Evidence("event_type", "event_id") }
    for member in ["timestamp", "data", "sub_sids", "is_background"] as [StaticString]
    where line.node(ByteView(member)) != nil {
      return Evidence("event_type", member)
    }
    return nil
  }

  static func read(
    _ record: inout RecordEntry, by reader: inout DialectReader, into batch: RecordBatch
  ) {
    var envelope = ForeignEnvelope(reader.root)
    var (type, time) = (Int32(-1), Int32(-1))
    var own = PulseAttributes.Own()
    reader.root.take(of: batch.tape) { name, node in
      switch name {
      case "event_type": type = node
      case "timestamp": time = node
      case "is_background": own.background = node
      case "sub_sids": own.subSIDs = node
      case "data": own.data = node
      default: return envelope.take(name, node)
      }
      return true
    }
    reader.root.countOthers(than: known, of: batch.tape, in: &batch.unknownFields)
    record.hasEventList = false
    let id = reader.root[.eventID]
    let draft = ForeignDraft(by: reader, into: batch)
    draft.appendEvent { event in
      envelope.identify(&record, draft)
      draft.name(type, of: &event)
      event.idNode = draft.eventID(id, at: "event_id")
      event.timeNode = draft.time(time, at: "timestamp")
      let attributes = PulseAttributes(own, keys: reader.foreign.identityKeys, draft: draft)
      event.attributes = attributes.append(of: event, for: &record)
    }
  }
}
