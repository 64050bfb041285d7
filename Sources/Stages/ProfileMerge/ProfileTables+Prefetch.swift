import Pipeline

/// The tables are far bigger than the caches, and every lookup follows several addresses of which
/// each tells the next. Doing each step for a whole batch before the next step lets the processor
/// wait for all of them at once. Nothing here changes what is found, only when it arrives.
extension ProfileTables {
  /// How many operations, or profiles, are prepared together.
  static let batch = 16
  /// How many extents of a log are prepared; the rest of a longer one is left to its reader.
  private static let longestWalk = 16

  /// Asks for what the merge of `operations`, at most ``batch`` of them, will need.
  func prefetch(_ operations: ArraySlice<RoutedOperation>, _ seenIDs: borrowing DigestSet) {
    for operation in operations {
      profileIndex.prefetch(operation.keyHash)
      if operation.kind == .event { seenIDs.prefetchSegment(low: operation.id.low) }
    }
    var found = [16 of UInt32](repeating: Self.end)
    var count = 0
    for operation in operations {
      if operation.kind == .event {
        seenIDs.prefetchSlots(low: operation.id.low, high: operation.id.high)
      }
      guard operation.keyLength > 0, let profile = profileIndex.candidate(operation.keyHash)
      else { continue }
      profiles.prefetch(profile)
      found[count] = profile
      count += 1
    }
    for place in 0..<count {
      let profile = profiles[found[place]]
      texts.prefetch(profile.key)
      records.prefetch(profile.log.last, at: Int(profile.log.position))
    }
  }

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
      texts.prefetch(entry.key)
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
