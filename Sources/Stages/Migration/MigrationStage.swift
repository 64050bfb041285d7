import Pipeline

/// Stage 3: v1 → v2 (data-model 10). `label` and `tags` of accepted events already have the
/// positions of `$label` and `$tags`; what is valid in v1 but not in v2 is dropped and counted as a
/// loss. Parts that the reader omitted or did not read are counted here, too.
package struct MigrationStage: Stage {
  package static let name = "migration"

  package init() {}

  /// Migrates every accepted event of the unit. Complexity: O(entries of the tape).
  package mutating func process(_ unit: WorkUnit) {
    let batch = unit.batch
    for number in batch.records.indices {
      var record = batch.records[number]
      if record.isSettled || record.isRejected { continue }
      if record.mayBeEmpty, record.dialect.isMapped, !record.isPart {
        // Nothing survives if a record of the line is rejected, and the others are empty.
        let outcome = batch.outcome(of: batch.lines[Int(record.line)])
        record.mayBeEmpty = outcome == .accepted || outcome == .partial
        batch.records[number] = record
      }
      let isRepaired = !batch.lines[Int(record.line)].repairs.isEmpty
      if isRepaired, !record.isPart, !record.hasReportedOmissions, batch.isTaken(record) {
        batch.loseRepairs(ofRecord: number)
      }
      for index in record.eventIndices where batch.events[index].isAccepted {
        if record.form == .v1 { migrateV1(index, in: batch) }
        if batch.events[index].omissions.exists {
          let omissions = batch.omissions[batch.events[index].omissions.index]
          batch.lose(omissions, ofRecord: number, event: index)
        }
        batch.locateLosses(of: index)
      }
      if !record.omissions.isEmpty, !record.hasReportedOmissions, batch.isTaken(record) {
        batch.lose(record.omissions, ofRecord: number)
      }
    }
  }

  private func migrateV1(_ index: Int, in batch: RecordBatch) {
    let tape = batch.tape
    let event = batch.events[index]
    /// Counts a value that breaks the rule as a loss.
    func loses(_ node: Int, by rule: TextRule, at path: @autoclosure () -> FieldPath) -> Bool {
      guard let fault = rule.fault(tape[node], of: tape) else { return false }
      batch.losses.add(fault.code, at: path(), of: tape)
      return true
    }
    if event.label.exists, loses(event.label.index, by: .v2Label, at: FieldPath(root: "label")) {
      batch.events[index].label = .none
    }
    if event.tags.exists {
      let path = FieldPath(root: "tags")
      tape.forEachItem(of: event.tags.index) { item, position in
        if !tape[item].isDropped, loses(item, by: .v2Tag, at: path.item(position)) {
          tape[item].flags |= TapeEntry.dropped
        }
      }
    }
    guard event.attributes.exists else { return }
    let path = FieldPath(root: "attributes")
    tape.forEachMember(of: event.attributes.index) { key in
      guard !tape[key].isDropped, tape[key + 1].kind == .string,
        loses(key + 1, by: .v2String, at: path.field(key))
      else { return }
      tape[key].flags |= TapeEntry.dropped
      batch.events[index].attributeCount -= 1
    }
  }
}
