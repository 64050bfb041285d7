import Pipeline

/// The tables are far bigger than the caches, and every lookup follows several addresses of which
/// each tells the next. So the next operations are prepared step by step while the current one is
/// merged. Nothing here changes what is found, only when it arrives.
struct OperationPrefetch {
  /// Operations from one step to the next: the processor waits for about that many lines at a time.
  private static let distance = 6
  private static let steps = 3

  /// For operations that made the second step: the number of their profile, if it was found.
  private var found = [8 of UInt32](repeating: ProfileTables.end)

  /// Begins with the first operations.
  init(
    _ operations: [RoutedOperation], _ tables: borrowing ProfileTables,
    _ seenIDs: borrowing DigestSet
  ) {
    for index in -Self.distance * Self.steps..<0 {
      advance(to: index, operations, tables, seenIDs)
    }
  }

  /// Takes each step for one more operation; called before the operation `index` is merged.
  @inline(__always)
  mutating func advance(
    to index: Int, _ operations: [RoutedOperation], _ tables: borrowing ProfileTables,
    _ seenIDs: borrowing DigestSet
  ) {
    let (first, second, third) = (
      index + 3 * Self.distance, index + 2 * Self.distance, index + Self.distance
    )
    if first < operations.count {
      let operation = operations[first]
      tables.profiles.prefetchIndex(operation.keyHash)
      if operation.id != .none {
        seenIDs.prefetch(low: operation.id.low, high: operation.id.high)
      }
    }
    if third >= 0, third < operations.count {
      let profile = found[third & 7]
      if profile != ProfileTables.end {
        let log = tables.profiles[profile].log
        tables.records.prefetch(log.last, at: Int(log.position))
      }
    }
    if second >= 0, second < operations.count {
      let operation = operations[second]
      found[second & 7] = ProfileTables.end
      if operation.keyLength > 0, let profile = tables.profiles.candidate(operation.keyHash) {
        tables.profiles.prefetch(profile)
        found[second & 7] = profile
      }
    }
  }
}

extension ProfileTables {
  /// How many profiles are prepared together for being read.
  static let batch = 16
  /// How many extents of a log are prepared; the rest of a longer one is left to its reader.
  private static let longestWalk = 16

  /// Asks for the records of `profiles`, at most ``batch`` of them, walking their logs in step.
  func prefetch(_ profiles: some Sequence<UInt32>) {
    var extents = [16 of Extent](repeating: .none)
    var count = 0
    var found = [16 of UInt32](repeating: Self.end)
    for profile in profiles {
      self.profiles.prefetch(profile)
      found[count] = profile
      count += 1
    }
    for place in 0..<count {
      let entry = self.profiles[found[place]]
      records.prefetch(entry.log.last, at: 0)
      extents[place] = entry.log.last
    }
    for _ in 0..<Self.longestWalk {
      var isDone = true
      for place in 0..<count where !extents[place].isNone {
        let extent = extents[place]
        // The first lines are there already; the processor sees where the rest is read to.
        records.prefetch(extent, at: 2 * ExtentArena.lineSize)
        extents[place] = RecordLog.before(extent, in: records)
        records.prefetch(extents[place], at: 0)
        isDone = false
      }
      if isDone { return }
    }
  }
}
