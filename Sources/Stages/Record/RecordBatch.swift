package import Pipeline

/// The records of one block, as views over its tape: what the reader found, what the validator
/// decided, what the migration relabelled.
///
/// Stages add to it in turn: the reader fills `lines`, `records`, `events` and `operations`; the
/// validator sets outcomes, reasons and the canonical labels of the tape; the migration moves v1
/// parts to their v2 places. Text is written only where an output needs it (``CanonicalWriter``).
/// Reused from block to block: after warm-up nothing is allocated per record. One thread at a time.
package final class RecordBatch {
  /// The scanned lines of the block.
  package let tape = Tape(capacity: 1 << 15)
  /// What the member names in the tape mean.
  var keys = KeyBook()
  /// What the event names mean.
  package var names = NameBook()
  /// Every line of the block, in order.
  package var lines = PlainList<LineEntry>()
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
  /// For each loss, the event it was met in, as an index in `events`.
  package var lossEvents: [UInt32] = []
  /// Root members that no rule knows, by name.
  package var unknownFields = FieldTally()
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
    records.removeAll()
    events.removeAll()
    operations.removeAll()
    reasons.removeAll()
    losses.removeAll()
    lossEvents.removeAll(keepingCapacity: true)
    unknownFields.removeAll()
    hasRedriven = false
  }
}

extension RecordBatch {
  /// Notes that the losses added since the last call are those of the event at `index`.
  package func placeLosses(of index: Int) {
    while lossEvents.count < losses.count { lossEvents.append(UInt32(index)) }
  }

  /// The index in `lines` of the line the loss number `index` was met in.
  package func line(ofLoss index: Int) -> Int {
    Int(records[Int(events[Int(lossEvents[index])].record)].line)
  }

  /// Writes the path of a loss from the root of its line on: `events[2].attributes.price`, or
  /// `label` where the event is the line itself.
  package func appendPath(ofLoss index: Int, to text: inout ByteBuffer) {
    let event = Int(lossEvents[index])
    let record = records[Int(events[event].record)]
    if record.hasEventList {
      text.append("events[")
      text.append(decimal: event - Int(record.firstEvent))
      text.append("].")
    }
    text.append(losses.path(losses[index]))
  }
}

extension RecordBatch {
  /// Forgets the block, and the room that an unusual one needed.
  func recycle() {
    tape.bind(to: "")
    lines.recycle()
    records.recycle()
    events.recycle()
    operations.recycle()
    reasons.recycle()
    losses.recycle()
    lossEvents.recycle()
    unknownFields.recycle()
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
  package var outcome: LineOutcome
  /// The dialect, once it is known.
  package var dialect: Dialect?
  /// Whether no white space stands between the tokens.
  package var isCompact = false
  /// Index in `records`, or -1.
  package var record: Int32 = -1
  /// The line-level reasons.
  package var reasons = ReasonRange()
}

/// Who sent a record and what it holds: tape indices and ranges. -1 stands for "absent".
package struct RecordEntry: BitwiseCopyable, Sendable {
  /// Index in `lines`.
  package var line: UInt32
  package var dialect: Dialect
  /// Tape index of the custom id.
  package var customID: Int32 = -1
  /// Tape index of the installation id.
  package var installationID: Int32 = -1
  /// Tape index of the record time.
  package var timeNode: Int32 = -1
  /// Tape index of what tells that the record was redriven, an object.
  package var redriven: Int32 = -1
  /// The dialect in which a redriven record was written at first.
  package var redrivenDialect: Dialect?
  /// Milliseconds since 1970; set by the validator when something uses the record time.
  package var time = 0
  /// Why the record time cannot be used.
  package var timeFault: ReasonCode?
  /// Whether the record is refused as a whole, with line-level reasons.
  package var isRejected = false
  /// Whether the events stand in an array, not in the line itself.
  package var hasEventList = true
  /// Whether `events` is there but no array.
  package var hasBadEvents = false
  /// Whether `identifiers` is there but no object.
  package var hasBadIdentifiers = false
  /// Whether two identifiers and a time of its own make sense without anything else.
  package var mayBeLink = false
  /// Whether the record is nothing but a link (SPEC 3.1).
  package var isLinkOnly = false
  package var firstEvent: UInt32 = 0
  package var eventCount: UInt32 = 0
  package var firstOperation: UInt32 = 0
  package var operationCount: UInt32 = 0

  /// The dialect that its events count for.
  package var countedDialect: Dialect { redrivenDialect ?? dialect }
  /// The indices of its events in the batch.
  package var eventIndices: Range<Int> { Int(firstEvent)..<Int(firstEvent) + Int(eventCount) }
  /// The tape index of a member of what tells that the record was redriven, or nil.
  func redrivenNode(_ member: ByteView, of tape: Tape) -> Int? {
    redriven < 0 ? nil : tape.member(member, of: Int(redriven))
  }

  /// The indices of its operations in the batch.
  package var operationIndices: Range<Int> {
    Int(firstOperation)..<Int(firstOperation) + Int(operationCount)
  }
}

/// One event of a record: tape indices, -1 for "absent".
package struct EventEntry: BitwiseCopyable, Sendable {
  /// Index in `records`.
  package var record: UInt32
  /// Whether the event is an object at all.
  package var isObject = true
  /// Whether the event was taken; decided by the validator.
  package var isAccepted = false
  package var nameNode: Int32 = -1
  /// Number of the name in the batch's ``RecordBatch/names``; 0 = none. Set by the validator.
  package var name: UInt16 = 0
  package var timeNode: Int32 = -1
  package var idNode: Int32 = -1
  package var attributes: Int32 = -1
  /// Root `label` (v1) until the migration; the value of `$label` from then on.
  package var label: Int32 = -1
  /// Root `tags` (v1) until the migration; the value of `$tags` from then on.
  package var tags: Int32 = -1
  /// v2 only: root `label` and `tags`, which are ignored (SPEC 5).
  package var ignoredLabel = false
  package var ignoredTags = false
  /// Milliseconds since 1970.
  package var time = 0
  /// Number of attributes that are written (without label and tags).
  package var attributeCount: Int32 = 0
  package var reasons = ReasonRange()
}

/// What kind of operation a member of `attributes` or `values` is.
package enum OperationKind: UInt8, BitwiseCopyable, Sendable {
  /// `overwrite`: everything older is forgotten.
  case clear
  /// One attribute.
  case attribute
  /// `attributes`, `update` or `values` that is no object: one refused operation.
  case noObject
}

/// One operation on a profile attribute: tape indices.
package struct OperationEntry: BitwiseCopyable, Sendable {
  /// Index in `records`.
  package var record: UInt32
  package var kind: OperationKind
  /// Tape index of the key, relabelled to its stored form; -1 for a clear.
  package var key: Int32
  /// Tape index of the value.
  package var value: Int32
  /// Whether the key was written `ut.KEY` (a v1 tag collection).
  package var isCollection = false
  /// The native attribute, for keys with `$`.
  package var native: NativeKey?
  /// Whether a later key fell together with this one; such operations are taken out by the reader.
  package var isOverwritten = false
  /// Whether the operation was applied; decided by the validator.
  package var isApplied = false
  package var reasons = ReasonRange()
}
