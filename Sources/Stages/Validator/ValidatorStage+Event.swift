import Pipeline

/// Events: any fault rejects the whole event; v1 events may be repaired instead (data-model 7, 8).
extension ValidatorStage {
  /// Validates the event at `index` and decides whether it is accepted.
  mutating func validateEvent(
    _ index: Int, of record: inout RecordEntry, _ time: inout RecordTime,
    in batch: RecordBatch
  ) {
    var event = batch.events[index]
    batch.reasons.beginPart()
    defer { batch.reasons.endPart() }
    let firstReason = batch.reasons.count
    let (firstLoss, firstRemark) = (batch.losses.count, batch.remarks.count)
    if event.isObject {
      validateName(of: &event, isV1: record.form == .v1, in: batch)
      if event.timing == .optional, !event.timeNode.exists, rules.defaultTime == nil {
        event.timing = .absent
        // A canonical record declares itself that it has no time.
        if record.form != .v2 { batch.losses.add(.missingTime, at: "time") }
      } else {
        validateTime(of: &event, in: &record, &time, tape: batch.tape, reasons: &batch.reasons)
      }
      validateID(of: event, of: record, in: batch)
      if record.form == .v1 {
        validateV1Parts(of: &event, in: batch)
      } else {
        validateV2Parts(of: &event, in: batch)
      }
      if event.omissions.exists {
        refuse(batch.omissions[event.omissions.index], in: batch)
      }
    } else if event.omissions.exists {
      batch.reasons.add(batch.omissions[event.omissions.index].findings, of: batch.findings)
    } else {
      batch.reasons.add(.wrongType, at: "", detail: ExpectedType.event.detail)
    }
    let count = batch.reasons.count - firstReason
    event.reasons = ReasonRange(start: UInt32(firstReason), count: UInt32(count))
    let isWanted = event.timing == .absent || rules.wants(event.time)
    event.outcome = count > 0 ? .rejected : isWanted ? .accepted : .outside
    if event.isAccepted {
      batch.locateLosses(of: index)
    } else {
      batch.losses.truncate(to: firstLoss)
    }
    batch.locateRemarks(
      from: firstRemark, record: event.record, event: Node(index), isAccepted: event.isAccepted)
    batch.events[index] = event
  }

  /// Validates the name: `[A-Za-z0-9_]{1,30}`, after removal of a v1 prefix (data-model 6).
  private func validateName(
    of event: inout EventEntry, isV1: Bool, in batch: RecordBatch
  ) {
    guard event.nameNode.exists else {
      batch.reasons.add(.missingName, at: "name")
      return
    }
    guard batch.tape[event.nameNode].kind == .string else {
      batch.reasons.add(.badName, at: "name")
      return
    }
    if batch.storeName(of: &event, isV1: isV1) { return }
    validateUnknownName(of: &event, isV1: isV1, in: batch)
  }

  /// Validates a name that is invalid, or not numbered because there are too many.
  private func validateUnknownName(
    of event: inout EventEntry, isV1: Bool, in batch: RecordBatch
  ) {
    event.name = 0
    let node = event.nameNode.index
    if isV1 {
      let prefix = V1Names.eventPrefix(of: batch.tape.bytes(at: node))
      KeyName.dropPrefix(prefix, of: node, in: batch.tape)
    }
    let text = batch.tape.bytes(at: node)
    guard Characters.isName(text) else {
      batch.reasons.add(.badName, at: "name", limit: Characters.longestName, actual: text.count)
      return
    }
    KeyName.lowercase(node, in: batch.tape)
  }

  /// Validates the event id: text, or an integer as its text (data-model 5).
  private func validateID(of event: EventEntry, of record: RecordEntry, in batch: RecordBatch) {
    guard event.idNode.exists else { return }
    let entry = batch.tape[event.idNode]
    let isText = entry.kind == .string || entry.kind == .integer
    let fault =
      isText ? TextRule.eventID.fault(entry, of: batch.tape) : ValueFault(.badEventID)
    let isDoubtful = fault == nil && isDoubtful(event.idNode, of: record, in: batch)
    guard fault != nil || isDoubtful else { return }
    // The id of an action in a group has no field of its own.
    let key = event.idNode.previous
    let isField = batch.tape[key].kind == .key
    var path = FieldPath(root: isField ? "" : "id")
    if isField { path.push(key: key.index) }
    batch.reasons.add(
      .badEventID, at: path, of: batch.tape, limit: fault?.limit, actual: fault?.actual,
      detail: isDoubtful
        ? Self.doubt
        : LikelyMistake.id(event.idNode, .event, of: batch.tape, rules.placeholders))
  }

  /// Label, tags and attributes of a v1 event; `--v1 lenient` drops invalid ones (data-model 8).
  private mutating func validateV1Parts(of event: inout EventEntry, in batch: RecordBatch) {
    let isLenient = rules.v1 == .lenient
    if event.label.exists {
      let first = batch.reasons.count
      validateText(
        event.label.index, rule: .v1Label, expected: .label, path: FieldPath(root: "label"),
        in: batch)
      if isLenient, LenientMending.drop(reasonsFrom: first, of: batch) { event.label = .none }
    }
    if event.tags.exists {
      if isLenient {
        LenientMending.mendTags(of: &event, in: batch, with: fold) { item, path in
          validateText(item, rule: .v1Tag, expected: .tag, path: path, in: batch)
        }
      } else {
        validateTags(event.tags, rule: .v1Tag, path: FieldPath(root: "tags"), in: batch)
      }
    }
    if event.attributes.exists {
      validateAttributes(of: &event, limits: .v1, isLenient: isLenient, in: batch)
    }
  }

  private mutating func validateV2Parts(of event: inout EventEntry, in batch: RecordBatch) {
    guard event.attributes.exists else { return }
    // Label and tags next to attributes that are not an object: every fault is reported.
    if event.label.exists { validateLabel(event.label, in: batch) }
    if event.tags.exists {
      let path = FieldPath(root: "attributes.$tags")
      validateTags(event.tags, rule: .v2Tag, path: path, in: batch)
    }
    validateAttributes(of: &event, limits: .v2, isLenient: false, in: batch)
  }

  /// Under `--foreign strict` what the reader cut is a reason to reject the event or the record
  /// (dialects 4); with `--unknown-fields reject` so are unknown fields.
  func refuse(_ omissions: Omissions, in batch: RecordBatch) {
    if rules.foreign.policy == .strict {
      for index in omissions.findings.indices where batch.findings[index].code.isCut {
        batch.reasons.take(index, of: batch.findings)
      }
    }
    refuseUnread(omissions.unread, in: batch)
  }

  /// `--unknown-fields reject`: adds a reason for each unknown field.
  private func refuseUnread(_ range: ReasonRange, in batch: RecordBatch) {
    guard rules.unknownFields == .reject else { return }
    for index in range.indices {
      let field = batch.unread[index]
      guard field.code == .unknownField else { continue }
      let before = batch.reasons.count
      batch.reasons.add(field.code, path: batch.unread.path(field))
      // The part has the maximum number of reasons.
      if batch.reasons.count == before { return }
    }
  }

  /// Validates the tags at `node`: their number and each of them; valid ones are stored in lower
  /// case and once.
  mutating func validateTags(
    _ node: Node, rule: TextRule, path: FieldPath, in batch: RecordBatch
  ) {
    let array = batch.tape[node]
    guard array.kind == .array else {
      batch.reasons.add(
        .wrongType, at: path, of: batch.tape,
        detail: LikelyMistake.list(array) ?? ExpectedType.tags.detail)
      return
    }
    if TagSet.storeUsual(node, in: batch.tape) { return }
    var path = path
    let first = batch.reasons.count
    batch.tape.forEachItem(of: node.index) { item, position in
      path.push(index: position)
      validateText(item, rule: rule, expected: .tag, path: path, in: batch)
      path.pop()
    }
    let count = batch.tape.itemCount(of: node.index)
    if count > Limits.tags {
      batch.reasons.add(
        .tooManyTags, at: path, of: batch.tape, limit: Limits.tags, actual: count)
    }
    if batch.reasons.count == first { TagSet.store(node, in: batch.tape, with: fold) }
  }

  /// The label or tag at `node`.
  func validateText(
    _ node: Int, rule: TextRule, expected: ExpectedType, path: FieldPath, in batch: RecordBatch
  ) {
    let entry = batch.tape[node]
    guard entry.kind == .string else {
      batch.reasons.add(
        .wrongType, at: path, of: batch.tape,
        detail: LikelyMistake.text(entry) ?? expected.detail)
      return
    }
    if let fault = rule.fault(entry, of: batch.tape) {
      batch.reasons.add(
        fault.code, at: path, of: batch.tape, limit: fault.limit, actual: fault.actual)
    }
  }

  /// The label at `node` of a v2 event.
  func validateLabel(_ node: Node, in batch: RecordBatch) {
    validateText(
      node.index, rule: .v2Label, expected: .label, path: FieldPath(root: "attributes.$label"),
      in: batch)
  }
}
