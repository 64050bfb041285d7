import Pipeline

/// The lines of the previous snapshot: copied where nothing new is known of them, frame by frame
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

  func mergeLines(
    of entry: PreviousEntry, _ part: PreviousPart, _ piece: KeyRangeTask, into unit: SnapshotUnit
  ) throws(Failure) {
    try frame.readState(entry, of: part)
    try frame.readProfiles(entry, of: part)
    while let line = try frame.nextLine(of: part) {
      let profile = frame.nextProfile(for: line.text, piece.section)
      if piece.range.startsAfter(line.key) { continue }
      if piece.range.endsBefore(line.key) { return }
      guard profile != nil || piece.section != .custom else {
        throw part.profiles.damaged("it has no profile for a key of the state")
      }
      try mergeNew(before: line.key, piece, into: unit)
      let isChanged =
        others.key == line.key || members.key == line.key
        || lines.mayBeTouched(line.key, piece.section)
      if isChanged {
        try mergeKey(line.key, (line.text, profile), piece, into: unit)
      } else {
        try copyKey(line, profile, piece, into: unit)
      }
    }
  }

  /// Copies the line of a key and its profile. Ids that have expired are forgotten, which no
  /// profile shows.
  private func copyKey(
    _ line: PreviousFrame.Line, _ profile: ByteView?, _ piece: KeyRangeTask, into unit: SnapshotUnit
  ) throws(Failure) {
    let hash = XXH64.hash(line.key)
    try unit.frames.begin(line.key, hash, encoder)
    let person = piece.section == .custom ? nil : lines.person(of: line.text)
    if let mark = person.map({ XXH64.hash($0) }) ?? (piece.section == .custom ? hash : nil) {
      unit.frames.mark(mark)
    }
    try writeLine(line.text, into: unit)
    if let profile { appendProfile(profile, to: &unit.frames.profiles) }
  }

  /// Writes a line of the previous state as it is, but for ids that have expired.
  private func writeLine(_ line: ByteView, into unit: SnapshotUnit) throws(Failure) {
    if copy(line, oldestID: try lines.oldestID(of: line), into: unit) { return }
    let state = try lines.state(of: line)
    rows.removeAll()
    rows.gather(state.records, order: plan.names.order)
    rows.settle()
    writeRows(of: state, into: unit)
  }

  /// Copies a line of the previous state whose oldest id is of that time; false when that one has
  /// expired.
  func copy(_ line: ByteView, oldestID: Int, into unit: SnapshotUnit) -> Bool {
    guard oldestID == .max || oldestID >= plan.oldestID else { return false }
    unit.frames.note(oldestID: oldestID)
    append(line, to: &unit.frames.state)
    return true
  }

  private func append(_ line: ByteView, to text: inout FrameText) {
    text.text.append(line)
    text.lines += 1
  }

  private func appendProfile(_ line: ByteView, to text: inout FrameText) {
    append(line, to: &text)
    tally.lines += 1
  }
}
