import Pipeline

/// Dialect `sdk`: events as the SDKs send them (dialects 2).
///
/// ```json
/// {"id":"7A0C…","sDate":"2024-05-02T09:15:00.004Z","name":"E.ADD_TO_CART",
///  "ids":{"di":"…","cus":"user-1"},
///  "params":{"label":"shoes","tags":["sale"],"attributes":{"size.i":42,"until.t":1719792000000}}}
/// ```
enum SDKDialect: RecordDialect {
  private static let marks = RootField.set(.params, .receiptTime, .serverDate)
  private static let known = RootField.set(
    .id, .name, .customID, .installationID, .installID, .params, .receiptTime, .serverDate, .date,
    .ids, .shortCustomID, .shortDeviceID, .session, .converted, .replay)

  static func evidence(in line: LineFields) -> StaticString? {
    guard line.has(.name) else { return nil }
    if line.root.hasAny(marks) {
      return line.has(.params) ? "name params" : line.has(.receiptTime) ? "name ts" : "name sDate"
    }
    return !line.has(.time) && line.has(.date) ? "name date" : nil
  }

  static func read(_ record: inout RecordEntry, by reader: DialectReader, into batch: RecordBatch) {
    let firstUnread = batch.unread.count
    let line = Line(reader, of: batch)
    (record.customID, record.installationID) = (line.customID, line.installationID)
    record.hasEventList = false
    let name = reader.root[.name]
    let text = batch.tape.string(at: name.index) ?? ""
    if text.starts(with: "_") {
      reader.noteUnknown(in: reader.root, besides: known, of: batch)
      batch.notes.note(.internalEvent, name: name.index, of: batch.records.count)
      record.timeNode = line.time
      record.mayBeEmpty = true
      SDKInternalEvent(name: name.index, params: line.params, batch: batch, reader: reader)
        .read(text, &record)
    } else {
      readEvent(
        line, id: reader.root[.id], name: name, unreadFrom: firstUnread, by: reader, into: batch)
    }
  }

  /// The fields of the `params` of an event.
  private static let eventParams = RootField.set(.label, .tags, .attributes)

  private static func readEvent(
    _ line: Line, id: Node, name: Node, unreadFrom first: Int, by reader: DialectReader,
    into batch: RecordBatch
  ) {
    let tape = batch.tape
    var event = EventEntry(record: UInt32(batch.records.count))
    (event.idNode, event.timeNode, event.nameNode) = (id, line.time, name)
    // Any other value is left unchanged, for the validator.
    event.attributes = line.params
    let hasParams = line.params.exists && tape[line.params].kind == .object
    if hasParams { reader.inner.read(line.params.index, of: batch) }
    var known = eventParams
    if tape[name].kind == .string, tape.bytes(at: name) == "T" {
      known = RootField.amount.bit
      event.nameNode = Node(tape.appendScalar(tape.text { $0.append("transaction") }))
      if hasParams { event.attributes = draftTransaction(reader.inner, in: tape) }
    } else if hasParams {
      let params = reader.inner
      reader.draft(
        label: params[.label], tags: params[.tags], attributes: params[.attributes], of: &event,
        in: tape, appendTags: { tape.appendCopy(of: $0) }
      ) { TypedMembers(tape: tape, names: reader.names(of: tape)).appendAttributes(of: $0) }
    }
    if hasParams {
      let path = FieldPath(root: "params")
      reader.takeOthers(of: reader.inner, besides: known, at: path, into: &event, in: batch)
    }
    reader.readOthers(of: reader.root, besides: Self.known, into: &event, from: first, in: batch)
    // Only after repeated names were compared as written.
    if tape[name].kind == .string, tape.bytes(at: name).starts(with: "E.") {
      KeyName.dropPrefix(2, of: name.index, in: tape)
    }
    batch.events.append(event)
  }

  /// A transaction has only an amount.
  private static func draftTransaction(_ params: RootFields, in tape: Tape) -> Node {
    guard params.has(.amount) else { return .none }
    let amount = tape[params[.amount]]
    let isNumber = amount.kind == .integer || amount.kind == .double
    return Node(
      tape.appendContainer(.object) {
        tape.appendMember(
          tape.key("amount"),
          scalar: isNumber ? amount : .fault(.wrongType, expected: .amount))
      })
  }

  /// The fields that all lines have: tape indices.
  private struct Line {
    var customID: Node
    var installationID: Node
    /// The server's time, else the device's.
    let time: Node
    let params: Node

    private static let installations = DialectReader.installationNames | RootField.shortDeviceID.bit

    /// Each id is searched for at the root, then in `ids`, in each under its long names first.
    init(_ reader: DialectReader, of batch: RecordBatch) {
      let (root, ids) = (reader.root, reader.inner)
      reader.dropPlaceholders(Self.installations, in: root, of: batch)
      time = root.first(.serverDate, .date)
      params = root[.params]
      customID = root.first(.customID, .shortCustomID)
      installationID = root.first(.installationID, .installID, .shortDeviceID)
      guard !customID.exists || !installationID.exists, root.has(.ids),
        batch.tape[root[.ids]].kind == .object
      else { return }
      ids.read(root[.ids].index, of: batch)
      reader.dropPlaceholders(Self.installations, in: ids, at: FieldPath(root: "ids"), of: batch)
      if !customID.exists { customID = ids.first(.customID, .shortCustomID) }
      if !installationID.exists {
        installationID = ids.first(.installationID, .installID, .shortDeviceID)
      }
    }
  }
}

extension Tape {
  /// The index of the value of a field that is present and not null. Complexity: O(fields).
  func present(_ name: ByteView, of object: Int) -> Int? {
    member(name, of: object).flatMap { self[$0].kind == .null ? nil : $0 }
  }
}
