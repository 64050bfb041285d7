import Pipeline

/// The owner of a record, and the line-level reasons (data-model 3.1, 7, 5).
extension ValidatorStage {
  /// Decides whether the record as a whole is accepted; the first line-level reason rejects it.
  func validateIdentity(_ record: inout RecordEntry, in batch: RecordBatch) {
    let first = batch.reasons.count
    addLineReasons(&record, in: batch)
    if !record.omissions.isEmpty, batch.reasons.count == first {
      batch.reasons.beginPart()
      refuse(record.omissions, in: batch)
      batch.reasons.endPart()
    }
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
    if record.customID.exists {
      let fault = customIDFault(batch.tape[record.customID], of: batch.tape)
      add(fault, or: .badCustomID, ofID: record.customID, of: record, to: batch)
    }
    if record.installationID.exists {
      let fault = IdentityRule.storeInstallationID(record.installationID, in: batch.tape)
      add(fault, or: .badInstallationID, ofID: record.installationID, of: record, to: batch)
    }
    guard batch.reasons.count == first else { return }
    if record.fault.exists {
      batch.reasons.take(record.fault.index, of: batch.findings)
    } else if record.hasBadEvents {
      batch.reasons.add(.badEvents, at: "events")
    } else if record.eventCount == 0, record.operationCount == 0 {
      record.isLinkOnly = isLink(record, of: batch.tape)
      if !record.isLinkOnly, !record.mayBeEmpty { addEmptiness(of: record, in: batch) }
    } else if record.operationCount > 0, !record.customID.exists, !record.installationID.exists {
      batch.reasons.add(.noIdentity, at: "")
    }
  }

  private func customIDFault(_ entry: TapeEntry, of tape: Tape) -> ValueFault? {
    rules.placeholders.contain(entry, as: .person, of: tape)
      ? ValueFault(.badCustomID) : IdentityRule.customIDFault(entry, of: tape)
  }

  /// Adds the reason to reject the record for its id at `id`: a fault, or `code` for one that its
  /// repair may have changed.
  private func add(
    _ fault: ValueFault?, or code: ReasonCode, ofID id: Node, of record: RecordEntry,
    to batch: RecordBatch
  ) {
    guard fault != nil || isDoubtful(id, of: record, in: batch) else { return }
    let kind = code == .badCustomID ? IDKind.person : .installation
    let path = FieldPath(of: id, in: batch.lines[Int(record.line)].object, batch.tape)
    batch.reasons.add(
      fault?.code ?? code, at: path, of: batch.tape, limit: fault?.limit, actual: fault?.actual,
      detail: fault == nil
        ? Self.doubt : LikelyMistake.id(id, kind, of: batch.tape, rules.placeholders))
  }

  static let doubt: StaticString = "the repair of the line may have changed it"

  /// Whether an id of the record may have changed when its line was repaired.
  func isDoubtful(_ id: Node, of record: RecordEntry, in batch: RecordBatch) -> Bool {
    IdentityRule.isDoubtful(id, of: batch.tape, batch.lines[Int(record.line)].repairs)
  }

  /// Whether a record without events and operations is a link: two identifiers and a valid time of
  /// its own. A default time makes no link.
  private func isLink(_ record: RecordEntry, of tape: Tape) -> Bool {
    record.mayBeLink && record.customID.exists && record.installationID.exists
      && record.timeNode.exists && readTime(record.timeNode, of: tape).fault == nil
  }

  /// Adds the reason to reject a record without events and operations: a link, according to its
  /// dialect, lacks a time of its own.
  private func addEmptiness(of record: RecordEntry, in batch: RecordBatch) {
    let node = record.timeNode
    let (time, fault) = readTime(node, of: batch.tape)
    if record.form != .drafted || !record.mayBeLink || node.exists && fault == nil {
      batch.reasons.add(.emptyRecord, at: "")
    } else if let fault, node.exists {
      addTimeFault(fault, time, at: node, in: batch)
    } else {
      batch.reasons.add(.missingTime, at: "time", detail: "a link needs a time of its own")
    }
  }
}
