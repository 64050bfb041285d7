import Pipeline

/// The owner and the time of a record, and the line-level reasons (data-model 3.1, 5, 7, 16).
extension Judge {
  /// Decides whether the record at `index`, and then each of its parts, is accepted.
  func judgeRecord(_ index: Int) {
    record = batch.records[index]
    isTimeResolved = false
    if index + 1 < batch.records.count, !record.isPart, batch.records[index + 1].isPart {
      judgeParts(from: index)
    }
    if record.isPart {
      // Its ids were checked when it was read.
      let installation = record.installationID
      if installation.exists { _ = IdentityRule.storeInstallationID(installation, in: tape) }
      record.isRejected = batch.lines[Int(record.line)].outcome == .rejected
    } else {
      judgeIdentity()
    }
    if !record.isRejected {
      if record.isPart, record.eventCount == 0, record.operationCount == 0 { judgeLink() }
      if record.isLinkOnly { resolveTime() }
      for event in record.eventIndices { judgeEvent(event) }
      for operation in record.operationIndices { judgeOperation(operation) }
    }
    batch.records[index] = record
  }

  /// Rejects a line with several records if a field of one of its items does, so that nothing of it
  /// is applied. The record at `first` is the one without parts.
  private func judgeParts(from first: Int) {
    let reasons = batch.reasons.count
    batch.reasons.beginPart()
    var index = first
    repeat {
      refuse(batch.records[index].omissions)
      index += 1
    } while index < batch.records.count && batch.records[index].isPart
    batch.reasons.endPart()
    reject(reasonsFrom: reasons)
  }

  /// Rejects the line if there are reasons from `first` on.
  private func reject(reasonsFrom first: Int) {
    guard batch.reasons.count > first else { return }
    record.isRejected = true
    batch.reject(line: Int(record.line), reasonsFrom: first)
  }

  /// Decides whether the record as a whole is accepted; the first line-level reason rejects it.
  private func judgeIdentity() {
    if record.isRejected { return }
    let first = batch.reasons.count
    addLineReasons()
    if !record.omissions.isEmpty, batch.reasons.count == first {
      batch.reasons.beginPart()
      refuse(record.omissions)
      batch.reasons.endPart()
    }
    reject(reasonsFrom: first)
  }

  private func addLineReasons() {
    let (customID, installation) = (record.customID, record.installationID)
    let first = batch.reasons.count
    if customID.exists {
      let fault =
        rules.placeholders.contain(tape[customID], as: .person, of: tape)
        ? ValueFault(.badCustomID) : TextRule.customID.fault(tape[customID], of: tape)
      add(fault, or: .badCustomID, of: customID, .person)
    }
    if installation.exists {
      let fault = IdentityRule.storeInstallationID(installation, in: tape)
      add(fault, or: .badInstallationID, of: installation, .installation)
    }
    guard batch.reasons.count == first else { return }
    if record.fault.exists {
      batch.reasons.take(record.fault.index, of: batch.findings)
    } else if record.eventCount == 0, record.operationCount == 0 {
      judgeEmptiness()
    } else if record.operationCount > 0, !customID.exists, !installation.exists {
      batch.reasons.add(.noIdentity, at: "")
    }
  }

  /// Adds the reason to reject an id: its fault, or `code` for one that the repair may have
  /// changed.
  func add(_ fault: ValueFault?, or code: ReasonCode, of id: Node, _ kind: IDKind) {
    let line = batch.lines[Int(record.line)]
    let isDoubtful = fault == nil && IdentityRule.isDoubtful(id, of: tape, line.repairs)
    guard fault != nil || isDoubtful else { return }
    var path = FieldPath(root: "id")
    if kind != .event {
      path = FieldPath(of: id, in: line.object, tape)
    } else if tape[id.previous].kind == .key {
      // That of an action in a group has no field of its own.
      path = FieldPath(root: "")
      path.push(key: id.previous.index)
    }
    batch.reasons.add(
      fault?.code ?? code, at: path, of: tape, limit: fault?.limit, actual: fault?.actual,
      detail: isDoubtful
        ? "the repair of the line may have changed it"
        : LikelyMistake.id(id, kind, of: tape, rules.placeholders))
  }

  /// Decides whether a record without parts is a link: two identifiers and a valid time of its own.
  @discardableResult
  private func judgeLink() -> (time: Int, fault: ReasonCode?) {
    let (time, fault) = readTime(record.timeNode)
    record.isLinkOnly =
      record.mayBeLink && record.customID.exists && record.installationID.exists
      && record.timeNode.exists && fault == nil
    return (time, fault)
  }

  private func judgeEmptiness() {
    let node = record.timeNode
    let (time, fault) = judgeLink()
    if record.isLinkOnly || record.mayBeEmpty { return }
    if record.form != .drafted || !record.mayBeLink || node.exists && fault == nil {
      batch.reasons.add(.emptyRecord, at: "")
    } else if let fault, node.exists {
      addTimeFault(fault, time, at: node)
    } else {
      batch.reasons.add(.missingTime, at: "time", detail: "a link needs a time of its own")
    }
  }

  // MARK: - Times

  /// The time at `node` (none when it is missing), or its fault; without the window.
  func readTime(_ node: Node) -> (time: Int, fault: ReasonCode?) {
    guard node.exists else {
      return (rules.defaultTime ?? 0, rules.defaultTime == nil ? .missingTime : nil)
    }
    if let time = tape.milliseconds(at: node) {
      return (time, Rules.isTime(time) ? nil : .timeOutOfRange)
    }
    let entry = tape[node]
    let isNumber = entry.kind == .integer || entry.kind == .double
    // A reader may have found out already what is wrong.
    return (Self.noTime, entry.fault ?? (isNumber ? .timeOutOfRange : .invalidTime))
  }

  private static let noTime = Int.min

  func resolveTime() {
    if isTimeResolved { return }
    isTimeResolved = true
    (record.time, record.timeFault) = readTime(record.timeNode)
  }

  /// Adds the fault of the time at `node` (none when it is missing), read as `time`.
  func addTimeFault(_ fault: ReasonCode, _ time: Int, at node: Node) {
    batch.reasons.add(
      fault, at: "time", actual: fault == .timeOutOfRange && time != Self.noTime ? time : nil,
      detail: node.exists ? detail(of: fault, time, at: node) : nil)
  }

  private func detail(of fault: ReasonCode, _ time: Int, at node: Node) -> StaticString? {
    let entry = tape[node]
    if entry.fault != nil { return entry.expectedType.detail }
    if fault == .timeOutOfRange { return LikelyMistake.range(entry, time) }
    return entry.kind == .string
      ? LikelyMistake.time(tape.bytes(entry)) : LikelyMistake.structure(node, of: tape)
  }
}
