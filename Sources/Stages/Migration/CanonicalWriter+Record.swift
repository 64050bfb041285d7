package import Pipeline

extension CanonicalWriter {
  /// Writes a record as one canonical v2 line, without a line end; false when nothing was accepted.
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
      case .attribute, .noObject, .unreadable: break
      }
    }
    appendMembers(",\"attributes\":{", ofInstallation: false, record, batch, &text)
    appendMembers(",\"installation_attributes\":{", ofInstallation: true, record, batch, &text)
  }

  /// Writes the operations on attributes of the person, or of the installation, if there are any.
  private static func appendMembers(
    _ opening: StaticString, ofInstallation: Bool, _ record: RecordEntry, _ batch: RecordBatch,
    _ text: inout ByteBuffer
  ) {
    var isFirst = true
    for index in record.operationIndices {
      let operation = batch.operations[index]
      guard operation.isApplied, operation.isOnInstallation == ofInstallation,
        case .attribute = operation.kind
      else { continue }
      text.append(isFirst ? opening : ",")
      isFirst = false
      appendKey(batch.tape[operation.key], of: batch.tape, to: &text)
      text.append(UInt8(ascii: ":"))
      appendOperand(operation.value.index, of: batch.tape, to: &text)
    }
    if !isFirst { text.append(UInt8(ascii: "}")) }
  }

  /// Writes the value of an operation; for item operations `$add` comes first.
  private static func appendOperand(_ node: Int, of tape: Tape, to text: inout ByteBuffer) {
    guard tape[node].kind == .object else { return appendValue(node, of: tape, to: &text) }
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

  /// Writes an accepted event: `id`, `duplicate`, `name`, `time` or `"untimed":true`, `attributes`.
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
