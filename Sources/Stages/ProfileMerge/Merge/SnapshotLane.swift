import Dispatch
package import Pipeline

/// Merges pieces and renders what comes out: lines of state and profiles. One per thread.
package final class SnapshotLane: @unchecked Sendable {
  // @unchecked because only the lane's queue calls it, and the results are read when it has ended.

  /// What is done with a piece.
  package enum Task: Sendable {
    /// State and profiles are rendered.
    case snapshot
    /// Installations that are as they were are looked through for those of people whose profiles may
    /// have changed.
    case memberships
  }

  /// What was counted.
  package private(set) var tally = SnapshotTally()
  package private(set) var time = StageTime(name: "publish")

  let plan: MergePlan
  private let encoder: ZstdEncoder
  private let reader: FrameFileReader
  private var rows = RegisterRows()
  private var stateWriter: StateWriter
  private var profileWriter: ProfileWriter
  var stretch: PreviousStretch
  private var profiles: PreviousProfiles
  var lines: PreviousLines
  /// What tables and spills know of the keys of the piece.
  var others = CursorMerge([])
  /// The installations of the people of the piece.
  var members = CursorMerge([])
  /// The key that is merged.
  private var keyText = ByteBuffer()
  let memberBytes = StateBytes()
  var memberStates: [KeyState] = []
  var gathered = ByteBuffer()

  /// A lane for pieces of `plan`, with frames of that level.
  /// - Throws: `io`, when there is no memory.
  package init(_ plan: MergePlan, level: Int) throws(Failure) {
    self.plan = plan
    encoder = try ZstdEncoder(level: level)
    let reader = try FrameFileReader()
    self.reader = reader
    stateWriter = StateWriter(plan.names, oldestID: plan.oldestID)
    profileWriter = ProfileWriter(plan.names, plan.options)
    stretch = PreviousStretch(reader)
    profiles = PreviousProfiles(reader)
    lines = PreviousLines(plan)
  }

  /// The pieces of a section (``MergePlan/pieces(_:_:)``).
  package func pieces(_ partition: Int, _ section: KeySection) -> [MergePiece] {
    plan.pieces(partition, section)
  }

  /// Does the task for a piece; a failure stands in the unit.
  package func work(_ task: Task, on piece: MergePiece, into unit: SnapshotUnit) {
    let start = DispatchTime.now().uptimeNanoseconds
    do throws(Failure) {
      others = try plan.cursors(piece, reader)
      switch task {
      case .snapshot: try render(piece, into: unit)
      case .memberships: try collectMemberships(piece, into: unit)
      }
    } catch {
      unit.failure = error
    }
    // Nothing is held on to until the next piece.
    others = CursorMerge([])
    members = CursorMerge([])
    time.nanoseconds += DispatchTime.now().uptimeNanoseconds - start
    time.units += 1
  }

  // MARK: - Pieces

  private func render(_ piece: MergePiece, into unit: SnapshotUnit) throws(Failure) {
    members = try plan.memberships(of: piece, reader)
    if piece.section != .anonymous, let part = plan.previous?.parts[piece.partition] {
      let (frames, end) = part.frames(piece.section, piece.range)
      try stretch.read(frames, end: end, of: part)
      for group in stretch.groups { try merge(group, of: part, piece, into: unit) }
    }
    try mergeNew(before: nil, piece, into: unit)
    try unit.frames.cut(encoder)
  }

  /// Merges a group of the previous snapshot, and what comes before it.
  private func merge(
    _ group: PreviousStretch.Group, of part: PreviousPart, _ piece: MergePiece,
    into unit: SnapshotUnit
  ) throws(Failure) {
    if piece.range.isBefore(group.first) { return }
    try mergeNew(before: group.first, piece, into: unit)
    if isUntouched(group, piece, unit) {
      try copy(group, of: part, piece, into: unit)
    } else {
      try mergeLines(of: group, part, piece, into: unit)
    }
  }

  /// Whether all of a group can be copied as it is.
  private func isUntouched(
    _ group: PreviousStretch.Group, _ piece: MergePiece, _ unit: SnapshotUnit
  ) -> Bool {
    let range = piece.range
    let isWhole: Bool
    switch (range.upper, group.end) {
    case (nil, _): isWhole = !range.isAfter(group.first)
    case (_?, nil): isWhole = false
    case (let upper?, let end?): isWhole = !range.isAfter(group.first) && !(upper < end)
    }
    let begins =
      KeyHash.beginsGroup(XXH64.hash(group.first))
      || (range.lower == nil && unit.frames.isEmpty)
    guard isWhole, begins else { return false }
    if let key = nextKey, group.end.map({ key < $0 }) ?? true { return false }
    return !lines.hasChange(in: stretch.text(of: group), piece.section)
  }

  private func copy(
    _ group: PreviousStretch.Group, of part: PreviousPart, _ piece: MergePiece,
    into unit: SnapshotUnit
  ) throws(Failure) {
    let stateLines = NewlineScan(stretch.text(of: group)).count
    var profileLines = stateLines
    if piece.section != .custom {
      try profiles.read(group.frames, of: part)
      profileLines = profiles.lineCount
    }
    tally.lines += profileLines
    try unit.frames.copy(
      group.frames, of: part, stateLines: stateLines, profileLines: profileLines, encoder)
  }

  private func mergeLines(
    of group: PreviousStretch.Group, _ part: PreviousPart, _ piece: MergePiece,
    into unit: SnapshotUnit
  ) throws(Failure) {
    try profiles.read(group.frames, of: part)
    var place = group.text.lowerBound
    while place < group.text.upperBound {
      guard let line = stretch.line(at: place) else {
        throw part.state.file.damaged("a line has no key", frame: group.frames.lowerBound)
      }
      place += line.text.count
      let profile = profiles.next(for: line.text, piece.section)
      if piece.range.isAfter(line.key) { continue }
      if piece.range.isBefore(line.key) { return }
      guard profile != nil || piece.section != .custom else {
        throw part.profiles.file.damaged(
          "it has no profile for a key of the state", frame: group.frames.lowerBound)
      }
      try mergeNew(before: line.key, piece, into: unit)
      let isChanged =
        others.key == line.key || members.key == line.key
        || lines.mayBeTouched(line.key, piece.section)
      if isChanged {
        try mergeKey(line.key, (line, profile), piece, into: unit)
      } else {
        try copyKey(line, profile, into: unit)
      }
    }
  }

  /// Copies the line of a key and its profile. Ids that have expired are forgotten, which no profile
  /// shows.
  private func copyKey(
    _ line: PreviousStretch.Line, _ profile: ByteView?, into unit: SnapshotUnit
  ) throws(Failure) {
    if lines.hasExpiredIDs(line.text) {
      let state = try lines.state(of: line.text)
      rows.removeAll()
      rows.gather(state.records, order: plan.names.order)
      rows.settle()
      try writeState(state, copied: nil, into: unit)
    } else {
      try unit.frames.begin(XXH64.hash(line.key), encoder)
      append(line.text, to: &unit.frames.state)
    }
    if let profile { appendProfile(profile, to: &unit.frames.profiles) }
  }

  private func append(_ line: ByteView, to text: inout FrameText) {
    text.text.append(line)
    text.lines += 1
  }

  private func appendProfile(_ line: ByteView, to text: inout FrameText) {
    append(line, to: &text)
    tally.lines += 1
  }

  // MARK: - Keys

  /// The next key that is not only in the previous snapshot.
  private var nextKey: ByteView? {
    guard let member = members.key else { return others.key }
    guard let other = others.key else { return member }
    return member < other ? member : other
  }

  /// Merges keys up to `limit` that the previous snapshot does not have.
  private func mergeNew(
    before limit: ByteView?, _ piece: MergePiece, into unit: SnapshotUnit
  ) throws(Failure) {
    while let key = nextKey, limit.map({ key < $0 }) ?? true {
      try mergeKey(key, nil, piece, into: unit)
    }
  }

  /// Merges everything that is known of a key, and goes on to the next one.
  private func mergeKey(
    _ key: ByteView, _ earlier: (line: PreviousStretch.Line, profile: ByteView?)?,
    _ piece: MergePiece, into unit: SnapshotUnit
  ) throws(Failure) {
    // The cursor that has the key may move on before its profile is written.
    keyText.removeAll()
    keyText.append(key)
    rows.removeAll()
    var state = KeyState(key: keyText.view)
    var before: KeyState?
    if let earlier {
      let known = try lines.state(of: earlier.line.text)
      state.merge(known)
      rows.gather(known.records, order: plan.names.order)
      before = known
      if let profile = earlier.profile { try lines.uncount(profile, from: &tally) }
    }
    let isChanged = others.key == state.key
    if isChanged {
      others.forEach { known in
        state.merge(known)
        rows.gather(known.records, order: plan.names.order)
      }
    }
    rows.settle()
    rows.forEachDuplicate { tally.duplicates.add($0, of: $1) }

    switch piece.section {
    case .anonymous: try writeAnonymous(into: unit)
    case .custom:
      try gatherMembers(of: state.key)
      if !memberStates.isEmpty, !state.isKnown { state.isTouched = true }
      if state.isKnown {
        let copied = isChanged ? nil : earlier?.line.text
        try writePerson(state, copied: copied, into: unit)
      }
    case .install:
      let copied = isChanged ? nil : earlier?.line.text
      try writeInstallation(state, copied: copied, into: unit)
      if isChanged { noteFold(state, before, into: unit) }
    }
    if isChanged { try others.advance() }
  }

  private func writeAnonymous(into unit: SnapshotUnit) throws(Failure) {
    guard plan.options.dedupeDays > 0 else { return }
    var written: IDRow?
    rows.forEachID { written = $0 }
    guard let written, written.time >= plan.oldestID else { return }
    try unit.frames.begin(XXH64.hash(keyText.view), encoder)
    stateWriter.writeAnonymous(written, into: &unit.frames.state.text)
    unit.frames.state.lines += 1
  }

  /// Writes the state of a key: anew, unless nothing of it has changed but other lines have.
  private func writeState(
    _ state: KeyState, copied: ByteView?, into unit: SnapshotUnit
  ) throws(Failure) {
    try unit.frames.begin(XXH64.hash(state.key), encoder)
    if let copied, !lines.hasExpiredIDs(copied) {
      append(copied, to: &unit.frames.state)
    } else {
      stateWriter.write(state, rows, into: &unit.frames.state.text)
      unit.frames.state.lines += 1
    }
  }

  private func writePerson(
    _ state: KeyState, copied: ByteView?, into unit: SnapshotUnit
  ) throws(Failure) {
    try writeState(state, copied: copied, into: unit)
    var hasRecords = false
    for member in memberStates where !member.records.isEmpty {
      rows.gather(member.records, order: plan.names.order)
      hasRecords = true
    }
    if hasRecords { rows.settle() }
    writeProfile(state, .custom, into: unit)
  }

  private func writeInstallation(
    _ state: KeyState, copied: ByteView?, into unit: SnapshotUnit
  ) throws(Failure) {
    try writeState(state, copied: copied, into: unit)
    memberStates.removeAll(keepingCapacity: true)
    if state.isKnown, !plan.folds(state) { writeProfile(state, .install, into: unit) }
  }

  private func writeProfile(
    _ state: KeyState, _ section: KeySection, into unit: SnapshotUnit
  ) {
    profileWriter.write(
      state, section, members: memberStates, rows, into: &unit.frames.profiles.text, &tally)
    unit.frames.profiles.lines += 1
    tally.lines += 1
  }
}
