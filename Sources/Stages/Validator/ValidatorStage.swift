import Pipeline

/// Stage 2: records → records whose every part is accepted or rejected, with all reasons
/// (data-model 7).
///
/// Accepted parts are relabelled to their stored form: keys and names in lower case, dates as
/// times, tags in lower case and without duplicates. One stage object per thread: it owns scratch
/// memory.
package struct ValidatorStage: Stage {
  package static let name = "validator"

  let rules: Rules
  let fold = KeyFold()
  var keys: [Node] = []
  /// Whether a later key of an object whose keys were classified overwrites another.
  var hasOverwritten = false

  /// A validator for `rules`.
  package init(rules: Rules) {
    self.rules = rules
  }

  /// Validates every record of the unit. Complexity: O(bytes of the block).
  package mutating func process(_ unit: WorkUnit) { validate(unit.batch) }

  private mutating func validate(_ batch: RecordBatch) {
    for index in batch.records.indices where !batch.records[index].isSettled {
      var record = batch.records[index]
      validateIdentity(&record, in: batch)
      if !record.isRejected {
        var time = RecordTime()
        if record.isLinkOnly { resolve(&time, of: &record, tape: batch.tape) }
        for event in record.eventIndices {
          validateEvent(event, of: &record, &time, in: batch)
        }
        for operation in record.operationIndices {
          validateOperation(operation, of: &record, &time, in: batch)
        }
      }
      batch.records[index] = record
    }
    batch.countNotes()
  }
}
