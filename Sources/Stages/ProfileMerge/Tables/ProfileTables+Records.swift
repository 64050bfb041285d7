import Pipeline

/// Logs and sorted records.
///
/// Operations come in random key order: appending to the records of each key would miss the cache
/// every time. A log collects the mutations of 1024 keys. Sorting one moves records only within the
/// few MiB of a group, which fit into the caches.
extension ProfileTables {
  /// Number of keys that share a log.
  static let groupSize = 1 << Mutation.ownerBits
  /// A log below this many bytes is not merged.
  private static let worthMerging = 256 << 10
  /// A log below this many bytes per key is not merged.
  private static let worthMergingPerKey = 2 << 10

  /// Adds a record of a key. Complexity: O(`record.length`), amortised.
  mutating func append(_ record: Mutation, to profile: UInt32) {
    let group = profile >> UInt32(Mutation.ownerBits)
    while group >= logs.count { logs.append(MutationLog()) }
    var record = record
    record.owner = Int(profile) % Self.groupSize
    logs[group].append(record, in: &arena)
    profiles[profile].loggedLength += record.length
    if logs[group].length >= Self.worthMerging, isDue(group) { compact(group) }
  }

  /// The sorted records of a key, one after the other: all of them after ``sortRecords()``.
  func records(of profile: UInt32) -> ByteView {
    let entry = profiles[profile]
    return arena[entry.records, entry.recordsLength]
  }

  /// Makes the records of every key contiguous. Complexity: O(bytes of records).
  mutating func sortRecords() {
    for group in 0..<logs.next where !logs[group].isEmpty { sort(group) }
  }

  /// Whether a log has grown by half since its records were merged.
  private func isDue(_ group: UInt32) -> Bool {
    let log = logs[group]
    let least = keys(of: group).count * Self.worthMergingPerKey
    return log.length >= max(log.mergedLength / 2 * 3, least)
  }

  /// The keys of a group.
  private func keys(of group: UInt32) -> Range<UInt32> {
    let first = group << UInt32(Mutation.ownerBits)
    return first..<UInt32(min(Int(first) + Self.groupSize, profiles.count))
  }

  /// Moves the records of a log to their keys.
  private mutating func sort(_ group: UInt32) {
    let keys = keys(of: group)
    // By owner: the position of its next record.
    var targets: [(extent: Extent, offset: Int)] = []
    targets.reserveCapacity(keys.count)
    for profile in keys {
      let start = profiles[profile].recordsLength
      if profiles[profile].loggedLength > 0 { makeRoom(for: profile) }
      targets.append((profiles[profile].records, start))
    }
    logs[group].forEach(in: arena) { owner, record in
      arena.write(record, to: targets[owner].extent, at: targets[owner].offset)
      targets[owner].offset += record.count
    }
    logs[group].removeAll(in: &arena)
  }

  /// Reserves capacity for the logged records of a key after its sorted ones.
  private mutating func makeRoom(for profile: UInt32) {
    let old = profiles[profile]
    let length = old.recordsLength + old.loggedLength
    precondition(length <= ExtentArena.maximumLength, "the records of a key exceed 3 GiB")
    let extent = arena.allocate(length)
    arena.write(arena[old.records, old.recordsLength], to: extent, at: 0)
    arena.free(old.records)
    profiles[profile].records = extent
    profiles[profile].recordsLength = length
    profiles[profile].loggedLength = 0
  }

  /// Merges the records of each key of a log, and makes a new log of the results.
  ///
  /// Nothing is lost that a later merge would need: merging is associative.
  private mutating func compact(_ group: UInt32) {
    sort(group)
    for profile in keys(of: group) where profiles[profile].recordsLength > 0 {
      compactor.merge(
        records(of: profile), clear: clear(of: profile), duplicates: &duplicates)
      arena.free(profiles[profile].records)
      profiles[profile].records = .none
      profiles[profile].recordsLength = 0
      let bytes = compactor.bytes.view
      var offset = 0
      while var record = Mutation(bytes, at: &offset) {
        record.owner = Int(profile) % Self.groupSize
        logs[group].append(record, in: &arena)
      }
      profiles[profile].loggedLength = bytes.count
    }
    logs[group].mergedLength = logs[group].length
  }
}
