package import Pipeline

/// The records of one block, as views over its tape.
///
/// Stages add to it in turn: the reader fills `lines`, `records`, `events` and `operations`; the
/// validator sets outcomes, reasons and the canonical labels of the tape; the migration moves v1
/// parts to their v2 positions. Text is written only where an output needs it
/// (``CanonicalWriter``). Reused from block to block: after warm-up nothing is allocated per
/// record. One thread at a time.
package final class RecordBatch {
  package let tape = Tape(capacity: 1 << 15)
  /// The meanings of the field names, where they lead in a line, and the meanings of event names.
  var keys = KeyInfoTable()
  var steps = LearntSteps()
  package var names = EventNameInfoTable()
  /// Every line of the block, in order, except blank lines that are only counted.
  package var lines = PlainList<LineEntry>()
  package var blankLines = 0
  package var records = PlainList<RecordEntry>()
  package var events = PlainList<EventEntry>()
  /// The operations of all records, in order, without those that a later key overwrote.
  package var operations = PlainList<OperationEntry>()
  package var reasons = ReasonList()
  package var losses = ReasonList()
  /// Why records are rejected, and what was omitted from events, according to the readers of
  /// dialects. They become `reasons` and, for accepted events, `losses`.
  package var findings = ReasonList()
  package var omissions = PlainList<Omissions>()
  /// The fields that no reader reads, unknown ones or second names for the same thing, in the order
  /// in which the reader found them.
  package var unread = ReasonList()
  package var notes = DialectNotes()
  /// What is unusual about accepted values.
  package var remarks = ReasonList()
  var hasRedriven = false

  package init() {}

  /// Removes the last block and sets the bytes of the next one.
  package func begin(_ bytes: ByteView) {
    recycle()
    tape.bind(to: bytes)
    if tape.names.isFull {
      // Otherwise logs with more names than the table holds would stay slow.
      tape.names.removeAll()
      keys.forget()
      steps.forget()
    }
    names.recycle()
    blankLines = 0
    hasRedriven = false
  }
}

extension RecordBatch {
  package var lineCount: Int { lines.count + blankLines }

  /// The records of a line that has any: one, or further ones that are parts of it.
  package func records(of line: LineEntry) -> Range<Int> {
    let first = line.record.index
    var end = first + 1
    while end < records.count, records[end].isPart { end += 1 }
    return first..<end
  }

  /// The events of a line that has records, in order.
  package func events(of line: LineEntry) -> Range<Int> {
    let records = records(of: line)
    return self.records[records.lowerBound].eventIndices
      .lowerBound..<self.records[records.upperBound - 1].eventIndices.upperBound
  }

  package func operations(of line: LineEntry) -> Range<Int> {
    let records = records(of: line)
    return self.records[records.lowerBound].operationIndices
      .lowerBound..<self.records[records.upperBound - 1].operationIndices.upperBound
  }

  package func lines(_ outcome: LineOutcome) -> Int { lines.count { $0.outcome == outcome } }
  package func events(_ outcome: EventOutcome) -> Int { events.count { $0.outcome == outcome } }
  package var appliedOperations: Int { operations.count { $0.isApplied } }

  /// Whether any part of the record is accepted.
  package func isWritten(_ record: RecordEntry) -> Bool {
    !record.isRejected
      && (record.isLinkOnly || record.eventIndices.contains { events[$0].isAccepted }
        || record.operationIndices.contains { operations[$0].isApplied })
  }

  /// The same, or whether it is an accepted line of a mapping without any part.
  package func isTaken(_ record: RecordEntry) -> Bool {
    isWritten(record)
      || !record.isRejected && record.dialect.isMapped && record.mayBeEmpty
        && record.eventCount == 0 && record.operationCount == 0
  }

  /// The outcome of a line with records, which was not rejected as a whole.
  package func outcome(of line: LineEntry) -> PartsOutcome {
    var taken = records(of: line).count { records[$0].isLinkOnly }
    var (refused, outside) = (0, 0)
    for event in events(of: line) {
      switch events[event].outcome {
      case .accepted: taken += 1
      case .outside: outside += 1
      case .rejected, .suppressed: refused += 1
      }
    }
    for operation in operations(of: line) {
      if operations[operation].isApplied { taken += 1 } else { refused += 1 }
    }
    if outside > 0, taken + refused == 0 { return .outside }
    return refused == 0 ? .accepted : taken == 0 ? .rejected : .partial
  }

  func addOperation(
    _ kind: OperationKind, key: Node = .none, value: Node, onInstallation: Bool = false
  ) {
    var operation = OperationEntry(
      record: UInt32(records.count), kind: kind, key: key, value: value)
    operation.isOnInstallation = onInstallation
    operations.append(operation)
  }

  /// Rejects the line with this number for the reasons from `first` on.
  package func reject(line: Int, reasonsFrom first: Int) {
    lines[line].outcome = .rejected
    lines[line].reasons = reasons.range(from: first)
  }

  /// Rejects a record whose content cannot be read, for the first reason.
  func reject(_ record: inout RecordEntry, _ code: ReasonCode, at path: StaticString) {
    if record.fault.exists { return }
    record.fault = Node(findings.count)
    findings.add(code, at: path)
  }

  /// Adds an event of the record that is read, which is rejected for the findings that `add` adds.
  func addUnreadableEvent(_ add: () -> Void) {
    var event = EventEntry(record: UInt32(records.count))
    event.isObject = false
    let first = findings.count
    add()
    noteOmissions(from: first, of: &event)
    events.append(event)
  }

  func recycle() {
    tape.bind(to: "")
    lines.recycle()
    records.recycle()
    events.recycle()
    operations.recycle()
    reasons.recycle()
    losses.recycle()
    findings.recycle()
    omissions.recycle()
    notes.recycle()
    remarks.recycle()
    unread.recycle()
  }
}

package enum LineOutcome: UInt8, BitwiseCopyable, Sendable {
  /// Only white space: skipped and counted.
  case blank
  /// A record, whatever the outcomes of its parts.
  case record
  /// Rejected for a line-level reason.
  case rejected
}

/// The outcome of the parts of a line together.
package enum PartsOutcome: String {
  /// None of them is rejected or suppressed, or there is none.
  case accepted
  case partial, rejected
  /// All are events outside of `--since` and `--until`, which do not count otherwise.
  case outside
}

package struct LineEntry: BitwiseCopyable, Sendable {
  /// Offset of the line in the block, after a BOM.
  package var start: UInt32
  /// Bytes of the line, without its end and a CR before it.
  package var length: UInt32
  /// Number of lines before it in the block.
  package var number: UInt32
  package var outcome: LineOutcome
  package var dialect: Dialect?
  /// Whether no white space separates its tokens.
  package var isCompact = false
  /// What was repaired, because it would not be JSON otherwise (data-model 2).
  package var repairs = LineRepairs()
  /// Index in `records`, and the tape index of the line's object, if any.
  package var record: Node = .none
  package var object: Node = .none
  package var reasons = ReasonRange()
}

extension Block {
  package func number(of line: LineEntry) -> Int { number(ofLine: Int(line.number)) }
  package func offset(of line: LineEntry) -> Int {
    offset(ofLine: Int(line.number), at: Int(line.start))
  }
}

/// The owner and the content of a record: tape indices and ranges. None means absent.
package struct RecordEntry: BitwiseCopyable, Sendable {
  /// Index in `lines`.
  package var line: UInt32
  package var dialect: Dialect
  package var form = RecordForm.v2
  // Tape indices.
  package var customID: Node = .none
  package var installationID: Node = .none
  package var timeNode: Node = .none
  /// Of the object that marks the record as redriven.
  package var redriven: Node = .none
  /// The original dialect of a redriven record.
  package var redrivenDialect: Dialect?
  /// Why the content could not be read: an index in the batch's `findings`.
  package var fault: Node = .none
  /// Milliseconds since 1970; set by the validator when the record time is used.
  package var time = 0
  package var timeFault: ReasonCode?
  /// Omissions that belong to no single event.
  package var omissions = Omissions()
  /// Whether these were reported when other parts of the record were accepted.
  package var hasReportedOmissions = false
  /// Whether its events were accepted and migrated when it was read (``PlannedReader``).
  package var isSettled = false
  package var isRejected = false
  /// Whether the events are in an array, not in the line itself.
  package var hasEventList = true
  /// Whether the record may be without events and operations: its dialect has such lines.
  package var mayBeEmpty = false
  /// Whether it is an item of a line with several records. The first of these has no parts.
  package var isPart = false
  /// Whether two identifiers and a time of its own are a valid record by themselves.
  package var mayBeLink = false
  /// Whether the record is nothing but a link (data-model 3.1).
  package var isLinkOnly = false
  /// The times of its parts that an erasure has suppressed (data-model 13.6): they still link.
  package var erased = Seen.never
  /// Whether a part of its installation is among them.
  package var hasErasedOfInstallation = false
  /// Whether an erasure of its person covers its own time.
  package var isPersonErased = false
  package var firstEvent: UInt32 = 0
  package var eventCount: UInt32 = 0
  package var firstOperation: UInt32 = 0
  package var operationCount: UInt32 = 0

  /// The dialect that its events are counted for.
  package var countedDialect: Dialect { redrivenDialect ?? dialect }
  package var eventIndices: Range<Int> { Int(firstEvent)..<Int(firstEvent) + Int(eventCount) }
  /// The tape index of a field of the object that marks the record as redriven, or nil.
  package func redrivenNode(_ member: ByteView, of tape: Tape) -> Int? {
    !redriven.exists ? nil : tape.member(member, of: redriven.index)
  }

  package var operationIndices: Range<Int> {
    Int(firstOperation)..<Int(firstOperation) + Int(operationCount)
  }
}

package struct EventEntry: BitwiseCopyable, Sendable {
  /// Index in `records`.
  package var record: UInt32
  package var isObject = true
  package var outcome = EventOutcome.rejected
  package var timing = EventTiming.required
  /// Whether its id alone, not with its time, identifies deliveries of the event (data-model 12).
  package var hasTimelessID = false
  package var nameNode: Node = .none
  /// Number of the name in the batch's ``RecordBatch/names``; 0 = none. Set by the validator.
  package var name: UInt16 = 0
  package var timeNode: Node = .none
  package var idNode: Node = .none
  package var attributes: Node = .none
  /// Root `label` (v1) until the migration; the value of `$label` from then on.
  package var label: Node = .none
  /// Root `tags` (v1) until the migration; the value of `$tags` from then on.
  package var tags: Node = .none
  /// The name in the source, if it differs from the canonical name (dialects 4).
  package var sourceName: Node = .none
  /// Milliseconds since 1970; 0 for an event without a time.
  package var time = 0
  /// Number of attributes that are written (without label and tags).
  package var attributeCount: Int32 = 0
  package var reasons = ReasonRange()
  /// What the reader omitted, or why it could not read the event: an index in `omissions`.
  package var omissions: Node = .none

  package var isAccepted: Bool { outcome == .accepted }
  package var isRejected: Bool { outcome == .rejected }
}

package enum EventOutcome: UInt8, BitwiseCopyable, Sendable {
  case rejected
  case accepted
  /// It is valid, and suppressed because of an erasure or an opt-out.
  case suppressed
  /// It is valid, and outside of `--since` and `--until`.
  case outside
}

package enum EventTiming: UInt8, BitwiseCopyable, Sendable {
  case required
  /// It may have none (dialects 5): it counts, but has no first and last time. The time is its own,
  /// that of `--default-time`, or none; never the record's.
  case optional
  /// It has none, and counts anyway. Set by the validator.
  case absent
}

/// The kind of operation of a field of `attributes` or `values`.
package enum OperationKind: BitwiseCopyable, Equatable, Sendable {
  /// `overwrite`: drops everything older.
  case clear
  case register(RegisterKind)
  /// `erase`: erases everything up to the record's time (data-model 13.5).
  case erase
  case attribute
  /// `attributes`, `update` or `values` that is not an object: one rejected operation.
  case noObject
  /// Its dialect could not read it, and its value is an index in the batch's `findings`.
  case unreadable
}

/// One operation on a profile: tape indices.
package struct OperationEntry: BitwiseCopyable, Sendable {
  /// Index in `records`.
  package var record: UInt32
  package var kind: OperationKind
  /// Tape index of the key, relabelled to its stored form; none unless it is an attribute.
  package var key: Node
  /// Tape index of the value, unless the kind defines it otherwise.
  package var value: Node
  /// Whether the key was written `ut.KEY` (a v1 tag collection).
  package var isCollection = false
  /// The native attribute, for keys with `$`.
  package var native: NativeKey?
  package var isOverwritten = false
  package var isApplied = false
  /// Whether the operation is valid but suppressed (data-model 13.6); then it is not applied.
  package var isSuppressed = false
  package var reasons = ReasonRange()

  package var isRefused: Bool { !isApplied && !isSuppressed }
  /// Whether it applies to the record's installation, even if the record belongs to a person.
  package var isOfInstallation: Bool {
    if case .register(let register) = kind { return register.row.isOfInstallation }
    return isOnInstallation
  }
  /// Whether it applies to an attribute of the installation (dialects 2), or erases only that.
  package var isOnInstallation = false
}
