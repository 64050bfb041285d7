import Pipeline

/// Dialect `pulse`: events that the Pulse SDKs collect automatically (dialects 7).
///
/// ```json
/// {"event_type":"page_view","event_id":"6e1f…","timestamp":1714641300000,"is_background":false,
///  "sub_sids":{"app":"s-1"},"data":{"metadata":{"url":"…"},"element":{"type":"page"}}}
/// ```
enum PulseDialect: RecordDialect {
  /// The fields besides `event_type` that identify a line.
  private static let marks = RootField.set(.data, .subSIDs, .isBackground)
  static let known =
    ForeignDraft.envelope | RootField.set(.eventType, .isBackground, .subSIDs, .data)

  static func evidence(in line: LineFields) -> Evidence? {
    guard line.has(.eventType) else { return nil }
    if line.root.hasAny(marks) {
      return Evidence(
        line.has(.data)
          ? "event_type data"
          : line.has(.subSIDs) ? "event_type sub_sids" : "event_type is_background")
    }
    let bare = ForeignDraft.envelope | RootField.eventType.bit
    guard line.isFixed(to: Self.self) || line.root.hasOnly(bare, of: line.tape) else { return nil }
    return Evidence("event_type")
  }

  static func read(
    _ record: inout RecordEntry, by reader: DialectReader, into batch: RecordBatch
  ) {
    let root = reader.root
    record.hasEventList = false
    let draft = reader.draft(into: batch)
    draft.appendEvent { event in
      draft.identify(&record, by: root)
      draft.name(root[.eventType], of: &event)
      event.idNode = draft.eventID(root[.eventID], at: FieldPath(root: "event_id"))
      event.timeNode = draft.time(root[.timestamp], at: FieldPath(root: "timestamp"))
      event.attributes = PulseAttributes(root, draft: draft).append(
        of: event, for: &record, by: reader)
    }
  }
}
