import Pipeline

/// Dialect `bolts`: measurement events of the Bolts framework and its successors (dialects 5), as
/// listeners to its notifications write them.
///
/// ```json
/// {"name":"com.parse.bolts.measurement_event",
///  "userInfo":{"event_name":"al_nav_in","event_args":{"sourceApplication":"com.a.b"}},
///  "timestamp":1714641300000}
/// ```
/// Three forms: a notification with `userInfo`, the event by itself, an Android broadcast with
/// `extras`.
enum BoltsDialect: RecordDialect {
  private static let holders: [RootField] = [.userInfo, .userInfoSnake, .extras]
  private static let titles: [RootField] = [.name, .notification, .action]
  private static let links = RootField.set(
    .inputURL, .targetURL, .refererURL, .outputURL, .sourceURL)
  /// The fields of an object with an event.
  private static let event = RootField.set(.eventName, .eventArguments)
  private static let known =
    RootField.envelope | event | RootField.set(holders + titles) | RootField.sender.bit

  static func read(_ record: inout RecordEntry, by reader: DialectReader, into batch: RecordBatch) {
    let root = reader.root
    let line = Line(reader, of: batch)
    if let title = line.otherTitle { batch.reject(&record, .notMeasurementEvent, at: title.text) }
    let draft = reader.draft(into: batch)
    draft.appendEvent { event in
      draft.identify(&record, by: root)
      draft.name(line.eventName, of: &event)
      let time = root.has(.timestamp) ? RootField.timestamp : root.has(.time) ? .time : .date
      event.idNode = draft.eventID(root[.eventID], at: FieldPath(root: "event_id"))
      if !event.idNode.exists { event.idNode = draft.eventID(root[.id], at: FieldPath(root: "id")) }
      event.timeNode = draft.time(root[time], at: FieldPath(root: time.text))
      event.timing = .optional
      event.attributes = attributes(line, draft, reader)
    }
  }

  /// Whether the value at `node` is one of the names under which measurement events are sent.
  static func isNotification(_ node: Node, _ tape: Tape) -> Bool {
    guard node.exists, tape[node].kind == .string else { return false }
    let name = tape.bytes(at: node)
    return name == "com.parse.bolts.measurement_event"
      || name == "org.openaquamarine.measurement_event"
      || name == "com.facebook.facebook-objc-sdk.measurement_event"
  }

  /// The arguments as attributes; anything but an object is left for the validator to reject.
  private static func attributes(
    _ line: Line, _ draft: ForeignDraft, _ reader: DialectReader
  ) -> Node {
    let (tape, arguments, links) = (draft.tape, line.arguments, links)
    let isObject = arguments.exists && tape[arguments].kind == .object
    let hasOthers =
      line.holder != nil && reader.inner.mayHaveOthers(than: event)
      || reader.root.mayHaveOthers(than: known)
    guard isObject || !arguments.exists && hasOthers && reader.unknownFields == .keep else {
      takeOthers(line, draft, reader)
      return arguments
    }
    var path = FieldPath(root: line.holder?.text ?? "")
    if isObject { path.push(key: arguments.index - 1) }
    let base = draft.scratch.members.count
    return draft.appendObject(at: path) {
      if isObject {
        draft.batch.noteOverwritten(of: arguments.index, at: path, with: reader.fold)
        tape.forEachMember(of: arguments.index) { key in
          // Only URLs that are valid in attributes.
          if let field = draft.batch.field(of: tape[key]), links & field.bit != 0,
            let text = tape.string(at: key + 1), TextRule.url.fault(text) == nil
          {
            draft.addMember(key, as: .url) { tape.appendCopy(of: key + 1) }
          } else {
            draft.addMember(key, names: 1, at: path)
          }
        }
      }
      takeOthers(line, draft, reader, from: base)
    }
  }

  /// Reads the fields at the root, or beside the event inside another object, that have no rule.
  /// Nothing has read another object into `inner` since ``Line``.
  private static func takeOthers(
    _ line: Line, _ draft: ForeignDraft, _ reader: DialectReader, from base: Int? = nil
  ) {
    draft.takeOthers(of: reader.root, besides: known, from: base, by: reader)
    guard let holder = line.holder else { return }
    draft.takeOthers(
      of: reader.inner, besides: event, in: reader.root[holder].previous, from: base, by: reader)
  }

  /// The position of the event in a line: tape indices.
  private struct Line {
    /// The field of the event's object, whose fields are in the reader's `inner`; nil when that is
    /// the line itself.
    var holder: RootField?
    var eventName: Node
    var arguments: Node
    /// The name of the notification around the event, if it is not a measurement notification.
    var otherTitle: RootField?

    /// The event in the first object that may hold one and has an `event_name`; without one, that
    /// of the line itself; without that, the content of the first such object.
    init(_ reader: DialectReader, of batch: RecordBatch) {
      let (root, inner, tape) = (reader.root, reader.inner, batch.tape)
      (eventName, arguments) = (root[.eventName], root[.eventArguments])
      let hasName = eventName.exists
      for field in holders where root.has(field) && tape[root[field]].kind == .object {
        inner.read(root[field].index, of: batch)
        guard inner.has(.eventName) || holder == nil && !hasName else { continue }
        holder = field
        (eventName, arguments) = (inner[.eventName], inner[.eventArguments])
        if eventName.exists { break }
      }
      guard let holder else { return }
      // Others may have been read after it.
      if !eventName.exists { inner.read(root[holder].index, of: batch) }
      if titles.contains(where: { isNotification(root[$0], tape) }) { return }
      otherTitle = titles.first { root.has($0) }
    }
  }
}
