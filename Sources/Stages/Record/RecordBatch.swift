package import Pipeline

/// The records of one block, as views over its tape: what the reader found, what the validator
/// decided, what the migration relabelled.
///
/// Stages add to it in turn: the reader fills `lines`, `records`, `events` and `operations`; the
/// validator sets outcomes, reasons and the canonical labels of the tape; the migration moves v1
/// parts to their v2 positions. Text is written only where an output needs it
/// (``CanonicalWriter``). Reused from block to block: after warm-up nothing is allocated per
/// record. One thread at a time.
package final class RecordBatch {
  /// The scanned lines of the block.
  package let tape = Tape(capacity: 1 << 15)
  /// The meanings of the field names in the tape.
  var keys = KeyInfoTable()
  /// Where the field names lead in the places of a line.
  var steps = LearntSteps()
  /// The meanings of the event names.
  package var names = EventNameInfoTable()
  /// Every line of the block, in order, except blank lines that are only counted.
  package var lines = PlainList<LineEntry>()
  /// Blank lines that are only counted.
  package var blankLines = 0
  /// The lines that are records, in order.
  package var records = PlainList<RecordEntry>()
  /// The events of all records, in order.
  package var events = PlainList<EventEntry>()
  /// The operations of all records, in order, without those that a later key overwrote.
  package var operations = PlainList<OperationEntry>()
  /// Why lines, events and operations were rejected.
  package var reasons = ReasonList()
  /// The losses of accepted events, per line.
  package var losses = ReasonList()
  /// Findings of the readers of dialects: why records are rejected, and what was omitted from
  /// events. They become `reasons` and, for accepted events, `losses`.
  package var findings = ReasonList()
  /// The omissions of each event that has any.
  package var omissions = PlainList<Omissions>()
  /// The fields that no reader reads.
  package var unread = UnreadFields()
  /// The ignored input, by dialect.
  package var notes = DialectNotes()
  /// The position of each loss.
  package var lossSites = PlainList<LossSite>()
  /// What is unusual about accepted values, and the position of each remark.
  package var remarks = ReasonList()
  package var remarkSites = PlainList<RemarkSite>()
  /// Whether a record of the block was redriven.
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
  /// Number of lines of the block read so far.
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
    let (first, last) = (self.records[records.lowerBound], self.records[records.upperBound - 1])
    return first.eventIndices.lowerBound..<last.eventIndices.upperBound
  }

  /// Its operations.
  package func operations(of line: LineEntry) -> Range<Int> {
    let records = records(of: line)
    let (first, last) = (self.records[records.lowerBound], self.records[records.upperBound - 1])
    return first.operationIndices.lowerBound..<last.operationIndices.upperBound
  }

  /// Number of lines with that outcome.
  package func lines(_ outcome: LineOutcome) -> Int { lines.count { $0.outcome == outcome } }

  /// Number of events with that outcome.
  package func events(_ outcome: EventOutcome) -> Int { events.count { $0.outcome == outcome } }

  /// Number of operations that were applied.
  package var appliedOperations: Int { operations.count { $0.isApplied } }

  /// Adds an operation of the record that is read.
  func addOperation(_ kind: OperationKind, key: Node = .none, value: Node) {
    operations.append(
      OperationEntry(record: UInt32(records.count), kind: kind, key: key, value: value))
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

  /// Removes the block, and releases excess capacity.
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
    lossSites.recycle()
    remarks.recycle()
    remarkSites.recycle()
    unread.recycle()
  }
}

/// The outcome of one line.
package enum LineOutcome: UInt8, BitwiseCopyable, Sendable {
  /// Only white space: skipped and counted.
  case blank
  /// A record, whatever the outcomes of its parts.
  case record
  /// Rejected for a line-level reason.
  case rejected
}

/// One line of a block.
package struct LineEntry: BitwiseCopyable, Sendable {
  /// Offset of the line in the block, after a BOM.
  package var start: UInt32
  /// Bytes of the line, without its end and a CR before it.
  package var length: UInt32
  /// Number of lines before it in the block.
  package var number: UInt32
  package var outcome: LineOutcome
  /// The dialect, once it is detected.
  package var dialect: Dialect?
  /// Whether no white space separates its tokens.
  package var isCompact = false
  /// What was repaired, because it would not be JSON otherwise (data-model 2).
  package var repairs = LineRepairs()
  /// Index in `records`, if any.
  package var record: Node = .none
  /// Tape index of the line's object, if any.
  package var object: Node = .none
  /// The line-level reasons.
  package var reasons = ReasonRange()
}

extension Block {
  /// The number of the line in its file.
  package func number(of line: LineEntry) -> Int { number(ofLine: Int(line.number)) }

  /// The offset of the line in its file.
  package func offset(of line: LineEntry) -> Int {
    offset(ofLine: Int(line.number), at: Int(line.start))
  }
}

/// The owner and the content of a record: tape indices and ranges. None means absent.
package struct RecordEntry: BitwiseCopyable, Sendable {
  /// Index in `lines`.
  package var line: UInt32
  package var dialect: Dialect
  /// The layout of its parts, and so the rules that apply.
  package var form = RecordForm.v2
  /// Tape index of the custom id.
  package var customID: Node = .none
  /// Tape index of the installation id.
  package var installationID: Node = .none
  /// Tape index of the record time.
  package var timeNode: Node = .none
  /// Tape index of the object that marks the record as redriven.
  package var redriven: Node = .none
  /// The original dialect of a redriven record.
  package var redrivenDialect: Dialect?
  /// Why the reader could not read the record's content: the number of a reason in the batch's
  /// `findings`, if any.
  package var fault: Node = .none
  /// Milliseconds since 1970; set by the validator when the record time is used.
  package var time = 0
  /// Why the record time is invalid.
  package var timeFault: ReasonCode?
  /// Omissions that belong to no single event.
  package var omissions = Omissions()
  /// Whether these were reported when other parts of the record were accepted.
  package var hasToldOmissions = false
  /// Whether its events were accepted and migrated when it was read (``PlannedReader``).
  package var isSettled = false
  /// Whether the record is rejected as a whole, with line-level reasons.
  package var isRejected = false
  /// Whether the events are in an array, not in the line itself.
  package var hasEventList = true
  /// Whether the record may be without events and operations: its dialect has such lines.
  package var mayBeEmpty = false
  /// Whether it is an item of a line with several records. The first of these has no parts.
  package var isPart = false
  /// Whether `events` is present but not an array.
  package var hasBadEvents = false
  /// Whether `identifiers` is present but not an object.
  package var hasBadIdentifiers = false
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
  /// The indices of its events in the batch.
  package var eventIndices: Range<Int> { Int(firstEvent)..<Int(firstEvent) + Int(eventCount) }
  /// The tape index of a field of the object that marks the record as redriven, or nil.
  package func redrivenNode(_ member: ByteView, of tape: Tape) -> Int? {
    !redriven.exists ? nil : tape.member(member, of: redriven.index)
  }

  /// The indices of its operations in the batch.
  package var operationIndices: Range<Int> {
    Int(firstOperation)..<Int(firstOperation) + Int(operationCount)
  }
}

/// One event of a record: tape indices.
package struct EventEntry: BitwiseCopyable, Sendable {
  /// Index in `records`.
  package var record: UInt32
  /// Whether the event is an object at all.
  package var isObject = true
  /// The outcome; decided by the validator.
  package var outcome = EventOutcome.rejected
  /// Whether it must have a time.
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
  /// The name in the source, if it differs from the canonical name (dialects 4); reported beside
  /// the count of the event.
  package var sourceName: Node = .none
  /// Milliseconds since 1970; 0 for an event without a time.
  package var time = 0
  /// Number of attributes that are written (without label and tags).
  package var attributeCount: Int32 = 0
  package var reasons = ReasonRange()
  /// What the reader omitted from the event or, if it is not an object, why its dialect could not
  /// read it: an index in the batch's `omissions`, if any.
  package var omissions: Node = .none

  package var isAccepted: Bool { outcome == .accepted }
  package var isRejected: Bool { outcome == .rejected }
}

/// The outcome of an event.
package enum EventOutcome: UInt8, BitwiseCopyable, Sendable {
  /// It is invalid.
  case rejected
  case accepted
  /// It is valid, and suppressed because of an erasure or an opt-out.
  case suppressed
  /// It is valid, and outside of `--since` and `--until`.
  case outside
}

/// The requirement for an event's time.
package enum EventTiming: UInt8, BitwiseCopyable, Sendable {
  /// It must have one.
  case required
  /// Its dialect, or the canonical record, has events without a time: they count, but have no first
  /// and last time (dialects 5). The time is its own, that of `--default-time`, or none; never the
  /// record's.
  case optional
  /// It has none, and counts anyway. Set by the validator.
  case absent
}

/// The kind of operation of a field of `attributes` or `values`.
package enum OperationKind: BitwiseCopyable, Equatable, Sendable {
  /// `overwrite`: drops everything older.
  case clear
  /// The field of a register: sets its value (dialects 2).
  case register(RegisterKind)
  /// `erase`: erases everything up to the record's time (data-model 13.5).
  case erase
  /// One attribute.
  case attribute
  /// `attributes`, `update` or `values` that is not an object: one rejected operation.
  case noObject
  /// An operation that its dialect could not read: it is rejected, and its value is the number of
  /// the reason in the batch's `findings`.
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
  /// Whether a later key equals this one; the reader removes such operations.
  package var isOverwritten = false
  /// Whether the operation was applied; decided by the validator.
  package var isApplied = false
  /// Whether the operation is valid but suppressed (data-model 13.6); then it is not applied.
  package var isSuppressed = false
  package var reasons = ReasonRange()

  /// Whether it is invalid.
  package var isRefused: Bool { !isApplied && !isSuppressed }
  /// Whether it applies to the record's installation, even if the record belongs to a person.
  package var isOfInstallation: Bool {
    if case .register(let register) = kind { return register.row.isOfInstallation }
    return isOnInstallation
  }
  /// Whether it applies to an attribute of the installation (dialects 2), or erases the
  /// installation and not the person.
  package var isOnInstallation = false
}
