import Pipeline

/// What a shard keeps beside totals.
package struct ShardOptions: Sendable {
  /// False for `count`: only duplicates and totals, no profiles.
  package var keepsProfiles = true
  /// True with `--dedupe-days`: ids are kept for the state.
  package var keepsIDs = false

  package init() {}
}

/// The owner of a share of all keys: merges everything that happens to them (SPEC 7, 8).
///
/// A previous state is merged before the first slice is applied: only then an event that the state
/// knows is counted as a duplicate of this run, where the ledger expects it.
/// Slices and state slices come in any order within that, and the result does not depend on it.
package final class ProfileShard: @unchecked Sendable {
  // @unchecked because one serial queue owns a shard while it merges, and afterwards it is only
  // read, by any number of threads.
  private(set) var tables = ProfileTables()
  /// The counters of the events of this shard's keys.
  package let counters = EventCounters()
  private var seenIDs = DigestSet()
  private let options: ShardOptions

  /// An empty shard.
  package init(options: ShardOptions = ShardOptions()) { self.options = options }

  /// Merges the operations of a slice, marks those of its events that are duplicates, and tells it
  /// how many there are. Called on the shard's queue. Complexity: O(1) per operation on average.
  func merge(_ slice: RoutedSlice) {
    if options.keepsProfiles {
      slice.duplicates = Self.merge(
        slice, into: &tables, &seenIDs, keepsIDs: options.keepsIDs)
    } else {
      slice.duplicates = Self.markDuplicates(in: slice, &seenIDs)
    }
  }

  /// Merges registers of a state. Called on the shard's queue, before the first slice is merged.
  package func merge(_ slice: StateSlice) {
    Self.merge(slice, into: &tables, &counters.totals, &seenIDs, options)
  }

  /// Gives every key its records side by side, so that they can be read. Not while anything is
  /// merged.
  func sortRecords() { tables.sortRecords() }

  /// Makes sure that `key` has a state.
  func touch(_ key: ByteView, hash: UInt64) -> UInt32 {
    let profile = tables.profile(key, hash: hash)
    if !tables.isKnown(profile) { tables.touch(profile) }
    return profile
  }

  /// How many operations ahead ids are asked for.
  private static let aheadIDs = 12

  private static func markDuplicates(
    in slice: RoutedSlice, _ seenIDs: inout DigestSet
  ) -> Int {
    var duplicates = 0
    for index in slice.operations.indices {
      let ahead = slice.operations[min(index + aheadIDs, slice.operations.count - 1)].id
      seenIDs.prefetch(low: ahead.low, high: ahead.high)
      let id = slice.operations[index].id
      guard id != .none, !seenIDs.insert(low: id.low, high: id.high) else { continue }
      slice.operations[index].isDuplicate = true
      duplicates += 1
    }
    return duplicates
  }

  private static func merge(
    _ slice: RoutedSlice, into tables: inout ProfileTables, _ seenIDs: inout DigestSet,
    keepsIDs: Bool
  ) -> Int {
    let bytes = slice.bytes.view
    // Taken out for the time being, so that the list is held once and may be written to.
    var operations = slice.operations
    slice.operations = []
    defer { slice.operations = operations }
    var duplicates = 0
    // Operations of one record follow each other and share the range of their key.
    var (keyStart, keyLength, profile) = (UInt32.max, UInt32(0), ProfileTables.end)
    let prefetch = OperationPrefetch(operations, tables, seenIDs)
    for index in operations.indices {
      prefetch.advance(to: index, operations, tables, seenIDs)
      let operation = operations[index]
      var isNew = true
      let hasID = operation.kind == .event && operation.id != .none
      if operation.kind == .event {
        if hasID {
          isNew = seenIDs.insert(low: operation.id.low, high: operation.id.high)
          if !isNew {
            operations[index].isDuplicate = true
            duplicates += 1
          }
        }
        if operation.keyLength == 0 {
          if hasID && isNew && keepsIDs {
            tables.anonymousIDs.append(
              AnonymousID(id: operation.id, time: operation.time, name: operation.name))
          }
          continue
        }
      }
      if operation.keyStart != keyStart || operation.keyLength != keyLength {
        (keyStart, keyLength) = (operation.keyStart, operation.keyLength)
        let key = bytes[Int(keyStart)..<Int(keyStart) + Int(keyLength)]
        profile = tables.profile(key, hash: operation.keyHash)
      }
      let start = Int(operation.valueStart)
      let value = bytes[start..<start + Int(operation.valueLength)]
      tables.merge(operation, value, into: profile, counts: isNew, keepsID: hasID && keepsIDs)
    }
    return duplicates
  }
}

extension ProfileTables {
  /// Merges one operation of a key. `counts` is false for a duplicate event; `keepsID` tells to
  /// keep the id of an event that counts.
  fileprivate mutating func merge(
    _ operation: RoutedOperation, _ value: ByteView, into profile: UInt32, counts: Bool,
    keepsID: Bool
  ) {
    let (time, name) = (operation.time, operation.name)
    switch operation.kind {
    case .event:
      if counts {
        append(LogRecord(.event, name: name, time: time, value: value), to: profile)
        if keepsID {
          let words = (operation.id.low, operation.id.high)
          append(LogRecord(.id, name: name, time: time, words: words), to: profile)
        }
      } else {
        let seen = Seen(first: time, last: time)
        append(
          LogRecord(EventRegister(count: 0, seen: seen, value: value), name: name), to: profile)
      }
    case .set:
      append(
        LogRecord(.set, name: name, time: time, form: operation.form, value: value), to: profile)
    case .unset:
      append(LogRecord(.unset, name: name, time: time), to: profile)
    case .addItem:
      append(LogRecord(.addItem, name: name, time: time, value: value), to: profile)
    case .removeItem:
      append(LogRecord(.removeItem, name: name, time: time, value: value), to: profile)
    case .clear:
      mergeClear(profile, at: time)
    case .touch:
      touch(profile)
      return
    case .link:
      mergeLink(profile, InstallationLink(time: time, customID: value))
      return
    }
    profiles[profile].seen.merge(time)
  }
}
