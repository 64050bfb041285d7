package import Pipeline

extension CanonicalWriter {
  /// Writes the record number `index` of the batch as one canonical v2 line, without a line end;
  /// returns false, with nothing written, when nothing of it survives.
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
    if record.customID >= 0 {
      text.append("\"custom_id\":")
      appendString(tape[Int(record.customID)], of: tape, to: &text)
    }
    if record.installationID >= 0 {
      if record.customID >= 0 { text.append(UInt8(ascii: ",")) }
      text.append("\"installation_id\":")
      appendString(tape[Int(record.installationID)], of: tape, to: &text)
    }
    text.append(UInt8(ascii: "}"))
  }

  private static func appendOperations(
    of record: RecordEntry, in batch: RecordBatch, to text: inout ByteBuffer
  ) {
    var isOpen = false
    for index in record.operationIndices where batch.operations[index].isApplied {
      let operation = batch.operations[index]
      if operation.kind == .clear {
        text.append(",\"overwrite\":true")
        continue
      }
      if isOpen { text.append(UInt8(ascii: ",")) } else { text.append(",\"attributes\":{") }
      isOpen = true
      appendKey(batch.tape[Int(operation.key)], of: batch.tape, to: &text)
      text.append(UInt8(ascii: ":"))
      appendOperand(Int(operation.value), of: batch.tape, to: &text)
    }
    if isOpen { text.append(UInt8(ascii: "}")) }
  }

  /// Writes the value of an operation; of item operations `$add` comes first.
  private static func appendOperand(
    _ node: Int, of tape: Tape, to text: inout ByteBuffer
  ) {
    guard tape[node].kind == .object else {
      appendValue(node, of: tape, to: &text)
      return
    }
    var separator = UInt8(ascii: "{")
    for name in ["$add", "$remove"] as [ByteView] {
      var key = node + 1
      while key < Int(tape[node].next) {
        if !tape[key].isDropped, tape.bytes(at: key) == name {
          text.append(separator)
          separator = UInt8(ascii: ",")
          text.appendJSONString(name)
          text.append(UInt8(ascii: ":"))
          appendValue(key + 1, of: tape, to: &text)
        }
        key = Int(tape[key].next)
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

  /// Writes one accepted event: `id`, `name`, `time`, `attributes` (left out when empty).
  private static func append(
    event: EventEntry, of tape: Tape, isCompact: Bool, to text: inout ByteBuffer
  ) {
    text.append(UInt8(ascii: "{"))
    if event.idNode >= 0 {
      text.append("\"id\":")
      appendString(tape[Int(event.idNode)], of: tape, to: &text)
      text.append(UInt8(ascii: ","))
    }
    text.append("\"name\":\"")
    text.append(tape.bytes(at: Int(event.nameNode)))
    text.append("\",\"time\":\"")
    Timestamp.append(milliseconds: event.time, to: &text)
    text.append(UInt8(ascii: "\""))
    if hasAttributes(event, of: tape) {
      text.append(",\"attributes\":")
      appendAttributes(of: event, in: tape, isCompact: isCompact, to: &text)
    }
    text.append(UInt8(ascii: "}"))
  }
}
