import Pipeline

/// The keys of the previous snapshot: copied if they have no new data, as a whole frame if none of
/// its keys has, else merged.
extension SnapshotLane {
  /// Moves to the first key of the piece.
  func beginPrevious() throws(Failure) {
    guard let part = plan.part(piece.partition, section) else { return }
    try previous.begin(section, of: part, in: piece.range)
  }

  func takeFrame(_ entry: FrameEntry) throws(Failure) {
    guard isUntouched(entry) else { return try previous.decode() }
    try unit.frames.copy(entry, of: previous.run, encoders)
    tally.lines += entry.entry.profiles.lines
    try previous.passFrame()
  }

  /// Whether the frame at the cursor can be copied unchanged.
  private func isUntouched(_ entry: FrameEntry) -> Bool {
    guard previous.frameIsInRange else { return false }
    if let key = nextKey, previous.frameEnd.map({ key < $0 }) ?? true { return false }
    if entry.entry.hasIDs(before: plan.oldestID) { return false }
    if section == .custom, entry.entry.mayHave(plan.persons) { return false }
    return unit.frames.begins(with: XXH64.hash(entry.entry.key))
  }

  /// Copies the key at the cursor, or merges it with its new data.
  func takeKey(_ key: ByteView) throws(Failure) {
    if others.key == key || members.key == key || mayBeTouched(key) {
      return try mergeKey(key, isEarlier: true)
    }
    guard let earlier = previous.head else { preconditionFailure("the key is at the cursor") }
    try unit.frames.begin(key, XXH64.hash(key), encoders)
    if previous.profile != nil { tally.lines += 1 }
    unit.frames.append(earlier, previous.profile, names: plan.names, oldestID: plan.oldestID)
  }

  /// Whether the profile of a key may have changed, although the key has no new data: only of such
  /// people the installations are known.
  private func mayBeTouched(_ key: ByteView) -> Bool {
    section == .custom && plan.persons.contains(XXH64.hash(key))
  }
}
