package import Pipeline

/// The records of one block, as views over its tape: what the reader found, what the validator
/// decided, what the migration relabelled.
///
/// Stages add to it in turn: the reader fills `lines`, `records`, `events` and `operations`; the
/// validator sets outcomes, reasons and the canonical labels of the tape; the migration moves v1
/// parts to where v2 has them. Text is written only where an output needs it (``CanonicalWriter``).
/// Reused from block to block: after warm-up nothing is allocated per record. One thread at a time.
package final class RecordBatch {
  /// The scanned lines of the block.
  package let tape = Tape(capacity: 1 << 15)
  /// What the member names in the tape mean.
  var keys = KeyInfoTable()
  /// What the event names mean.
  package var names = EventNameInfoTable()
  /// Every line of the block, in order, without those that are only counted.
  package var lines = PlainList<LineEntry>()
  /// Blank lines that are only counted.
  package var blankLines = 0
  /// The lines that are records, in order.
  package var records = PlainList<RecordEntry>()
  /// The events of all records, in order.
  package var events = PlainList<EventEntry>()
  /// The operations of all records, in order; what a later key overwrote is not among them.
  package var operations = PlainList<OperationEntry>()
  /// Why lines, events and operations were not taken.
  package var reasons = ReasonList()
  /// What was dropped of accepted events, per line.
  package var losses = ReasonList()
  /// What readers of dialects found on the way: what records are refused for, and what was left out
  /// of events. Becomes `reasons` and, where the event is accepted, `losses`.
  package var findings = ReasonList()
  /// For each event of which something was left out, or not read, what.
  package var omissions = PlainList<Omissions>()
  /// The fields that nobody reads.
  package var unread = UnreadFields()
  /// What dialects met beside events and operations.
  package var notes = DialectNotes()
  /// For each loss, where it was met.
  package var lossSites = PlainList<LossSite>()
  /// Whether a record of the block was redriven.
  var hasRedriven = false

  package init() {}

  /// Forgets the last block and takes the bytes of the next one.
  package func begin(_ bytes: ByteView) {
    tape.bind(to: bytes)
    if tape.names.isFull {
      // Logs with more names than are remembered would be slow for ever.
      tape.names.removeAll()
      keys.forget()
    }
    names.recycle()
    lines.removeAll()
    blankLines = 0
    records.removeAll()
    events.removeAll()
    operations.removeAll()
    reasons.removeAll()
    losses.removeAll()
    findings.removeAll()
    omissions.removeAll()
    notes.removeAll()
    lossSites.removeAll()
    unread.removeAll()
    hasRedriven = false
  }
}

extension RecordBatch {
  /// How many lines the block has, as far as it was read.
  package var lineCount: Int { lines.count + blankLines }

  /// How many of the lines have that outcome.
  package func lines(_ outcome: LineOutcome) -> Int { lines.count { $0.outcome == outcome } }

  /// How many of the events have that outcome.
  package func events(_ outcome: EventOutcome) -> Int { events.count { $0.outcome == outcome } }

  /// How many of the operations were applied.
  package var appliedOperations: Int { operations.count { $0.isApplied } }

  /// Forgets the block, and the room that an unusual one needed.
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
    unread.recycle()
  }
}

/// What became of one line.
package enum LineOutcome: UInt8, BitwiseCopyable, Sendable {
  /// Only white space: skipped and counted.
  case blank
  /// A record, whatever becomes of its parts.
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
  /// How many lines of the block stand before it.
  package var number: UInt32
  package var outcome: LineOutcome
  /// The dialect, once it is known.
  package var dialect: Dialect?
  /// Whether no white space stands between the tokens.
  package var isCompact = false
  /// Whether it was read without its trailing commas, as it is no JSON with them (dialects 4).
  package var isRepaired = false
  /// Index in `records`, if any.
  package var record: Node = .none
  /// Tape index of the line's object, if any.
  package var object: Node = .none
  /// The line-level reasons.
  package var reasons = ReasonRange()
}

/// Who sent a record and what it holds: tape indices and ranges. None stands for what is absent.
package struct RecordEntry: BitwiseCopyable, Sendable {
  /// Index in `lines`.
  package var line: UInt32
  package var dialect: Dialect
  /// Which rules hold for it, and what stands where.
  package var form = RecordForm.v2
  /// Tape index of the custom id.
  package var customID: Node = .none
  /// Tape index of the installation id.
  package var installationID: Node = .none
  /// Tape index of the record time.
  package var timeNode: Node = .none
  /// Tape index of what tells that the record was redriven, an object.
  package var redriven: Node = .none
  /// The dialect in which a redriven record was written at first.
  package var redrivenDialect: Dialect?
  /// Why the reader could make nothing of the record's content: the number of a reason in the
  /// batch's `findings`, if any.
  package var fault: Node = .none
  /// Milliseconds since 1970; set by the validator when something uses the record time.
  package var time = 0
  /// Why the record time cannot be used.
  package var timeFault: ReasonCode?
  /// Fields that nobody reads and that belong to no single event, in the batch's `unread`.
  package var unread = ReasonRange()
  /// Whether these were told when other parts of the record were taken.
  package var hasToldUnread = false
  /// Whether its events were accepted and migrated when it was read (``LineWalk``).
  package var isSettled = false
  /// Whether the record is refused as a whole, with line-level reasons.
  package var isRejected = false
  /// Whether the events stand in an array, not in the line itself.
  package var hasEventList = true
  /// Whether the record may be without events and operations: its dialect has lines that say
  /// nothing about anybody.
  package var mayBeEmpty = false
  /// Whether `events` is there but no array.
  package var hasBadEvents = false
  /// Whether `identifiers` is there but no object.
  package var hasBadIdentifiers = false
  /// Whether two identifiers and a time of its own make sense without anything else.
  package var mayBeLink = false
  /// Whether the record is nothing but a link (data-model 3.1).
  package var isLinkOnly = false
  /// Up to when its links are erased, in milliseconds since 1970 (data-model 13.6).
  package var erasedLinks = Int.min
  package var firstEvent: UInt32 = 0
  package var eventCount: UInt32 = 0
  package var firstOperation: UInt32 = 0
  package var operationCount: UInt32 = 0

  /// The dialect that its events count for.
  package var countedDialect: Dialect { redrivenDialect ?? dialect }
  /// The indices of its events in the batch.
  package var eventIndices: Range<Int> { Int(firstEvent)..<Int(firstEvent) + Int(eventCount) }
  /// The tape index of a member of what tells that the record was redriven, or nil.
  package func redrivenNode(_ member: ByteView, of tape: Tape) -> Int? {
    !redriven.exists ? nil : tape.member(member, of: redriven.index)
  }

  /// The indices of its operations in the batch.
  package var operationIndices: Range<Int> {
    Int(firstOperation)..<Int(firstOperation) + Int(operationCount)
  }
}

/// One event of a record: tape indices. As a record, of 64 bytes, a line of the
/// cache.
package struct EventEntry: BitwiseCopyable, Sendable {
  /// Index in `records`.
  package var record: UInt32
  /// Whether the event is an object at all.
  package var isObject = true
  /// What became of it; decided by the validator.
  package var outcome = EventOutcome.rejected
  /// Whether it must have a time.
  package var timing = EventTiming.required
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
  /// The name as the source has it, where that is another text than the canonical name (dialects
  /// 4); told beside the count of the event.
  package var sourceName: Node = .none
  /// Milliseconds since 1970; 0 for an event without time.
  package var time = 0
  /// Number of attributes that are written (without label and tags).
  package var attributeCount: Int32 = 0
  package var reasons = ReasonRange()
  /// What the reader left out of the event, or, if it is no object, why its dialect could read
  /// none: an index in the batch's `omissions`, if any.
  package var omissions: Node = .none

  package var isAccepted: Bool { outcome == .accepted }
  package var isRejected: Bool { outcome == .rejected }
}

/// What became of an event.
package enum EventOutcome: UInt8, BitwiseCopyable, Sendable {
  /// It breaks a rule.
  case rejected
  case accepted
  /// It is valid, and withheld because of an erasure or an opt-out.
  case suppressed
  /// It is valid, and outside of `--since` and `--until`.
  case outside
}

/// What is known of an event's time.
package enum EventTiming: UInt8, BitwiseCopyable, Sendable {
  /// It must have one.
  case required
  /// Its dialect, or the canonical record, knows events without: they count, but are never seen
  /// (dialects 5). It has its own time, that of `--default-time`, or none; never the record's.
  case optional
  /// It has none, and counts all the same. Set by the validator.
  case absent
}

/// What kind of operation a member of `attributes` or `values` is.
package enum OperationKind: BitwiseCopyable, Equatable, Sendable {
  /// `overwrite`: everything older is forgotten.
  case clear
  /// The field of a register states its value (dialects 2).
  case register(RegisterKind)
  /// `erase`: everything up to the record's time is to be erased (data-model 13.6).
  case erase
  /// One attribute.
  case attribute
  /// `attributes`, `update` or `values` that is no object: one refused operation.
  case noObject
  /// What a dialect could read no operation of: one that is refused, and its value is the number of
  /// the reason in the batch's `findings`.
  case unreadable
}

/// One operation on a profile: tape indices.
package struct OperationEntry: BitwiseCopyable, Sendable {
  /// Index in `records`.
  package var record: UInt32
  package var kind: OperationKind
  /// Tape index of the key, relabelled to its stored form; none for what is no attribute.
  package var key: Node
  /// Tape index of the value, unless the kind says that it is something else.
  package var value: Node
  /// Whether the key was written `ut.KEY` (a v1 tag collection).
  package var isCollection = false
  /// The native attribute, for keys with `$`.
  package var native: NativeKey?
  /// Whether a later key fell together with this one; such operations are taken out by the reader.
  package var isOverwritten = false
  /// Whether the operation was applied; decided by the validator.
  package var isApplied = false
  /// Whether it was suppressed although it is valid (data-model 13.6); then it is not applied.
  package var isSuppressed = false
  package var reasons = ReasonRange()

  /// Whether it breaks a rule.
  package var isRefused: Bool { !isApplied && !isSuppressed }
  /// Whether it is one on the record's installation, also where the record belongs to a person.
  package var isOfInstallation: Bool {
    if case .register(let register) = kind { return register.row.isOfInstallation }
    return kind == .erase || isOnInstallation
  }
  /// Whether it is one on an attribute of the installation (dialects 2).
  package var isOnInstallation = false
}
