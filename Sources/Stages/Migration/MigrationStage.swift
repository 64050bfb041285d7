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
    if event.label.exists, let loss = TextRule.v2Label.fault(tape[event.label], of: tape) {
      batch.losses.add(loss.code, at: "label")
      batch.events[index].label = .none
    }
    if event.tags.exists {
      tape.forEachItem(of: event.tags.index) { item, position in
        guard !tape[item].isDropped, let loss = TextRule.v2Tag.fault(tape[item], of: tape) else {
          return
        }
        var path = FieldPath(root: "tags")
        path.push(index: position)
        drop(item, loss, at: path, in: batch)
      }
    }
    guard event.attributes.exists else { return }
    tape.forEachMember(of: event.attributes.index) { key in
      guard !tape[key].isDropped, tape[key + 1].kind == .string,
        let loss = TextRule.v2String.fault(tape[key + 1], of: tape)
      else { return }
      var path = FieldPath(root: "attributes")
      path.push(key: key)
      drop(key, loss, at: path, in: batch)
      batch.events[index].attributeCount -= 1
    }
  }

  private func drop(_ node: Int, _ loss: ValueFault, at path: FieldPath, in batch: RecordBatch) {
    batch.losses.add(loss.code, at: path, of: batch.tape)
    batch.tape[node].flags |= TapeEntry.dropped
  }
}
