import Pipeline

/// The keys of the previous snapshot: copied where nothing new is known of them, frame by frame
/// where that holds for all of a frame, else merged.
extension SnapshotLane {
  /// Whether a frame, behind which the key `end` stands, can be copied as it is.
  func isUntouched(
    _ entry: IndexEntry, end: ByteView?, _ piece: KeyRangeTask, _ unit: SnapshotUnit
  ) -> Bool {
    if piece.range.startsAfter(entry.key) { return false }
    if let upper = piece.range.upper, end.map({ upper < $0 }) ?? true { return false }
    if let key = nextKey, end.map({ key < $0 }) ?? true { return false }
    if entry.hasIDs(before: plan.oldestID) { return false }
    if piece.section == .custom, entry.mayHave(plan.persons) { return false }
    return copied != nil || unit.frames.begins(with: XXH64.hash(entry.key))
  }

  /// Copies the frames that wait for it.
  func copyFrames(of part: PreviousPart, into unit: SnapshotUnit) throws(Failure) {
    guard let entries = copied else { return }
    copied = nil
    for entry in stretch.entries[entries] { tally.lines += entry.entry.profiles.lines }
    try unit.frames.copy(stretch.entries[entries], of: part, encoder)
  }

  /// Merges the keys of a frame with what is known of them anew.
  func mergeFrame(
    of entry: PreviousEntry, _ part: PreviousPart, _ piece: KeyRangeTask, into unit: SnapshotUnit
  ) throws(Failure) {
    try frame.read(entry, of: part, reader)
    while let earlier = try frame.next(of: part) {
      let key = earlier.state.key
      if piece.range.startsAfter(key) { continue }
      if piece.range.endsBefore(key) { return }
      guard earlier.profile != nil || piece.section != .custom else {
        throw part.profiles.damaged("it has no profile for a key of the state")
      }
      try mergeNew(before: key, piece, into: unit)
      if others.key == key || members.key == key || mayBeTouched(key, piece.section) {
        try mergeKey(key, earlier, piece, into: unit)
      } else {
        try begin(earlier.state, piece.section, into: unit)
        if earlier.profile != nil { tally.lines += 1 }
        unit.frames.copy(earlier, of: frame, names: plan.names, oldestID: plan.oldestID)
      }
    }
  }

  /// Whether the profile of a key may be another one, although nothing of the key came anew: only
  /// of such people the installations are known.
  private func mayBeTouched(_ key: ByteView, _ section: KeySection) -> Bool {
    section == .custom && plan.persons.contains(XXH64.hash(key))
  }

  /// Everything that a key of the frame knows.
  func whole(_ key: StateFrame.Key, of piece: KeyRangeTask) throws(Failure) -> KeyState {
    guard let part = plan.part(piece.partition, piece.section) else {
      preconditionFailure("a key of the previous snapshot stands in a part of it")
    }
    return try frame.whole(key, keepsIDs: plan.options.dedupeDays > 0, of: part)
  }
}
