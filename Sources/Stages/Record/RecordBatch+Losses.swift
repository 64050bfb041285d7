package import Pipeline

/// The parts omitted from the records of a block, and their positions.
extension RecordBatch {
  /// Records the findings from `first` on, and the unread fields from `firstUnread` on, as
  /// omissions.
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
    losses.locate(at: FindingSite(record: events[index].record, event: Node(index)))
  }

  /// Adds omissions to the losses: of the event at `event`, or of the record as a whole.
  func lose(_ omissions: Omissions, ofRecord record: Int, event: Int? = nil) {
    var site = FindingSite(record: UInt32(record), event: event.map(Node.init) ?? .none)
    losses.add(omissions.findings, of: findings)
    losses.locate(at: site)
    for index in omissions.unread.indices {
      let field = unread[index]
      losses.add(field.code, path: unread.path(field))
      site.key = field.site.key
      losses.locate(at: site)
    }
  }

  /// Whether loss number `index` counts: whether its event or record was accepted in the end.
  package func counts(loss index: Int) -> Bool {
    let site = losses[index].site
    if site.event.exists { return events[site.event.index].isAccepted }
    return isTaken(records[Int(site.record)])
  }

  /// Adds what was repaired in the line of the record at `index` to the losses.
  func loseRepairs(ofRecord index: Int) {
    let repairs = lines[Int(records[index].line)].repairs
    for (repair, code) in [
      (.prefix, .repairedPrefix), (.utf8, .repairedUTF8), (.surrogate, .repairedSurrogate),
      (.trailingComma, .repairedTrailingComma),
    ] as [(LineRepairs, ReasonCode)] where repairs.contains(repair) {
      losses.add(code, at: "")
    }
    losses.locate(at: FindingSite(record: UInt32(index)))
  }

  /// The index in `lines` of the line of a loss or remark.
  package func line(of site: FindingSite) -> Int { Int(records[Int(site.record)].line) }

  /// The indices of all losses in line order. Each stage adds its own behind those of the stages
  /// before it.
  package func lossesByLine() -> [Int] {
    (0..<losses.count).sorted { line(of: losses[$0].site) < line(of: losses[$1].site) }
  }

  /// The name of the unknown field of loss number `index`, or nil.
  package func unknownField(ofLoss index: Int) -> ByteView? {
    let loss = losses[index]
    return loss.code == .unknownField && loss.site.key.exists
      ? tape.bytes(at: loss.site.key) : nil
  }

  /// Writes a path from the root of its line on: `events[2].attributes.price`, or `label` where the
  /// event is the line itself. `number` is the index of an event in its line.
  package func appendPath(
    _ path: ByteView, at site: FindingSite, to text: inout ByteBuffer,
    number: ((_ event: Int) -> Int)? = nil
  ) {
    // A loss of the line as a whole has no path.
    if path.isEmpty { return }
    let record = records[Int(site.record)]
    if site.event.exists, record.hasEventList {
      text.append("events[")
      let first = record.isPart ? records[lines[Int(record.line)].record.index] : record
      text.append(decimal: number?(site.event.index) ?? site.event.index - Int(first.firstEvent))
      text.append("].")
    }
    text.append(path)
  }
}

/// The parts of an event, or of a record beside its events, that the reader omitted.
package struct Omissions: BitwiseCopyable, Sendable {
  /// What was cut, in the batch's `findings`, or why the event could not be read.
  package var findings = ReasonRange()
  package var unread = ReasonRange()

  var isEmpty: Bool { findings.count == 0 && unread.count == 0 }
}

/// Remarks about accepted values (data-model 19): they are counted, and change nothing.
extension RecordBatch {
  /// Adds a remark if the date of the attribute with the key at tape index `key` is implausible.
  func remark(date time: Int, key: Int, at path: FieldPath) {
    if Rules.plausibleDates.contains(time) { return }
    remarks.add(.implausibleDate, at: path, of: tape)
    remarks.locate(at: FindingSite(key: Node(key)))
  }

  /// Assigns the remarks from `first` on to an event or an operation; removes those of a part that
  /// is not accepted.
  func locateRemarks(
    from first: Int, record: UInt32, event: Node = .none, operation: Node = .none,
    isAccepted: Bool
  ) {
    guard remarks.count > first else { return }
    guard isAccepted else { return remarks.truncate(to: first) }
    remarks.locate(from: first) { site in
      (site.record, site.event, site.operation) = (record, event, operation)
    }
  }

  /// Whether remark number `index` counts: its part was accepted in the end, and its value kept.
  package func counts(remark index: Int) -> Bool {
    let site = remarks[index].site
    if tape[site.key].isDropped { return false }
    return site.event.exists
      ? events[site.event.index].isAccepted : operations[site.operation.index].isApplied
  }

  /// The key of the attribute that remark number `index` is about, without its type.
  package func key(ofRemark index: Int) -> ByteView { tape.bytes(at: remarks[index].site.key) }
}
