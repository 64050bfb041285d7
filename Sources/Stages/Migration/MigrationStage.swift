import Pipeline

/// Stage 3: v1 → v2 (data-model 10).
///
/// Works on the accepted events only. `label` and `tags` already have the positions of `$label` and
/// `$tags`, so the migration is a relabelling: it drops what is valid in v1 but not in v2, and
/// counts every such loss. v2 records stay unchanged. Parts that the reader omitted or did not read
/// are counted here.
package struct MigrationStage: Stage {
  package static let name = "migration"

  package init() {}

  /// Migrates every accepted event of the unit. Complexity: O(entries of the tape).
  package mutating func process(_ unit: WorkUnit) {
    let batch = unit.batch
    for number in batch.records.indices {
      let record = batch.records[number]
      if record.isSettled || record.isRejected { continue }
      let isRepaired = !batch.lines[Int(record.line)].repairs.isEmpty
      if isRepaired, !record.isPart, !record.hasToldOmissions, batch.isTaken(record) {
        batch.loseRepairs(ofRecord: number)
      }
      for index in record.eventIndices where batch.events[index].isAccepted {
        if record.form == .v1 { migrateV1(index, in: batch) }
        if batch.events[index].omissions.exists {
          batch.locateLosses(of: index)
          let omissions = batch.omissions[batch.events[index].omissions.index]
          batch.lose(omissions, ofRecord: number, event: index)
        }
        batch.locateLosses(of: index)
      }
      if !record.omissions.isEmpty, !record.hasToldOmissions, batch.isTaken(record) {
        batch.lose(record.omissions, ofRecord: number)
      }
    }
  }

  private func migrateV1(_ index: Int, in batch: RecordBatch) {
    if batch.events[index].label.exists { migrateLabel(index, in: batch) }
    if batch.events[index].tags.exists { migrateTags(batch.events[index].tags, in: batch) }
    if batch.events[index].attributes.exists { migrateAttributes(index, in: batch) }
  }

  private func migrateLabel(_ index: Int, in batch: RecordBatch) {
    let label = batch.tape[batch.events[index].label]
    guard
      let loss = MigrationStage.loss(
        of: label, blank: .labelBlank, newline: .labelNewline, tape: batch.tape)
    else { return }
    batch.losses.add(loss, at: "label")
    batch.events[index].label = .none
  }

  private func migrateTags(_ node: Node, in batch: RecordBatch) {
    var path = FieldPath(root: "tags")
    batch.tape.forEachItem(of: node.index) { item, position in
      let tag = batch.tape[item]
      guard !tag.isDropped,
        let loss = MigrationStage.loss(
          of: tag, blank: .tagBlank, newline: .tagNewline, tape: batch.tape)
      else { return }
      path.push(index: position)
      batch.losses.add(loss, at: path, of: batch.tape)
      path.pop()
      batch.tape[item].flags |= TapeEntry.dropped
    }
  }

  private func migrateAttributes(_ index: Int, in batch: RecordBatch) {
    var path = FieldPath(root: "attributes")
    batch.tape.forEachMember(of: batch.events[index].attributes.index) { key in
      let value = batch.tape[key + 1]
      guard !batch.tape[key].isDropped, value.kind == .string,
        let loss = MigrationStage.loss(
          of: value, blank: .stringBlank, newline: .stringNewline, tape: batch.tape)
      else { return }
      path.push(key: key)
      batch.losses.add(loss, at: path, of: batch.tape)
      path.pop()
      batch.tape[key].flags |= TapeEntry.dropped
      batch.events[index].attributeCount -= 1
    }
  }

  /// Why a text that is valid in v1 is not valid in v2, or nil.
  private static func loss(
    of text: TapeEntry, blank: ReasonCode, newline: ReasonCode, tape: Tape
  ) -> ReasonCode? {
    let bytes = tape.bytes(text)
    if Characters.isBlank(bytes) { return blank }
    // A raw line feed is not valid in a string, so only text that had escapes can contain one.
    guard text.isDecoded, bytes.firstIndex(of: UInt8(ascii: "\n")) != nil else { return nil }
    return newline
  }
}
