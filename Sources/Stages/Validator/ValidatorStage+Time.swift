import Pipeline

/// The record time, evaluated only when it is used (data-model 16).
struct RecordTime {
  var isResolved = false
}

/// Times of events and records (data-model 16).
extension ValidatorStage {
  /// The time at tape index `node` (none when it is missing), or its fault. Does not apply the
  /// window.
  func readTime(_ node: Node, of tape: Tape) -> (time: Int, fault: ReasonCode?) {
    guard node.exists else {
      guard let defaultTime = rules.defaultTime else { return (0, .missingTime) }
      return (defaultTime, nil)
    }
    let entry = tape[node]
    switch entry.kind {
    case .string:
      guard let time = Timestamp.parse(tape.bytes(entry)) else { return (0, .invalidTime) }
      return inRange(time)
    case .integer, .double:
      guard let time = DecimalNumber.milliseconds(tape.bytes(entry), per: .milliseconds) else {
        return (ValidatorStage.noTime, .timeOutOfRange)
      }
      return inRange(time)
    default:
      // A reader may have found out already what is wrong.
      return (ValidatorStage.noTime, entry.fault ?? .invalidTime)
    }
  }

  /// The value for a number that is not a time.
  private static let noTime = Int.min

  /// Adds the fault of the time at tape index `node` (none when it is missing), read as `time`.
  func addTimeFault(_ fault: ReasonCode, _ time: Int, at node: Node, in batch: RecordBatch) {
    batch.reasons.add(
      fault, at: "time", actual: ValidatorStage.shown(time, for: fault),
      detail: ValidatorStage.looks(node, time, for: fault, of: batch.tape))
  }

  /// The time in the message of a fault, if it has one.
  static func shown(_ time: Int, for fault: ReasonCode) -> Int? {
    fault == .timeOutOfRange && time != noTime ? time : nil
  }

  /// A description of an invalid time: the entry at `node`, read as `time`.
  static func looks(_ node: Node, _ time: Int, for fault: ReasonCode, of tape: Tape)
    -> StaticString?
  {
    guard node.exists else { return nil }
    let entry = tape[node]
    if entry.fault != nil { return entry.expectedType.detail }
    switch fault {
    case .invalidTime:
      return entry.kind == .string
        ? LikelyMistake.time(tape.bytes(entry)) : LikelyMistake.structure(node, of: tape)
    case .timeOutOfRange: return LikelyMistake.range(entry, time)
    default: return nil
    }
  }

  private func inRange(_ time: Int) -> (time: Int, fault: ReasonCode?) {
    Rules.isTime(time) ? (time, nil) : (time, .timeOutOfRange)
  }

  /// Evaluates the record's time or its fault, unless that was done.
  func resolve(
    _ time: inout RecordTime, of record: inout RecordEntry, tape: Tape
  ) {
    guard !time.isResolved else { return }
    time.isResolved = true
    (record.time, record.timeFault) = readTime(record.timeNode, of: tape)
  }

  /// Sets the event's own time or the record's, and applies the window. An event with an optional
  /// time has its own or the default: a record's time is that of its operations then.
  func validateTime(
    of event: inout EventEntry, in record: inout RecordEntry, _ time: inout RecordTime,
    tape: Tape, reasons: inout ReasonList
  ) {
    let fault: ReasonCode?
    let isOwn = event.timeNode.exists || event.timing == .optional
    let node = isOwn ? event.timeNode : record.timeNode
    if isOwn {
      (event.time, fault) = readTime(event.timeNode, of: tape)
    } else {
      resolve(&time, of: &record, tape: tape)
      (event.time, fault) = (record.time, record.timeFault)
    }
    if let fault {
      reasons.add(
        fault, at: "time", actual: ValidatorStage.shown(event.time, for: fault),
        detail: ValidatorStage.looks(node, event.time, for: fault, of: tape))
    } else if let notBefore = rules.notBefore, event.time < notBefore {
      reasons.add(.outsideWindow, at: "time", limit: notBefore, actual: event.time)
    } else if let notAfter = rules.notAfter, event.time > notAfter {
      reasons.add(.outsideWindow, at: "time", limit: notAfter, actual: event.time)
    }
  }
}
