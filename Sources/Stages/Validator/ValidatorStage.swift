import Pipeline

/// Stage 2: records → records whose every part is accepted or rejected, with all reasons
/// (data-model 7). Accepted parts are relabelled to their stored form. One stage object per thread:
/// it owns scratch memory. Plain lines are settled by the reader and not judged: a new rule must
/// make `PlannedReader` refuse them (`NotPlain`).
package struct ValidatorStage: Stage {
  package static let name = "validator"

  private let rules: Rules
  private let fold = KeyFold()
  /// Of the batch whose records were judged last.
  private var judge: Judge?

  package init(rules: Rules) { self.rules = rules }

  /// Complexity: O(bytes of the block).
  package mutating func process(_ unit: WorkUnit) {
    let batch = unit.batch
    for index in batch.records.indices where !batch.records[index].isSettled {
      if judge?.batch !== batch { judge = Judge(rules, batch, fold) }
      judge?.judgeRecord(index)
    }
    batch.countNotes()
  }
}

/// What judges the records of a block, one after the other. A class, because calls would copy it.
final class Judge {
  let rules: Rules
  let batch: RecordBatch
  let tape: Tape
  let fold: KeyFold
  /// The record and the event that are judged.
  var record = RecordEntry(line: 0, dialect: .v2)
  var event = EventEntry(record: 0)
  /// Whether the record's time was evaluated, which is done when it is used (data-model 16).
  var isTimeResolved = false
  /// Whether a later key of the object whose keys were classified last overwrites another.
  var hasOverwritten = false
  /// The path of the value that is judged.
  var path = FieldPath(root: "")

  init(_ rules: Rules, _ batch: RecordBatch, _ fold: KeyFold) {
    (self.rules, self.batch, self.tape, self.fold) = (rules, batch, batch.tape, fold)
  }

  var isV1: Bool { record.form == .v1 }
  /// Whether invalid parts of events are dropped and become losses.
  var isLenient: Bool { isV1 && rules.v1 == .lenient }
  var limits: Limits { isV1 ? .v1 : .v2 }

  /// Judges the value at `node`, whose path is the current one.
  func judge(_ node: Int, _ rule: TextRule) { add(rule.fault(tape[node], of: tape)) }

  func add(_ fault: ValueFault?) {
    guard let fault else { return }
    add(fault.code, limit: fault.limit, actual: fault.actual, detail: fault.detail)
  }

  func add(
    _ code: ReasonCode, limit: Int? = nil, actual: Int? = nil, detail: StaticString? = nil
  ) {
    batch.reasons.add(code, at: path, of: tape, limit: limit, actual: actual, detail: detail)
  }

  /// Adds the reason if the value at `node` is one that the reader could not convert.
  func refuse(_ node: Int) -> Bool {
    let entry = tape[node]
    guard let fault = entry.fault else { return false }
    add(fault, detail: entry.expectedType.detail)
    return true
  }
}
