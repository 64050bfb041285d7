import Dispatch
package import Pipeline

/// Merges pieces and renders what comes out: lines of state and profiles. One per thread.
package final class SnapshotLane {
  /// What is done with a piece.
  package enum Task: Sendable {
    /// State and profiles are rendered.
    case snapshot
    /// Installations that are as they were are looked through for those of people whose profiles
    /// may have changed.
    case memberships
  }

  /// What was counted.
  package internal(set) var tally = SnapshotTally()
  package private(set) var time = StageTime(name: "publish")

  let plan: MergePlan
  let encoder: ZstdEncoder
  private let reader: FrameFileReader
  var rows = KeyRegisters()
  private var stateWriter: StateWriter
  private var profileWriter: ProfileWriter
  var stretch: IndexBlock
  /// Entries of the stretch, side by side, whose frames are to be copied.
  var copied: Range<Int>?
  var frame: PreviousFrame
  var lines: PreviousLines
  /// What tables and spills know of the keys of the piece.
  var others = KWayMerge([])
  /// The installations of the people of the piece.
  var members = KWayMerge([])
  /// The key that is merged.
  private var keyText = ByteBuffer()
  var memberBytes = StateBytes()
  var memberStates: [KeyState] = []
  var gathered = ByteBuffer()
  var compactor = MutationCompactor()

  /// A lane for pieces of `plan`, with frames of that level.
  /// - Throws: `io`, when there is no memory.
  package init(_ plan: MergePlan, level: Int) throws(Failure) {
    self.plan = plan
    encoder = try ZstdEncoder(level: level)
    let reader = try FrameFileReader()
    self.reader = reader
    stateWriter = StateWriter(plan.names, oldestID: plan.oldestID)
    profileWriter = ProfileWriter(plan.names, plan.options)
    stretch = IndexBlock(reader)
    frame = PreviousFrame(reader)
    lines = PreviousLines(plan)
  }

  /// Does the task for a piece.
  /// - Throws: `corrupt`, `io`.
  package func work(
    _ task: Task, on piece: KeyRangeTask, into unit: SnapshotUnit
  ) throws(Failure) {
    let start = DispatchTime.now().uptimeNanoseconds
    others = try plan.cursors(piece, reader)
    switch task {
    case .snapshot: try render(piece, into: unit)
    case .memberships: try collectMemberships(piece, into: unit)
    }
    // Nothing is held on to until the next piece.
    others = KWayMerge([])
    members = KWayMerge([])
    time.nanoseconds += DispatchTime.now().uptimeNanoseconds - start
    time.units += 1
  }

  // MARK: - Pieces

  private func render(_ piece: KeyRangeTask, into unit: SnapshotUnit) throws(Failure) {
    members = try plan.memberships(of: piece, reader)
    if piece.section != .anonymous, let part = plan.previous?.parts[piece.partition] {
      for number in part.stretches(piece.section, piece.range) {
        try stretch.read(number, of: part)
        for entry in stretch.entries.indices { try merge(entry, of: part, piece, into: unit) }
        try copyFrames(of: part, into: unit)
      }
    }
    try mergeNew(before: nil, piece, into: unit)
    try unit.frames.cut(encoder)
  }

  /// Merges a frame of the previous snapshot, and what comes before it.
  private func merge(
    _ index: Int, of part: PreviousPart, _ piece: KeyRangeTask, into unit: SnapshotUnit
  ) throws(Failure) {
    let entry = stretch.entries[index]
    if piece.range.endsBefore(entry.entry.key) { return }
    if let key = nextKey, key < entry.entry.key {
      try copyFrames(of: part, into: unit)
      try mergeNew(before: entry.entry.key, piece, into: unit)
    }
    if isUntouched(entry.entry, end: stretch.end(of: index), piece, unit) {
      copied = (copied?.lowerBound ?? index)..<index + 1
    } else {
      try copyFrames(of: part, into: unit)
      try mergeLines(of: entry, part, piece, into: unit)
    }
  }

  // MARK: - Keys

  /// The next key that is not only in the previous snapshot.
  var nextKey: ByteView? {
    guard let member = members.key else { return others.key }
    guard let other = others.key else { return member }
    return member < other ? member : other
  }

  /// Merges keys up to `limit` that the previous snapshot does not have.
  func mergeNew(
    before limit: ByteView?, _ piece: KeyRangeTask, into unit: SnapshotUnit
  ) throws(Failure) {
    while let key = nextKey, limit.map({ key < $0 }) ?? true {
      try mergeKey(key, nil, piece, into: unit)
    }
  }

  /// Merges everything that is known of a key, and goes on to the next one.
  func mergeKey(
    _ key: ByteView, _ earlier: (line: ByteView, profile: ByteView?)?,
    _ piece: KeyRangeTask, into unit: SnapshotUnit
  ) throws(Failure) {
    // The cursor that has the key may move on before its profile is written.
    keyText.removeAll()
    keyText.append(key)
    rows.removeAll()
    var state = KeyState(key: keyText.view)
    var before: KeyState?
    if let earlier {
      let known = try lines.state(of: earlier.line)
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
    if erase(&state, piece.section) {
      if piece.section == .custom { try gatherMembers(of: state.key) }
      if isChanged { try others.advance() }
      return
    }

    switch piece.section {
    case .anonymous: try writeAnonymous(into: unit)
    case .custom:
      try gatherMembers(of: state.key)
      if !memberStates.isEmpty, !state.isKnown { state.isTouched = true }
      if state.isKnown || !rows.events.isEmpty {
        let copied = isChanged ? nil : earlier?.line
        try writePerson(state, copied: copied, into: unit)
      }
    case .install:
      let copied = isChanged ? nil : earlier?.line
      try writeInstallation(state, copied: copied, into: unit)
      if isChanged { noteFold(state, before, into: unit) }
    }
    if isChanged { try others.advance() }
  }

  private func writeAnonymous(into unit: SnapshotUnit) throws(Failure) {
    guard plan.options.dedupeDays > 0 else { return }
    var written: EventIDEntry?
    rows.forEachID { written = $0 }
    guard let written, written.time >= plan.oldestID else { return }
    try unit.frames.begin(keyText.view, XXH64.hash(keyText.view), encoder)
    stateWriter.writeAnonymous(written, into: &unit.frames.state.text)
    unit.frames.state.lines += 1
  }

  /// Writes the state of a key: anew, unless nothing of it has changed but other lines have.
  private func writeState(
    _ state: KeyState, _ section: KeySection, copied: ByteView?, into unit: SnapshotUnit
  ) throws(Failure) {
    let hash = XXH64.hash(state.key)
    try unit.frames.begin(state.key, hash, encoder)
    if section == .custom {
      unit.frames.mark(hash)
    } else if let link = state.link {
      unit.frames.mark(XXH64.hash(link.target))
    }
    if let copied {
      // The rows are those of the line, unless it has ids that nobody wants.
      let oldest = lines.hasUnwantedIDs(copied) ? Int.min : rows.oldestID
      if copy(copied, oldestID: oldest, into: unit) { return }
    }
    writeRows(of: state, into: unit)
  }

  /// Writes the state of a key with the present rows.
  func writeRows(of state: KeyState, into unit: SnapshotUnit) {
    unit.frames.note(
      oldestID: stateWriter.write(state, rows, into: &unit.frames.state.text))
    unit.frames.state.lines += 1
  }

  private func writePerson(
    _ state: KeyState, copied: ByteView?, into unit: SnapshotUnit
  ) throws(Failure) {
    try writeState(state, .custom, copied: copied, into: unit)
    var hasRecords = false
    _ = rows.takeConsent()
    var isOptedOut = !memberStates.isEmpty
    for member in memberStates {
      if !member.records.isEmpty {
        rows.gather(member.records, order: plan.names.order)
        hasRecords = true
      }
      isOptedOut = isOptedOut && rows.takeConsent()?.isOptedOut ?? false
    }
    if hasRecords { rows.settle() }
    writeProfile(state, .custom, isOptedOut: isOptedOut, into: unit)
  }

  private func writeInstallation(
    _ state: KeyState, copied: ByteView?, into unit: SnapshotUnit
  ) throws(Failure) {
    memberStates.removeAll(keepingCapacity: true)
    // Nothing but a link that was erased.
    if state.isEmpty, rows.isEmpty { return }
    try writeState(state, .install, copied: copied, into: unit)
    noteLink(state)
    if state.isKnown || !rows.events.isEmpty, !plan.folds(state) {
      let isOptedOut = rows.consent?.isOptedOut ?? false
      writeProfile(state, .install, isOptedOut: isOptedOut, into: unit)
    }
  }

  private func writeProfile(
    _ state: KeyState, _ section: KeySection, isOptedOut: Bool, into unit: SnapshotUnit
  ) {
    profileWriter.write(
      state, section, members: memberStates, rows, isOptedOut: isOptedOut,
      into: &unit.frames.profiles.text, &tally)
    unit.frames.profiles.lines += 1
    tally.lines += 1
  }
}
