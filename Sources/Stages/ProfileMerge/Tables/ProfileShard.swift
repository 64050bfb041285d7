package import Pipeline

/// The owner of a share of all keys: merges all their mutations (data-model 12, 13).
///
/// Slices of operations and of states come in any order, and the result does not depend on it.
/// Duplicates are found when the records of a key are sorted, because only then all candidates are
/// together. One thread at a time merges.
package final class ProfileShard: Sendable {
  let tables = Locked(ProfileTables())
  /// The store for tables above the limit; nil keeps them in memory.
  private let spills: SpillStore?

  /// An empty shard. With `spills` its tables never exceed ``SpillStore/tableLimit`` by more than a
  /// slice.
  package init(spills: SpillStore? = nil) { self.spills = spills }

  /// Merges the operations of a slice. Complexity: O(1) per operation on average.
  /// - Throws: `io`, when tables above the limit cannot be spilled.
  func merge(_ slice: RoutedSlice) throws(Failure) {
    try merge { Self.merge(slice, into: &$0) }
  }

  /// Merges a slice of a state.
  /// - Throws: as above.
  package func merge(_ slice: StateSlice) throws(Failure) {
    try merge { tables in
      let bytes = slice.bytes.view
      var offset = 0
      while let state = KeyState(bytes, at: &offset) { tables.merge(state) }
    }
  }

  private func merge(_ body: (inout ProfileTables) -> Void) throws(Failure) {
    let footprint = tables.withLock { tables in
      body(&tables)
      return tables.footprint
    }
    if let spills, footprint > spills.tableLimit { try spill(to: spills) }
  }

  /// Removes and returns the tables, with the records of every key contiguous.
  package func takeTables() -> Frozen<ProfileTables> {
    tables.withLock { tables in
      tables.sortRecords()
      let taken = tables
      tables = ProfileTables()
      return Frozen(taken)
    }
  }

  /// Moves all tables to a spill, unless they are empty.
  ///
  /// - Throws: `io`, when it cannot be written.
  package func spill(to store: SpillStore) throws(Failure) {
    let tables = takeTables()
    guard !tables.value.isEmpty else { return }
    try store.write(SortedTables([tables], partitions: store.partitions))
    store.add(tables.value.duplicates)
  }

  private static func merge(_ slice: RoutedSlice, into tables: inout ProfileTables) {
    let bytes = slice.bytes.view
    let operations = slice.operations
    // Operations of one record are consecutive and share the range of their key.
    var (keyStart, keyLength, profile) = (UInt32.max, UInt32(0), ProfileTables.end)
    let prefetch = OperationPrefetch(operations, tables)
    var source = slice.source
    var changes = slice.changes[...]
    var change = changes.first?.start ?? Int.max
    for index in operations.indices {
      prefetch.advance(to: index, operations, tables)
      while index >= change {
        source = changes.removeFirst().source
        change = changes.first?.start ?? Int.max
      }
      let operation = operations[index]
      if operation.keyLength == 0 {
        // Of an anonymous event only the id is kept: it has no profile.
        guard operation.kind == .event, operation.id != .none else { continue }
        tables.anonymousIDs.append(
          AnonymousID(
            id: EventID(operation.id, source: source), time: operation.time,
            latest: operation.time, name: operation.name, isEarlier: false))
        continue
      }
      if operation.keyStart != keyStart || operation.keyLength != keyLength {
        (keyStart, keyLength) = (operation.keyStart, operation.keyLength)
        let key = bytes[Int(keyStart)..<Int(keyStart) + Int(keyLength)]
        profile = tables.profile(key, hash: operation.keyHash)
      }
      let start = Int(operation.valueStart)
      let value = bytes[start..<start + Int(operation.valueLength)]
      tables.merge(operation, value, source: source, into: profile)
    }
  }
}

extension ProfileTables {
  /// Merges one operation of a key.
  fileprivate mutating func merge(
    _ operation: RoutedOperation, _ value: ByteView, source: InputSourceID,
    into profile: UInt32
  ) {
    let (time, name) = (operation.time, operation.name)
    switch operation.kind {
    case .event:
      var record = Mutation(.event, name: name, time: time, value: value)
      if operation.id != .none {
        let id = EventID(operation.id, source: source)
        record.kind = .identified
        record.words = (id.tail, id.high)
      }
      append(record, to: profile)
    case .set:
      append(
        Mutation(.set, name: name, time: time, form: operation.form, value: value), to: profile)
    case .unset:
      append(Mutation(.unset, name: name, time: time), to: profile)
    case .addItem:
      append(Mutation(.addItem, name: name, time: time, value: value), to: profile)
    case .removeItem:
      append(Mutation(.removeItem, name: name, time: time, value: value), to: profile)
    case .register(let register):
      append(Mutation(register, TimedValue(time: time, value: value)), to: profile)
    case .clear:
      mergeClear(profile, at: time)
    case .erase:
      mergeEraseMark(profile, at: time)
    case .touch:
      touch(profile)
      return
    case .link:
      mergeLink(profile, InstallationLink(time: time, target: value))
      return
    }
    if time != EventTime.absent { profiles[profile].seen.merge(time) }
  }
}
