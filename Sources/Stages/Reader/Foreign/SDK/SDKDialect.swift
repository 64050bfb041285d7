import Pipeline

/// Dialect `sdk`: events as the SDKs send them (dialects 2).
enum SDKDialect: RecordDialect {
  private static let known = RootField.set(
    .id, .name, .customID, .installationID, .installID, .params, .receiptTime, .serverDate, .date,
    .ids, .shortCustomID, .shortDeviceID, .session, .converted, .replay)

  static func read(_ record: inout RecordEntry, by reader: DialectReader, into batch: RecordBatch) {
    let (root, firstUnread) = (reader.root, batch.unread.count)
    identify(&record, by: reader, in: batch)
    // The server's time, else the device's.
    let time = root.first(.serverDate, .date)
    let name = root[.name]
    let text = batch.tape.string(at: name.index) ?? ""
    guard text.starts(with: "_") else {
      return readEvent(at: time, unreadFrom: firstUnread, by: reader, into: batch)
    }
    reader.noteUnknown(in: root, besides: known, of: batch)
    batch.notes.note(.internalEvent, name: name.index, of: batch.records.count)
    record.timeNode = time
    record.mayBeEmpty = true
    SDKInternalEvent(name: name.index, params: root[.params], batch: batch, reader: reader)
      .read(text, &record)
  }

  /// The fields of the `params` of an event.
  private static let eventParams = RootField.set(.label, .tags, .attributes)

  private static func readEvent(
    at time: Node, unreadFrom first: Int, by reader: DialectReader, into batch: RecordBatch
  ) {
    let (root, tape) = (reader.root, batch.tape)
    let (name, params) = (root[.name], root[.params])
    var event = EventEntry(record: UInt32(batch.records.count))
    (event.idNode, event.timeNode, event.nameNode) = (root[.id], time, name)
    // Any other value is left unchanged, for the validator.
    event.attributes = params
    let hasParams = params.exists && tape[params].kind == .object
    if hasParams { reader.inner.read(params.index, of: batch) }
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
      ) { TypedMembers(tape: tape, names: reader.names).appendAttributes(of: $0) }
    }
    if hasParams {
      let path = FieldPath(root: "params")
      reader.takeOthers(of: reader.inner, besides: known, at: path, into: &event, in: batch)
    }
    reader.readOthers(of: root, besides: Self.known, into: &event, from: first, in: batch)
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

  private static let installations = DialectReader.installationNames | RootField.shortDeviceID.bit

  /// Sets the ids: each is searched for at the root, then in `ids`, in each under its long names
  /// first.
  private static func identify(
    _ record: inout RecordEntry, by reader: DialectReader, in batch: RecordBatch
  ) {
    func take(_ members: RootFields, at path: FieldPath) {
      reader.dropPlaceholders(installations, in: members, at: path, of: batch)
      if !record.customID.exists { record.customID = members.first(.customID, .shortCustomID) }
      if !record.installationID.exists {
        record.installationID = members.first(.installationID, .installID, .shortDeviceID)
      }
    }
    take(reader.root, at: FieldPath(root: ""))
    let ids = reader.root[.ids]
    guard !record.customID.exists || !record.installationID.exists, ids.exists,
      batch.tape[ids].kind == .object
    else { return }
    reader.inner.read(ids.index, of: batch)
    take(reader.inner, at: FieldPath(root: "ids"))
  }
}

extension Tape {
  /// The index of the value of a field that is present and not null. Complexity: O(fields).
  func present(_ name: ByteView, of object: Int) -> Int? {
    member(name, of: object).flatMap { self[$0].kind == .null ? nil : $0 }
  }
}
