import Pipeline

/// Prefetches memory for the next operations, step by step, while the current one is merged: the
/// tables are far bigger than the caches, and every lookup follows several dependent addresses. The
/// results do not depend on it.
struct OperationPrefetch {
  /// Operations between two steps, and between the last one and the merge.
  private static let distance = 8

  /// Begins with the first operations.
  init(_ operations: [RoutedOperation], _ tables: borrowing ProfileTables) {
    for index in -2 * Self.distance..<0 { advance(to: index, operations, tables) }
  }

  /// Performs each step for one more operation; called before the operation `index` is merged.
  @inline(__always)
  func advance(
    to index: Int, _ operations: [RoutedOperation], _ tables: borrowing ProfileTables
  ) {
    let (first, second) = (index + 2 * Self.distance, index + Self.distance)
    if first < operations.count {
      tables.profiles.prefetchIndex(operations[first].keyHash)
    }
    if second >= 0, second < operations.count, operations[second].keyLength > 0,
      let profile = tables.profiles.candidate(operations[second].keyHash)
    {
      tables.profiles.prefetch(profile)
    }
  }
}

extension ProfileTables {
  /// Bytes of a key's records to prefetch; the processor continues by itself.
  private static let prefetchedLength = 1 << 10

  /// Prefetches the records of a key whose entry was prefetched before.
  func prefetchRecords(of profile: UInt32) {
    let entry = profiles[profile]
    let length = min(entry.recordsLength, Self.prefetchedLength)
    for offset in stride(from: 0, to: length, by: 2 * ExtentArena.lineSize) {
      arena.prefetch(entry.records, at: offset)
    }
  }
}
