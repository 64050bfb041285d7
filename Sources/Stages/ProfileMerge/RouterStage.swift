import Pipeline

/// Turns what survived of each record into operations on the state of its key, and sorts them by
/// the shard that owns the key (SPEC 7, 8.4).
///
/// The last stage that sees records; behind it there are only keys, times and values. One stage
/// object per thread.
package final class RouterStage: Stage {
  package static let name = "router"

  private var eventNames: NameCache
  private var attributeKeys: NameCache
  private let withProfiles: Bool

  /// A router for a run with these names. Without profiles only events are routed, and without
  /// their values.
  package init(names: RunNames, withProfiles: Bool) {
    eventNames = NameCache(of: names.events)
    attributeKeys = NameCache(of: names.attributes)
    self.withProfiles = withProfiles
  }

  /// Fills the unit's slices from its batch. Complexity: O(bytes of the block).
  package func process(_ unit: WorkUnit) {
    for slice in unit.slices { slice.removeAll() }
    route(unit.batch, to: unit.slices)
  }

  private func route(_ batch: borrowing RecordBatch, to slices: [RoutedSlice]) {
    for index in batch.records.indices {
      let record = batch.records[index]
      if !record.isRejected { route(record, of: batch, to: slices) }
    }
  }

  private func route(
    _ record: RecordEntry, of batch: borrowing RecordBatch, to slices: [RoutedSlice]
  ) {
    var owner = OwnerKey(slices: slices)
    if record.customID >= 0 {
      owner = OwnerKey(.custom, batch.tape.bytes(at: Int(record.customID)), slices: slices)
    } else if record.installationID >= 0 {
      owner = OwnerKey(.install, batch.tape.bytes(at: Int(record.installationID)), slices: slices)
    }
    // The earliest time in the record that survives validation (SPEC 8.4).
    var earliest = Int.max
    for index in record.eventIndices where batch.events[index].isAccepted {
      earliest = min(earliest, batch.events[index].time)
      route(batch.events[index], of: record, owner, in: batch.tape, to: slices)
    }
    guard withProfiles else { return }
    for index in record.operationIndices where batch.operations[index].isApplied {
      earliest = min(earliest, record.time)
      route(batch.operations[index], at: record.time, owner, in: batch.tape)
    }
    if record.isLinkOnly {
      earliest = min(earliest, record.time)
      owner.append(.touch, time: record.time)
    }
    if record.customID >= 0, record.installationID >= 0, earliest < Int.max {
      let key = OwnerKey(
        .install, batch.tape.bytes(at: Int(record.installationID)), slices: slices)
      key.append(.link, time: earliest) { value in
        value.append(batch.tape.bytes(at: Int(record.customID)))
      }
    }
  }

  private func route(
    _ event: EventEntry, of record: RecordEntry, _ owner: OwnerKey, in tape: borrowing Tape,
    to slices: [RoutedSlice]
  ) {
    let name = tape.bytes(at: Int(event.nameNode))
    let id = eventNames.id(of: name)
    var fingerprint = Fingerprint.none
    if event.idNode >= 0 {
      fingerprint = Fingerprint(
        id: tape.bytes(at: Int(event.idNode)), owner: owner.hash, name: name, time: event.time)
    }
    let target =
      owner.isAnonymous
      ? owner.spread(fingerprint == .none ? XXH64.hash(name) : fingerprint.low, over: slices)
      : owner
    target.append(
      .event, time: event.time, name: id, dialect: record.dialect, id: fingerprint
    ) { value in
      if withProfiles, !owner.isAnonymous {
        CanonicalWriter.appendAttributes(of: event, in: tape, to: &value)
      }
    }
  }

  private func route(
    _ operation: OperationEntry, at time: Int, _ owner: OwnerKey, in tape: borrowing Tape
  ) {
    guard operation.kind == .attribute else {
      owner.append(.clear, time: time)
      return
    }
    let key = tape[Int(operation.key)]
    let name = attributeKeys.id(of: tape.bytes(key))
    let node = Int(operation.value)
    switch tape[node].kind {
    case .null: owner.append(.unset, time: time, name: name, form: key.keyForm)
    case .object: routeItems(node, at: time, name: name, owner, in: tape)
    default:
      owner.append(.set, time: time, name: name, form: key.keyForm) { value in
        CanonicalWriter.appendValue(node, of: tape, to: &value)
      }
    }
  }

  /// One routed operation per item of `$add` and `$remove`.
  private func routeItems(
    _ node: Int, at time: Int, name: UInt32, _ owner: OwnerKey, in tape: borrowing Tape
  ) {
    var key = node + 1
    let end = Int(tape[node].next)
    while key < end {
      let entry = tape[key]
      if !entry.isDropped {
        let kind: RoutedKind = tape.bytes(entry) == "$add" ? .addItem : .removeItem
        var item = key + 2
        while item < Int(entry.next) {
          owner.append(kind, time: time, name: name) { value in
            value.append(tape.bytes(at: item))
          }
          item = Int(tape[item].next)
        }
      }
      key = Int(entry.next)
    }
  }
}
