import Pipeline

/// Who a record belongs to, and the line-level reasons (SPEC 3.1, 4, 4.5).
extension ValidatorStage {
  /// Decides whether the record as a whole stands; the first line-level reason rejects it.
  func validateIdentity(_ record: inout RecordEntry, in batch: RecordBatch) {
    let first = batch.reasons.count
    addLineReasons(&record, in: batch)
    let count = batch.reasons.count - first
    guard count > 0 else { return }
    record.isRejected = true
    batch.lines[Int(record.line)].outcome = .rejected
    batch.lines[Int(record.line)].reasons = ReasonRange(
      start: UInt32(first), count: UInt32(count))
  }

  private func addLineReasons(_ record: inout RecordEntry, in batch: RecordBatch) {
    if record.hasBadIdentifiers {
      batch.reasons.add(.noIdentity, at: "identifiers")
      return
    }
    let first = batch.reasons.count
    if let fault = customIDFault(record.customID, of: batch.tape) {
      batch.reasons.add(fault.code, at: "custom_id", limit: fault.limit, actual: fault.actual)
    }
    if let fault = storeInstallationID(record.installationID, in: batch.tape) {
      batch.reasons.add(
        fault.code, at: "installation_id", limit: fault.limit, actual: fault.actual)
    }
    guard batch.reasons.count == first else { return }
    if record.hasBadEvents {
      batch.reasons.add(.badEvents, at: "events")
    } else if record.eventCount == 0, record.operationCount == 0 {
      record.isLinkOnly = isLink(record, of: batch.tape)
      if !record.isLinkOnly { batch.reasons.add(.emptyRecord, at: "") }
    } else if record.operationCount > 0, record.customID < 0, record.installationID < 0 {
      batch.reasons.add(.noIdentity, at: "")
    }
  }

  /// Whether a record without events and operations is a link: two identifiers and a valid time of
  /// its own.
  private func isLink(_ record: RecordEntry, of tape: Tape) -> Bool {
    record.mayBeLink && record.customID >= 0 && record.installationID >= 0
      && record.timeNode >= 0 && readTime(record.timeNode, of: tape).fault == nil
  }

  private func customIDFault(_ node: Int32, of tape: Tape) -> ValueFault? {
    guard node >= 0 else { return nil }
    let entry = tape[Int(node)]
    guard entry.kind == .string else { return ValueFault(.badCustomID) }
    if !PlainValue.isText(entry, atMost: UInt32(Limits.customID), of: tape),
      let fault = TextRule.customID.fault(entry, of: tape)
    {
      return fault
    }
    return ForbiddenIDs.contain(tape.bytes(entry)) ? ValueFault(.badCustomID) : nil
  }

  /// What is wrong with an installation id, or nil; then a UUID is stored in upper case.
  private func storeInstallationID(_ node: Int32, in tape: Tape) -> ValueFault? {
    guard node >= 0 else { return nil }
    let entry = tape[Int(node)]
    guard entry.kind == .string else { return ValueFault(.badInstallationID) }
    let text = tape.bytes(entry)
    let shape = UUIDText.shape(text)
    if shape.isUUID {
      if shape.isMixed { capitalize(Int(node), in: tape) }
      return nil
    }
    if let fault = TextRule.installationID.fault(entry, of: tape) { return fault }
    return Characters.containsWhiteSpace(text) ? ValueFault(.badInstallationID) : nil
  }

  private func capitalize(_ node: Int, in tape: Tape) {
    tape.rewrite(node) { present, upper in
      for index in 0..<present.count {
        let byte = present[index]
        upper.append(byte >= UInt8(ascii: "a") ? byte & ~0x20 : byte)
      }
    }
  }
}

/// The words that programs write when they have no id (SPEC 4.5).
enum ForbiddenIDs {
  /// Whether `text`, in lower case, is one of the words. The lengths tell most ids apart.
  static func contain(_ text: ByteView) -> Bool {
    switch text.count {
    case 3: isWord("nil", text) || isWord("nan", text)
    case 4: isWord("null", text) || isWord("true", text)
    case 5: isWord("false", text)
    case 6: isWord("(null)", text)
    case 8: isWord("infinity", text)
    case 9: isWord("undefined", text) || isWord("-infinity", text)
    case 15: isWord("[object object]", text)
    default: false
    }
  }

  private static func isWord(_ word: ByteView, _ text: ByteView) -> Bool {
    for index in 0..<word.count where word[index] != Characters.lowercased(text[index]) {
      return false
    }
    return true
  }
}
