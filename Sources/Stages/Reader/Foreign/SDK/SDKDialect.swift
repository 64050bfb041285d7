import Pipeline

/// Dialect `sdk`: events as the SDKs send them (dialects 2).
///
/// ```json
/// {"id":"7A0C…","sDate":"2024-05-02T09:15:00.004Z","name":"E.ADD_TO_CART",
///  "ids":{"di":"…","cus":"user-1"},
///  "params":{"label":"shoes","tags":["sale"],"attributes":{"size.i":42,"until.t":1719792000000}}}
/// ```
enum SDKDialect: RecordDialect {
  private static let known: UInt32 =
    RootField.id.bit | RootField.name.bit | RootField.customID.bit
    | RootField.installationID.bit | RootField.installID.bit

  static func evidence(in line: LineFields) -> Evidence? {
    guard line.has(.name) else { return nil }
    for mark in ["params", "ts", "sDate"] as [StaticString] where line.has(ByteView(mark)) {
      return Evidence("name", mark)
    }
    return !line.has(.time) && line.has("date") ? Evidence("name", "date") : nil
  }

  static func read(
    _ record: inout RecordEntry, by reader: DialectReader, into batch: RecordBatch
  ) {
    let line = Line(reader.root, of: batch.tape)
    record.customID = line.customID
    record.installationID = line.installationID
    record.hasEventList = false
    let name = reader.root[.name]
    let text = batch.tape.string(at: name.index) ?? ""
    if text.starts(with: "_") {
      reader.noteUnknown(in: reader.root, besides: known, of: batch)
      batch.notes.note(.internalEvent, name: name.index, of: batch.records.count)
      record.timeNode = line.time
      record.mayBeEmpty = true
      var event = SDKInternalEvent(name: name.index, params: line.params, batch: batch)
      event.read(text, &record, by: reader)
    } else {
      readEvent(line, id: reader.root[.id], name: name, by: reader, into: batch)
    }
  }

  private static func readEvent(
    _ line: Line, id: Node, name: Node, by reader: DialectReader, into batch: RecordBatch
  ) {
    let tape = batch.tape
    var event = EventEntry(record: UInt32(batch.records.count))
    event.idNode = id
    event.timeNode = line.time
    event.nameNode = name
    if tape[name].kind == .string {
      let text = tape.bytes(at: name)
      if text == "T" {
        event.nameNode = Node(tape.appendScalar(tape.text { $0.append("transaction") }))
        event.attributes = draft(line.params, in: tape) { draftTransaction($0, in: tape) }
        append(&event, line.params, besides: ["amount"], by: reader, to: batch)
        return
      }
      let prefix: ByteView = "E."
      if text.starts(with: prefix) { KeyName.dropPrefix(prefix.count, of: name.index, in: tape) }
    }
    event.attributes = draft(line.params, in: tape) { draftAttributes($0, of: &event, in: tape) }
    append(&event, line.params, besides: ["label", "tags", "attributes"], by: reader, to: batch)
  }

  /// Appends the event with what stands in the line, or in its `params` beside `names`, and has no
  /// rule.
  private static func append(
    _ event: inout EventEntry, _ params: Node, besides names: [StaticString],
    by reader: DialectReader, to batch: RecordBatch
  ) {
    let first = batch.unread.count
    if params.exists, let bits = reader.readOthers(in: params.index, besides: names, of: batch) {
      let path = FieldPath(root: "params")
      reader.takeOthers(of: reader.inner, besides: bits, at: path, into: &event, in: batch)
    }
    reader.readOthers(of: reader.root, besides: known, into: &event, from: first, in: batch)
    batch.events.append(event)
  }

  /// Drafts attributes of the members of `params`; what is no object stays what it is, for the
  /// validator. Returns their tape index, if there are any.
  private static func draft(
    _ params: Node, in tape: Tape, _ members: (_ params: Int) -> Node
  ) -> Node {
    guard params.exists, tape[params].kind == .object else { return params }
    return members(params.index)
  }

  /// The amount is all that a transaction has.
  private static func draftTransaction(_ params: Int, in tape: Tape) -> Node {
    guard let amount = tape.present("amount", of: params) else { return .none }
    return Node(
      tape.appendContainer(.object) {
        tape.appendMember(tape.key("amount")) {
          let entry = tape[amount]
          let isNumber = entry.kind == .integer || entry.kind == .double
          tape.appendScalar(isNumber ? entry : .fault(.wrongType, expected: .amount))
        }
      })
  }

  private static func draftAttributes(
    _ params: Int, of event: inout EventEntry, in tape: Tape
  ) -> Node {
    var label: Int?
    var tags: Int?
    var attributes: Int?
    tape.forEachMember(of: params) { key in
      let value = tape[key + 1].kind == .null ? nil : key + 1
      switch tape.bytes(at: key) {
      case "label": label = value
      case "tags": tags = value
      case "attributes": attributes = value
      default: break
      }
    }
    if let attributes, tape[attributes].kind != .object {
      // Refused, and so is what else is wrong with the event.
      if let label { event.label = Node(label) }
      if let tags { event.tags = Node(tags) }
      return Node(attributes)
    }
    return Node(
      tape.appendContainer(.object) {
        if let label { tape.appendMember(tape.key("$label")) { tape.appendCopy(of: label) } }
        if let tags { tape.appendMember(tape.key("$tags")) { tape.appendCopy(of: tags) } }
        if let attributes { TypedMembers(tape: tape).appendAttributes(of: attributes) }
      })
  }

  /// The members of a line that all its events have: tape indices.
  private struct Line {
    var customID: Node
    var installationID: Node
    /// The server's time, else the device's.
    let time: Node
    let params: Node

    /// Takes the members out of those of the root that nobody knows. Each id is looked for by
    /// itself: at the root, then in `ids`, and at each position under its long names first.
    init(_ root: RootFields, of tape: Tape) {
      var (date, serverDate, custom, device, ids, params) = (
        Node.none, Node.none, Node.none, Node.none, Node.none, Node.none
      )
      root.take(of: tape) { name, node in
        switch name {
        case "date": date = node
        case "sDate": serverDate = node
        case "params": params = node
        case "ids": ids = node
        case "cus": custom = node
        case "di": device = node
        case "ts", "session", "converted", "replay": break
        default: return false
        }
        return true
      }
      time = serverDate.exists ? serverDate : date
      self.params = params
      customID = root.has(.customID) ? root[.customID] : custom
      installationID = root.first(.installationID, .installID)
      if !installationID.exists { installationID = device }
      guard ids.exists else { return }
      if !customID.exists { customID = Self.first(["custom_id", "cus"], of: ids, in: tape) }
      if !installationID.exists {
        installationID = Self.first(["installation_id", "install_id", "di"], of: ids, in: tape)
      }
    }

    private static func first(_ names: [ByteView], of object: Node, in tape: Tape) -> Node {
      for name in names {
        if let node = tape.present(name, of: object.index) { return Node(node) }
      }
      return .none
    }
  }
}

extension Tape {
  /// The index of the value of a member that is there and not null (data-model 2).
  /// Complexity: O(members).
  func present(_ name: ByteView, of object: Int) -> Int? {
    member(name, of: object).flatMap { self[$0].kind == .null ? nil : $0 }
  }
}
