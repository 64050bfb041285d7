import Pipeline

/// What one entry of a state says about its key.
@frozen
package enum StateKind: UInt8, Sendable {
  /// `time`…`last`: when the key was seen.
  case seen
  case touch
  case clear
  case link
  case set
  case unset
  case addItem
  case removeItem
  /// An event register: `name`, `count`, `time`…`last`, `value`.
  case event
  /// The id of an event of the register `name`, at `time`; without a key: of an anonymous event.
  case id
  /// The total of an event name: `name`, `count`, `duplicates`, `time`…`last`. Has no key.
  case total
  /// `count` events of the total `name` were read in `dialect`. Has no key.
  case dialect
}

/// One register of a state on its way to the shard that owns the key.
package struct StateEntry: BitwiseCopyable, Sendable {
  var kind: StateKind
  var form = KeyForm.plain
  var dialect = Dialect.v2
  var name = UInt32(0)
  var keyStart = 0
  var keyLength = 0
  var valueStart = 0
  var valueLength = 0
  var keyHash = UInt64(0)
  var time = 0
  var last = 0
  var count = 0
  var duplicates = 0
  var id = Fingerprint.none
}

/// The registers of some lines of a state for one shard; the counterpart of ``RoutedSlice``.
package final class StateSlice {
  var entries: [StateEntry] = []
  var bytes = ByteBuffer(capacity: 1 << 12)

  package init() {}

  /// Forgets the entries and keeps the room.
  package func removeAll() {
    entries.removeAll(keepingCapacity: true)
    bytes.removeAll()
  }

  /// Whether there is nothing to merge.
  package var isEmpty: Bool { entries.isEmpty }
}

extension ProfileShard {
  /// Merges the registers of a state by the same algebra as operations.
  ///
  /// An id that is known already means that two states counted one event (two partial runs read
  /// it): it is turned into one event and one duplicate, so that ids merge like a set.
  static func merge(
    _ slice: StateSlice, into tables: inout ProfileTables, _ totals: inout EventTotals,
    _ seenIDs: inout DigestSet, _ options: ShardOptions
  ) {
    let bytes = slice.bytes.view
    for entry in slice.entries {
      switch entry.kind {
      case .total:
        totals.merge(
          entry.name,
          EventTotals.Total(
            count: entry.count, duplicates: entry.duplicates,
            seen: Seen(first: entry.time, last: entry.last)))
        continue
      case .dialect:
        totals.merge(entry.name, entry.dialect, count: entry.count)
        continue
      case .id:
        // Without --dedupe-days the scope of an id is one run (SPEC 7).
        guard options.keepsIDs else { continue }
        let isNew = seenIDs.insert(low: entry.id.low, high: entry.id.high)
        if !isNew { totals.countTwiceAsDuplicate(entry.name) }
        guard options.keepsProfiles else { continue }
        guard entry.keyLength > 0 else {
          if isNew {
            tables.anonymousIDs.append(
              AnonymousID(id: entry.id, time: entry.time, name: entry.name))
          }
          continue
        }
        let key = bytes[entry.keyStart..<entry.keyStart + entry.keyLength]
        tables.merge(
          entry.id, name: entry.name, time: entry.time, isNew: isNew,
          into: tables.profile(key, hash: entry.keyHash))
      default:
        guard options.keepsProfiles else { continue }
        let key = bytes[entry.keyStart..<entry.keyStart + entry.keyLength]
        let value = bytes[entry.valueStart..<entry.valueStart + entry.valueLength]
        tables.merge(entry, value, into: tables.profile(key, hash: entry.keyHash))
      }
    }
  }
}

extension ProfileTables {
  /// Merges one register of a key.
  fileprivate mutating func merge(_ entry: StateEntry, _ value: ByteView, into profile: UInt32) {
    switch entry.kind {
    case .seen:
      profiles[profile].seen.merge(Seen(first: entry.time, last: entry.last))
    case .touch:
      touch(profile)
    case .clear:
      mergeClear(profile, at: entry.time)
    case .link:
      mergeLink(profile, InstallationLink(time: entry.time, customID: value))
    case .set:
      append(
        LogRecord(.set, name: entry.name, time: entry.time, form: entry.form, value: value),
        to: profile)
    case .unset:
      append(LogRecord(.unset, name: entry.name, time: entry.time), to: profile)
    case .addItem:
      append(LogRecord(.addItem, name: entry.name, time: entry.time, value: value), to: profile)
    case .removeItem:
      append(
        LogRecord(.removeItem, name: entry.name, time: entry.time, value: value), to: profile)
    case .event:
      append(
        LogRecord(
          EventRegister(
            count: entry.count, seen: Seen(first: entry.time, last: entry.last), value: value),
          name: entry.name),
        to: profile)
    case .id, .total, .dialect:
      preconditionFailure("totals and ids are no registers of a profile")
    }
  }

  /// Merges the id of an event of a key; one that is not new takes an event back that was counted
  /// twice.
  fileprivate mutating func merge(
    _ id: Fingerprint, name: UInt32, time: Int, isNew: Bool, into profile: UInt32
  ) {
    if isNew {
      append(LogRecord(.id, name: name, time: time, words: (id.low, id.high)), to: profile)
    } else {
      // At the time of the id, so that the name has a time whatever else is known of it.
      let seen = Seen(first: time, last: time)
      append(
        LogRecord(EventRegister(count: -1, seen: seen, value: ""), name: name), to: profile)
    }
  }
}
