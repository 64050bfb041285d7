package import Pipeline

/// The parts omitted from the records of a block, and their positions.
extension RecordBatch {
  /// Records that the findings from `first` on are omissions of `event`, and that the unread fields
  /// from `firstUnread` on, if given, are its own.
  func noteOmissions(
    from first: Int, unreadFrom firstUnread: Int? = nil, of event: inout EventEntry
  ) {
    let firstUnread = firstUnread ?? unread.count
    guard findings.count > first || unread.count > firstUnread else { return }
    event.omissions = Node(omissions.count)
    omissions.append(
      Omissions(
        findings: findings.range(from: first),
        unread: unread.sort(firstUnread..<unread.count)))
  }

  /// Marks the findings that `read` adds as omissions of the record as a whole.
  func noteOmissions(of record: inout RecordEntry, _ read: (inout RecordEntry) -> Void) {
    let first = findings.count
    findings.beginPart()
    read(&record)
    findings.endPart()
    record.omissions.findings = findings.range(from: first)
  }

  /// The unread fields from `first` on that no event has claimed among its omissions; those of the
  /// record begin at `firstOmission`: fields beside its events are added before theirs.
  func unclaimed(from first: Int, omissions firstOmission: Int) -> ReasonRange {
    let claimed = (firstOmission..<omissions.count).first { omissions[$0].unread.count > 0 }
    return unread.sort(first..<(claimed.map { Int(omissions[$0].unread.start) } ?? unread.count))
  }

  /// Assigns the losses added since the last call to the event at `index`.
  package func locateLosses(of index: Int) {
    while lossSites.count < losses.count {
      lossSites.append(LossSite(record: events[index].record, event: Node(index)))
    }
  }

  /// Adds omissions to the losses: of the event at `event`, or of the record as a whole, if a part
  /// of it is accepted.
  func lose(_ omissions: Omissions, ofRecord record: Int, event: Int? = nil) {
    let site = LossSite(record: UInt32(record), event: event.map(Node.init) ?? .none)
    losses.add(omissions.findings, of: findings)
    while lossSites.count < losses.count { lossSites.append(site) }
    for index in omissions.unread.indices {
      let field = unread[index]
      losses.add(field.code, path: unread.path(field))
      lossSites.append(LossSite(record: site.record, event: site.event, field: Node(index)))
    }
  }

  /// Whether loss number `index` counts: whether its event or record was accepted in the end.
  package func counts(loss index: Int) -> Bool {
    let site = lossSites[index]
    if site.event.exists { return events[site.event.index].isAccepted }
    return isTaken(records[Int(site.record)])
  }

  /// Whether any part of the record is accepted, or it is an accepted line of a mapping without
  /// parts.
  package func isTaken(_ record: RecordEntry) -> Bool {
    !record.isRejected
      && (record.isLinkOnly || record.eventIndices.contains { events[$0].isAccepted }
        || record.operationIndices.contains { operations[$0].isApplied }
        || record.dialect.isMapped && record.mayBeEmpty && record.eventCount == 0
          && record.operationCount == 0)
  }

  /// Adds what was repaired in the line of the record at `index` to the losses.
  func loseRepairs(ofRecord index: Int) {
    let repairs = lines[Int(records[index].line)].repairs
    for (repair, code) in [
      (.prefix, .repairedPrefix), (.utf8, .repairedUTF8), (.surrogate, .repairedSurrogate),
      (.trailingComma, .repairedTrailingComma),
    ] as [(LineRepairs, ReasonCode)] where repairs.contains(repair) {
      losses.add(code, at: "")
      lossSites.append(LossSite(record: UInt32(index), event: .none))
    }
  }

  /// The index in `lines` of the line of loss number `index`.
  package func line(ofLoss index: Int) -> Int {
    Int(records[Int(lossSites[index].record)].line)
  }

  /// The name of the unknown field of loss number `index`, or nil.
  package func unknownField(ofLoss index: Int) -> ByteView? {
    guard losses[index].code == .unknownField, lossSites[index].field.exists,
      unread[lossSites[index].field.index].key.exists
    else { return nil }
    return tape.bytes(at: unread[lossSites[index].field.index].key)
  }

  /// Writes the path of a loss from the root of its line on: `events[2].attributes.price`, or
  /// `label` where the event is the line itself. `number` is the index of an event in its line.
  package func appendPath(
    ofLoss index: Int, to text: inout ByteBuffer, number: ((_ event: Int) -> Int)? = nil
  ) {
    let path = losses.path(losses[index])
    // A loss of the line as a whole has no path.
    if path.isEmpty { return }
    appendEvent(lossSites[index].event, of: lossSites[index].record, to: &text, number: number)
    text.append(path)
  }

  /// Writes the beginning of a path in `event`, if there is one, and it is an item of a list.
  func appendEvent(
    _ event: Node, of record: UInt32, to text: inout ByteBuffer, number: ((_ event: Int) -> Int)?
  ) {
    let record = records[Int(record)]
    guard event.exists, record.hasEventList else { return }
    text.append("events[")
    let first = record.isPart ? records[lines[Int(record.line)].record.index] : record
    text.append(decimal: number?(event.index) ?? event.index - Int(first.firstEvent))
    text.append("].")
  }
}

/// The parts of an event, or of a record beside its events, that the reader omitted.
package struct Omissions: BitwiseCopyable, Sendable {
  /// What was cut, in the batch's `findings`; for an event that is not an object, why it could not
  /// be read.
  package var findings = ReasonRange()
  /// The unread fields, in the batch's `unread`.
  package var unread = ReasonRange()

  /// Whether nothing was omitted.
  var isEmpty: Bool { findings.count == 0 && unread.count == 0 }
}

/// The event or record of a loss.
package struct LossSite: BitwiseCopyable, Sendable {
  /// Index in `records`.
  package let record: UInt32
  /// Index in `events`; none for the record as a whole.
  package let event: Node
  /// Index in `unread`; none when the loss is not an unread field.
  package var field: Node = .none
}
