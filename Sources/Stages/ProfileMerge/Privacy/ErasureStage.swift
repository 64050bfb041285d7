package import Pipeline

/// Suppresses data of erased people and installations (data-model 13.6).
///
/// Before the router: suppressed events are `suppressed` in the ledger, operations are not routed.
/// An event without a time has the time 0 here, which every mark covers. One per thread.
package final class ErasureStage: Stage {
  package static let name = "erasure"

  /// What all lanes have suppressed for the requests of this run.
  private let suppressed: Locked<SuppressedTally.Table>
  private let erasures: Erasures
  private var text = ByteBuffer(capacity: 256)

  package init(_ erasures: Erasures, _ suppressed: Locked<SuppressedTally.Table>) {
    self.erasures = erasures
    self.suppressed = suppressed
  }

  /// Marks suppressed events and operations. Complexity: O(records + their parts).
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
      for event in record.eventIndices
      where batch.events[event].isAccepted && mark.covers(batch.events[event].time) {
        batch.events[event].outcome = .suppressed
        // An event without a time is never later than a mark.
        kept.add(
          SuppressedTally(events: 1, newest: max(batch.events[event].time, Rules.earliestTime)))
      }
      if record.isLinkOnly, mark.covers(record.time) {
        record.isLinkOnly = false
        kept.add(SuppressedTally(newest: record.time))
      }
      if isOfPerson { person?.kept.add(kept) } else { installation?.kept.add(kept) }
    }
    for operation in record.operationIndices where batch.operations[operation].isApplied {
      // The link, at least.
      if isOfPerson, installation?.mark.covers(record.time) ?? false {
        installation?.kept.add(SuppressedTally(newest: record.time))
      }
      if isOfPerson, person?.mark.covers(record.time) ?? false {
        person?.kept.add(SuppressedTally(newest: record.time))
      }
      let isOfInstallation = batch.operations[operation].isOfInstallation || !isOfPerson
      guard let mark = isOfInstallation ? installation?.mark : person?.mark,
        mark.covers(record.time)
      else { continue }
      batch.operations[operation].isApplied = false
      batch.operations[operation].isSuppressed = true
      let kept = SuppressedTally(operations: 1, newest: record.time)
      if isOfInstallation { installation?.kept.add(kept) } else { person?.kept.add(kept) }
    }
    record.erasedLinks = max(
      person?.mark.erasedLinks ?? .min, installation?.mark.erasedLinks ?? .min)
    batch.records[index] = record
    if record.installationID.exists, person?.mark.request != nil, person?.kept.newest != .min {
      person?.kept.installations.insert(batch.tape.bytes(at: record.installationID).text)
    }
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
    text.removeAll()
    text.append(section.prefix)
    text.append(tape.bytes(at: node))
    let key = Erasures.digest(of: text.view)
    return erasures.marks[key].map { Owner(key: key, mark: $0) }
  }
}

extension Erasures.Mark {
  /// The time up to which links are erased.
  fileprivate var erasedLinks: Int { isForever ? .max : time }
}
