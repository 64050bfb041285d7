package import Pipeline

/// Suppresses data of erased people and installations (data-model 13.6).
///
/// Before the router: suppressed events are `suppressed` in the ledger, operations are not routed.
/// Their links are: only where all links of an installation come together it is known whether the
/// installation goes with a person. An event without a time has the time 0 here, which every mark
/// covers. One per thread.
package final class ErasureStage: Stage {
  package static let name = "erasure"

  private let suppressed: Locked<SuppressedTally.Table>
  private let erasures: Erasures
  private var keyText = KeyText()

  package init(_ erasures: Erasures, _ suppressed: Locked<SuppressedTally.Table>) {
    (self.erasures, self.suppressed) = (erasures, suppressed)
  }

  package func process(_ unit: WorkUnit) {
    let batch = unit.batch
    for index in batch.records.indices where !batch.records[index].isRejected {
      suppress(index, of: batch)
    }
  }

  /// A mark, and the owner that it applies to.
  private struct Owner {
    let key: Fingerprint
    let mark: Erasures.Mark
    var kept = SuppressedTally()
  }

  private func suppress(_ index: Int, of batch: RecordBatch) {
    var record = batch.records[index]
    var person = owner(.custom, record.customID, of: batch.tape)
    var installation = owner(.install, record.installationID, of: batch.tape)
    guard person != nil || installation != nil else { return }
    let isOfPerson = record.customID.exists
    if let mark = isOfPerson ? person?.mark : installation?.mark {
      var kept = SuppressedTally()
      for number in record.eventIndices {
        let event = batch.events[number]
        guard event.isAccepted, mark.covers(event.time) else { continue }
        batch.events[number].outcome = .suppressed
        if event.timing != .absent { record.erased.merge(event.time) }
        // An event without a time is never later than a mark.
        kept.add(SuppressedTally(events: 1, newest: max(event.time, Rules.earliestTime)))
      }
      if record.isLinkOnly, mark.covers(record.time) {
        record.isLinkOnly = false
        record.erased.merge(record.time)
        kept.add(SuppressedTally(newest: record.time))
      }
      if isOfPerson { person?.kept.add(kept) } else { installation?.kept.add(kept) }
    }
    let isPersonErased = person?.mark.covers(record.time) ?? false
    for number in record.operationIndices where batch.operations[number].isApplied {
      let operation = batch.operations[number]
      // The link, at least.
      if isOfPerson, installation?.mark.coversOwn(record.time) ?? false {
        installation?.kept.add(SuppressedTally(newest: record.time))
      }
      if isPersonErased { person?.kept.add(SuppressedTally(newest: record.time)) }
      let isOfInstallation = operation.isOfInstallation || !isOfPerson
      guard let mark = isOfInstallation ? installation?.mark : person?.mark,
        operation.kind == .register(.consent)
          ? mark.coversOwn(record.time) : mark.covers(record.time)
      else { continue }
      batch.operations[number].isApplied = false
      batch.operations[number].isSuppressed = true
      // A request to erase a person does not link the installation that sends it.
      if operation.kind != .erase || operation.isOnInstallation { record.erased.merge(record.time) }
      if operation.isOfInstallation { record.hasErasedOfInstallation = true }
      let kept = SuppressedTally(operations: 1, newest: record.time)
      if isOfInstallation { installation?.kept.add(kept) } else { person?.kept.add(kept) }
    }
    record.isPersonErased = isPersonErased
    batch.records[index] = record
    count(person)
    count(installation)
  }

  /// Counts data suppressed for a request of this run; requests of earlier nights are not counted.
  private func count(_ owner: Owner?) {
    guard let owner, owner.mark.request != nil, owner.kept.newest != .min else { return }
    suppressed.withLock { $0[owner.key, default: SuppressedTally()].add(owner.kept) }
  }

  private func owner(_ section: KeySection, _ node: Node, of tape: Tape) -> Owner? {
    guard node.exists else { return nil }
    let key = Erasures.digest(of: keyText.key(section, tape.bytes(at: node)))
    return erasures.marks[key].map { Owner(key: key, mark: $0) }
  }
}
