import Pipeline

/// Events: any fault rejects the whole event; v1 events may be repaired instead (data-model 7, 8).
extension Judge {
  /// Decides whether the event at `index` is accepted.
  func judgeEvent(_ index: Int) {
    event = batch.events[index]
    batch.reasons.beginPart()
    defer { batch.reasons.endPart() }
    let (first, firstLoss, firstRemark) = (
      batch.reasons.count, batch.losses.count, batch.remarks.count
    )
    if event.isObject {
      judgeFields()
      if event.omissions.exists { refuse(batch.omissions[event.omissions.index]) }
    } else if event.omissions.exists {
      batch.reasons.add(batch.omissions[event.omissions.index].findings, of: batch.findings)
    } else {
      batch.reasons.add(.wrongType, at: "", detail: ExpectedType.event.detail)
    }
    event.reasons = batch.reasons.range(from: first)
    let isWanted = event.timing == .absent || rules.wants(event.time)
    event.outcome = event.reasons.count > 0 ? .rejected : isWanted ? .accepted : .outside
    if event.isAccepted {
      batch.locateLosses(of: index)
    } else {
      batch.losses.truncate(to: firstLoss)
    }
    batch.locateRemarks(
      from: firstRemark, record: event.record, event: Node(index), isAccepted: event.isAccepted)
    batch.events[index] = event
  }

  private func judgeFields() {
    judgeName()
    if event.timing == .optional, !event.timeNode.exists, rules.defaultTime == nil {
      event.timing = .absent
      if record.form != .v2 { batch.losses.add(.missingTime, at: "time") }
    } else {
      judgeTime()
    }
    if event.idNode.exists {
      let fault = TextRule.eventID.fault(tape[event.idNode], of: tape)
      add(fault, or: .badEventID, of: event.idNode, .event)
    }
    // Label and tags of v2 are among the attributes, or next to what is not an object: then every
    // fault is reported. Those that a mapping drafts stand alone.
    if isV1 || event.attributes.exists || record.form == .drafted {
      if event.label.exists {
        let first = batch.reasons.count
        path = FieldPath(root: isV1 ? "label" : "attributes.$label")
        judge(event.label.index, isV1 ? .v1Label : .v2Label)
        if isLenient, LenientRepair.drop(reasonsFrom: first, of: batch) { event.label = .none }
      }
      if event.tags.exists {
        path = FieldPath(root: isV1 ? "tags" : "attributes.$tags")
        judgeTags()
      }
    }
    if event.attributes.exists { judgeAttributes() }
  }

  /// Judges the name: `[A-Za-z0-9_]{1,30}`, after removal of a v1 prefix (data-model 6).
  private func judgeName() {
    let node = event.nameNode
    guard node.exists else { return batch.reasons.add(.missingName, at: "name") }
    guard tape[node].kind == .string else { return batch.reasons.add(.badName, at: "name") }
    if batch.storeName(of: &event, isV1: isV1) { return }
    // It is invalid, or not numbered because there are too many.
    event.name = 0
    if isV1 {
      KeyName.dropPrefix(V1Names.eventPrefix(of: tape.bytes(at: node)), of: node.index, in: tape)
    }
    let text = tape.bytes(at: node)
    if Characters.isName(text) { return KeyName.lowercase(node.index, in: tape) }
    batch.reasons.add(.badName, at: "name", limit: Characters.longestName, actual: text.count)
  }

  /// Sets the event's own time or the record's, and applies the window. An event with an optional
  /// time has its own or the default: a record's time is that of its operations then.
  private func judgeTime() {
    let isOwn = event.timeNode.exists || event.timing == .optional
    if !isOwn { resolveTime() }
    let (time, fault) = isOwn ? readTime(event.timeNode) : (record.time, record.timeFault)
    event.time = time
    if let fault {
      addTimeFault(fault, time, at: isOwn ? event.timeNode : record.timeNode)
    } else if let notBefore = rules.notBefore, time < notBefore {
      batch.reasons.add(.outsideWindow, at: "time", limit: notBefore, actual: time)
    } else if let notAfter = rules.notAfter, time > notAfter {
      batch.reasons.add(.outsideWindow, at: "time", limit: notAfter, actual: time)
    }
  }

  /// Judges the tags, whose path is the current one: their number and each of them; valid ones are
  /// stored in lower case and once. Leniently, invalid ones are dropped, then duplicates, then all
  /// but the first ``Limits/tags``.
  func judgeTags() {
    let node = event.tags
    let first = batch.reasons.count
    guard tape[node].kind == .array else {
      add(.wrongType, detail: ExpectedType.tags.detail(insteadOf: tape[node]))
      if isLenient, LenientRepair.drop(reasonsFrom: first, of: batch) { event.tags = .none }
      return
    }
    if TagSet.storeUsual(node, in: tape) { return }
    var count = 0
    tape.forEachItem(of: node.index) { item, position in
      path.push(index: position)
      let first = batch.reasons.count
      judge(item, isV1 ? .v1Tag : .v2Tag)
      if isLenient, LenientRepair.drop(reasonsFrom: first, of: batch) {
        tape[item].flags |= TapeEntry.dropped
      }
      path.pop()
      count += 1
    }
    if count > Limits.tags, !isLenient { add(.tooManyTags, limit: Limits.tags, actual: count) }
    if batch.reasons.count == first { TagSet.store(node, in: tape, with: fold) }
    if isLenient { LenientRepair.keepFirstTags(of: node.index, at: path, in: batch) }
  }

  /// Under `--foreign strict` what the reader cut is a reason to reject the event or the record
  /// (dialects 4); with `--unknown-fields reject` so is each unknown field.
  func refuse(_ omissions: Omissions) {
    if rules.foreign.policy == .strict {
      for index in omissions.findings.indices where batch.findings[index].code.isCut {
        batch.reasons.take(index, of: batch.findings)
      }
    }
    guard rules.unknownFields == .reject else { return }
    for index in omissions.unread.indices where batch.unread[index].code == .unknownField {
      let before = batch.reasons.count
      batch.reasons.add(.unknownField, path: batch.unread.path(batch.unread[index]))
      // The part has the maximum number of reasons.
      if batch.reasons.count == before { return }
    }
  }
}
