package import Pipeline

extension CanonicalWriter {
  /// Writes record number `index` of the batch as one canonical v2 line, without a line end;
  /// returns false, with nothing written, when no part of it was accepted.
  package static func append(
    record index: Int, of batch: RecordBatch, to text: inout ByteBuffer
  ) -> Bool {
    let record = batch.records[index]
    let hasEvents = record.eventIndices.contains { batch.events[$0].isAccepted }
    let hasOperations = record.operationIndices.contains { batch.operations[$0].isApplied }
    guard !record.isRejected, hasEvents || hasOperations || record.isLinkOnly else { return false }
    appendIdentifiers(of: record, in: batch.tape, to: &text)
    if hasOperations || record.isLinkOnly {
      text.append(",\"time\":\"")
      Timestamp.append(milliseconds: record.time, to: &text)
      text.append(UInt8(ascii: "\""))
    }
    if hasOperations { appendOperations(of: record, in: batch, to: &text) }
    if hasEvents { appendEvents(of: record, in: batch, to: &text) }
    text.append(UInt8(ascii: "}"))
    return true
  }

  private static func appendIdentifiers(
    of record: RecordEntry, in tape: Tape, to text: inout ByteBuffer
  ) {
    text.append("{\"identifiers\":{")
    if record.customID.exists {
      text.append("\"custom_id\":")
      appendString(tape[record.customID], of: tape, to: &text)
    }
    if record.installationID.exists {
      if record.customID.exists { text.append(UInt8(ascii: ",")) }
      text.append("\"installation_id\":")
      appendString(tape[record.installationID], of: tape, to: &text)
    }
    text.append(UInt8(ascii: "}"))
  }

  private static func appendOperations(
    of record: RecordEntry, in batch: RecordBatch, to text: inout ByteBuffer
  ) {
    var attributes = MemberList(opening: ",\"attributes\":{")
    var hasInstallationAttributes = false
    for index in record.operationIndices where batch.operations[index].isApplied {
      let operation = batch.operations[index]
      switch operation.kind {
      case .clear: text.append(",\"overwrite\":true")
      case .register(let register):
        text.append(",\"")
        text.append(register.field)
        text.append("\":")
        register.form.append(operation.value.index, of: batch.tape, to: &text)
      case .erase:
        text.append(operation.isOnInstallation ? ",\"erase\":true" : ",\"erase\":\"person\"")
      case .attribute where operation.isOnInstallation: hasInstallationAttributes = true
      case .attribute: attributes.append(operation, of: batch.tape, to: &text)
      case .noObject, .unreadable: break
      }
    }
    attributes.end(&text)
    guard hasInstallationAttributes else { return }
    attributes = MemberList(opening: ",\"installation_attributes\":{")
    for index in record.operationIndices
    where batch.operations[index].isApplied && batch.operations[index].isOnInstallation {
      attributes.append(batch.operations[index], of: batch.tape, to: &text)
    }
    attributes.end(&text)
  }

  /// An object of operations on attributes, written only if it is not empty.
  private struct MemberList {
    let opening: StaticString
    private var isOpen = false

    init(opening: StaticString) { self.opening = opening }

    /// Writes one operation.
    @inline(__always)
    mutating func append(
      _ operation: OperationEntry, of tape: Tape, to text: inout ByteBuffer
    ) {
      if isOpen { text.append(UInt8(ascii: ",")) } else { text.append(opening) }
      isOpen = true
      CanonicalWriter.appendKey(tape[operation.key], of: tape, to: &text)
      text.append(UInt8(ascii: ":"))
      CanonicalWriter.appendOperand(operation.value.index, of: tape, to: &text)
    }

    /// Ends the object.
    func end(_ text: inout ByteBuffer) {
      if isOpen { text.append(UInt8(ascii: "}")) }
    }
  }

  /// Writes the value of an operation; for item operations `$add` comes first.
  private static func appendOperand(
    _ node: Int, of tape: Tape, to text: inout ByteBuffer
  ) {
    guard tape[node].kind == .object else {
      appendValue(node, of: tape, to: &text)
      return
    }
    var separator = UInt8(ascii: "{")
    for name in ["$add", "$remove"] as [ByteView] {
      tape.forEachMember(of: node) { key in
        if !tape[key].isDropped, tape.bytes(at: key) == name {
          text.append(separator)
          separator = UInt8(ascii: ",")
          text.appendJSONString(name)
          text.append(UInt8(ascii: ":"))
          appendValue(key + 1, of: tape, to: &text)
        }
      }
    }
    text.append(UInt8(ascii: "}"))
  }

  private static func appendEvents(
    of record: RecordEntry, in batch: RecordBatch, to text: inout ByteBuffer
  ) {
    var separator: StaticString = ",\"events\":["
    let isCompact = batch.lines[Int(record.line)].isCompact
    for index in record.eventIndices where batch.events[index].isAccepted {
      text.append(separator)
      separator = ","
      append(event: batch.events[index], of: batch.tape, isCompact: isCompact, to: &text)
    }
    text.append(UInt8(ascii: "]"))
  }

  /// Writes one accepted event: `id`, `duplicate`, `name`, `time` or `"untimed":true`, `attributes`
  /// (omitted when empty).
  private static func append(
    event: EventEntry, of tape: Tape, isCompact: Bool, to text: inout ByteBuffer
  ) {
    text.append(UInt8(ascii: "{"))
    if event.idNode.exists {
      text.append("\"id\":")
      // Text, even if it is an integer.
      appendString(tape[event.idNode], of: tape, to: &text)
      text.append(event.hasTimelessID ? ",\"duplicate\":\"id\"," : ",")
    }
    text.append("\"name\":\"")
    text.append(tape.bytes(at: event.nameNode))
    if event.timing == .absent {
      text.append("\",\"untimed\":true")
    } else {
      text.append("\",\"time\":\"")
      Timestamp.append(milliseconds: event.time, to: &text)
      text.append(UInt8(ascii: "\""))
    }
    if hasAttributes(event, of: tape) {
      text.append(",\"attributes\":")
      appendAttributes(of: event, in: tape, isCompact: isCompact, to: &text)
    }
    text.append(UInt8(ascii: "}"))
  }
}
