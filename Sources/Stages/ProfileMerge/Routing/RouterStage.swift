import Pipeline

/// Turns the accepted parts of each record into operations on the state of its key, and sorts them
/// by the shard that owns the key (data-model 12, 13.8).
///
/// The last stage that sees records; after it there are only keys, times and values. One stage
/// object per thread.
package final class RouterStage: Stage {
  package static let name = "router"

  private var eventNames: NameCache
  private var attributeKeys: NameCache
  private let sources: [InputSourceID]
  private var keyText = KeyText()
  private var sourceNames = SourceNameFilter()

  package init(names: RunNames, sources: [InputSourceID]) {
    eventNames = NameCache(of: names.events)
    attributeKeys = NameCache(of: names.attributes)
    self.sources = sources
  }

  /// Fills the unit's slices from its batch. Complexity: O(bytes of the block).
  package func process(_ unit: WorkUnit) {
    let source = sources[unit.block.input]
    for slice in unit.slices {
      slice.recycle()
      slice.source = source
    }
    var present = source
    let batch = unit.batch
    for index in batch.records.indices {
      let record = batch.records[index]
      if record.isRejected { continue }
      if batch.hasRedriven {
        // Events of redriven records belong to their original inputs, so that duplicates are found
        // as they would have been there.
        let first =
          batch.tape.string(at: record.redrivenNode("source", of: batch.tape))
          .map(InputSourceID.init(path:)) ?? source
        if first != present { for slice in unit.slices { slice.change(to: first) } }
        present = first
      }
      route(record, of: batch, to: unit.sliceList)
    }
    unit.failure = unit.failure ?? eventNames.failure ?? attributeKeys.failure
  }

  /// Appends the operations of one record of the unit to the unit's slices, and nothing else.
  package func route(record index: Int, of unit: WorkUnit) {
    route(unit.batch.records[index], of: unit.batch, to: unit.sliceList)
    unit.failure = unit.failure ?? eventNames.failure ?? attributeKeys.failure
  }

  private func route(_ record: RecordEntry, of batch: RecordBatch, to slices: SliceList) {
    let owner = owner(of: record, in: batch.tape, slices)
    // The times in the record that survive validation (data-model 13.8), also where an erasure
    // suppresses what has them; events without a time create no link.
    var linked = record.erased
    for index in record.eventIndices where batch.events[index].isAccepted {
      if batch.events[index].timing != .absent { linked.merge(batch.events[index].time) }
      route(batch.events[index], of: record, owner, in: batch, to: slices)
    }
    var isOfInstallation = false
    for index in record.operationIndices where batch.operations[index].isApplied {
      let operation = batch.operations[index]
      // A request to erase a person must not give it the installation that sends it.
      if operation.kind != .erase || operation.isOnInstallation { linked.merge(record.time) }
      if operation.isOfInstallation {
        isOfInstallation = true
      } else {
        route(operation, at: record.time, owner, in: batch.tape, to: slices)
      }
    }
    let isLinked = record.customID.exists && record.installationID.exists
    // If only the installation has data, the person gets only the link.
    if record.isLinkOnly || isLinked && (isOfInstallation || record.hasErasedOfInstallation) {
      linked.merge(record.time)
      if !record.isPersonErased { owner.append(.touched, to: slices) }
    }
    guard isOfInstallation || (isLinked && !linked.isNever) else { return }
    let text = keyText.key(.install, batch.tape.bytes(at: record.installationID))
    let key = OwnerKey(text, slices: slices)
    if isOfInstallation {
      for index in record.operationIndices {
        let operation = batch.operations[index]
        guard operation.isApplied, operation.isOfInstallation else { continue }
        route(operation, at: record.time, key, in: batch.tape, to: slices)
      }
    }
    guard isLinked else { return }
    link(key, of: record, at: linked.first, in: batch.tape, to: slices)
    // Of parts that are reprocessed later, either end may be the only one left (data-model 15.1).
    if linked.last > linked.first {
      link(key, of: record, at: linked.last, in: batch.tape, to: slices)
    }
  }

  private func link(
    _ key: OwnerKey, of record: RecordEntry, at time: Int, in tape: Tape, to slices: SliceList
  ) {
    key.append(.link, time: time, to: slices) { value in
      value.append(KeySection.custom.prefix)
      value.append(tape.bytes(at: record.customID))
    }
  }

  /// The key of the person that the record belongs to, else of the installation, else the empty
  /// one.
  @inline(__always)
  private func owner(of record: RecordEntry, in tape: Tape, _ slices: SliceList) -> OwnerKey {
    let isCustom = record.customID.exists
    guard isCustom || record.installationID.exists else {
      return OwnerKey(anonymous: 0, among: slices.count)
    }
    let id = tape.bytes(at: isCustom ? record.customID : record.installationID)
    return OwnerKey(keyText.key(isCustom ? .custom : .install, id), slices: slices)
  }

  private func route(
    _ event: EventEntry, of record: RecordEntry, _ owner: OwnerKey, in batch: RecordBatch,
    to slices: SliceList
  ) {
    let (id, nameHash) = batch.name(of: event, in: &eventNames)
    var fingerprint = Fingerprint.none
    if event.idNode.exists {
      let text = batch.tape.bytes(at: event.idNode)
      fingerprint = Fingerprint(
        id: text, owner: owner.hash, name: nameHash, time: Fingerprint.time(of: event))
    }
    let target =
      owner.isAnonymous
      ? OwnerKey(
        anonymous: fingerprint == .none ? nameHash : fingerprint.low, among: slices.count)
      : owner
    if let text = sourceNames.news(of: event, id, in: batch.tape) {
      slices.with(target.shard) { $0.append(sourceName: text, of: id) }
    }
    let time = event.timing == .absent ? EventTime.absent : event.time
    target.append(
      .event, time: time, name: id, dialect: record.countedDialect, id: fingerprint,
      to: slices
    ) { value in
      if !owner.isAnonymous {
        CanonicalWriter.appendAttributes(
          of: event, in: batch.tape, isCompact: batch.lines[Int(record.line)].isCompact, to: &value)
      }
    }
  }

  private func route(
    _ operation: OperationEntry, at time: Int, _ owner: OwnerKey, in tape: Tape,
    to slices: SliceList
  ) {
    switch operation.kind {
    case .attribute: break
    case .register(let register):
      return owner.append(.single, time: time, name: UInt32(register.rawValue), to: slices) {
        register.form.append(operation.value.index, of: tape, to: &$0)
      }
    case .erase: return owner.append(.eraseMark, time: time, to: slices)
    case .clear: return owner.append(.clear, time: time, to: slices)
    case .noObject, .unreadable: preconditionFailure("the validator refuses such operations")
    }
    let key = tape[operation.key]
    let name = attributeKeys.id(of: tape.bytes(key))
    let node = operation.value.index
    switch tape[node].kind {
    case .null: owner.append(.unset, time: time, name: name, to: slices)
    case .object: routeItems(node, at: time, name: name, owner, in: tape, to: slices)
    default:
      owner.append(.set, time: time, name: name, form: key.keyForm, to: slices) { value in
        CanonicalWriter.appendValue(node, of: tape, to: &value)
      }
    }
  }

  /// One routed operation per item of `$add` and `$remove`.
  private func routeItems(
    _ node: Int, at time: Int, name: UInt32, _ owner: OwnerKey, in tape: Tape, to slices: SliceList
  ) {
    tape.forEachMember(of: node) { key in
      let entry = tape[key]
      if !entry.isDropped {
        let kind: FactKind = tape.bytes(entry) == "$add" ? .addItem : .removeItem
        tape.forEachItem(of: key + 1) { item, _ in
          owner.append(kind, time: time, name: name, to: slices) { value in
            value.append(tape.bytes(at: item))
          }
        }
      }
    }
  }
}
