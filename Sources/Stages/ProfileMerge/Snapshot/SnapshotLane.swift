import Dispatch
package import Pipeline

/// Merges pieces and renders the results: lines of state and profiles. One per thread.
package final class SnapshotLane {
  package enum Task: Sendable {
    case snapshot
    /// Searches unchanged installations for those of people whose profiles may have changed.
    case memberships
    /// Merges everything known of a key into one state, whose bytes depend on that knowledge alone:
    /// another process continues with it.
    case spill
  }

  package internal(set) var tally = SnapshotTally()
  package private(set) var time = StageTime(name: "publish")

  let plan: MergePlan
  let encoders: SnapshotEncoders
  let reader: KeyFrameReader
  private(set) var piece = KeyRangeTask(partition: 0, section: .anonymous, range: .all)
  /// The result of the piece.
  private(set) var unit = SnapshotUnit()
  var rows: KeyRegisters
  /// The days counted for a profile before.
  private var daysBefore = DaySet()
  private var profile: ProfileText
  /// The keys of the piece in the previous snapshot.
  let previous: RunCursor
  /// Whether the profile at its cursor is to be replaced, until that is written.
  private var replaces = false
  var others = KWayMerge([])
  var members = KWayMerge([])
  private var keyText = ByteBuffer()
  private(set) var records = ByteBuffer()
  /// Whether a mark applies to the key.
  var hasErased = false
  var memberBytes = ByteBuffer()
  var memberStates: [KeyState] = []
  /// The indices of those that have opted out.
  private var optedOut: [Int] = []
  var gathered = ByteBuffer()
  var compactor: MutationCompactor

  package init(_ plan: MergePlan, level: Int) throws(Failure) {
    self.plan = plan
    tally.changes = plan.previous.map { _ in ProfileCounts() }
    encoders = try SnapshotEncoders(level: level)
    reader = try plan.makeReader()
    profile = ProfileText(plan.names, plan.options)
    previous = RunCursor(reader)
    let withDays = plan.options.withDays
    rows = KeyRegisters(keepsDays: withDays)
    compactor = MutationCompactor(plan.names.order, keepsDays: withDays)
  }

  package func work(_ task: Task, on piece: KeyRangeTask, into unit: SnapshotUnit) throws(Failure) {
    let start = DispatchTime.now().uptimeNanoseconds
    (self.piece, self.unit) = (piece, unit)
    others = try plan.cursors(piece, isShared: task != .memberships, reader)
    switch task {
    case .snapshot: try render()
    case .memberships: try collectMemberships()
    case .spill: try spill()
    }
    // Releases the cursors before the next piece.
    others = KWayMerge([])
    members = KWayMerge([])
    previous.end()
    time.nanoseconds += DispatchTime.now().uptimeNanoseconds - start
    time.units += 1
  }

  // MARK: - Pieces

  var section: KeySection { piece.section }

  private func render() throws(Failure) {
    members = try plan.memberships(of: piece, reader)
    if section != .anonymous { try beginPrevious() }
    while true {
      if let key = nextKey, previous.key.map({ key < $0 }) ?? true {
        try mergeKey(key, isEarlier: false)
      } else if let entry = previous.begunFrame {
        try takeFrame(entry)
      } else if let key = previous.key {
        try takeKey(key)
        try previous.advance()
      } else {
        break
      }
    }
    try unit.frames.finish(encoders)
  }

  private func spill() throws(Failure) {
    let names = plan.names.lists
    while let key = others.key {
      let state = others.merged(by: &compactor, &tally.duplicates)
      try unit.frames.begin(key, XXH64.hash(key), encoders)
      unit.frames.state.append(state, names: names)
      try others.advance()
    }
    try unit.frames.cut(encoders)
  }

  // MARK: - Keys

  /// The next key that is in logs or spills.
  var nextKey: ByteView? {
    guard let member = members.key else { return others.key }
    guard let other = others.key else { return member }
    return member < other ? member : other
  }

  /// Merges everything known of a key, with the one at the cursor of the previous snapshot if it
  /// `isEarlier`; the cursors over new data advance.
  func mergeKey(_ key: ByteView, isEarlier: Bool) throws(Failure) {
    // The cursor that has the key may advance before its profile is written.
    keyText.removeAll()
    keyText.append(key)
    rows.removeAll()
    let key = keyText.view
    var before: KeyState?
    if isEarlier {
      let known = try previous.whole(keepsIDs: plan.options.dedupeDays > 0)
      rows.gather(known.records, order: plan.names.order, from: .state)
      rows.endEarlierEvents()
      before = known
      uncountProfile(of: known)
    }
    let linkBefore = rows.facts.links.current
    replaces = isEarlier && previous.profile != nil
    let isChanged = others.key == key
    if isChanged { others.forEach { rows.gather($0.records, order: plan.names.order) } }
    rows.settle()
    rows.ids.forEachDuplicate { tally.duplicates.add($0, of: $1) }
    let (events, links) = (rows.newEvents, rows.facts.links)
    // What else points at a removed key still does.
    if erase(key) { rows.removeAll() }
    if isChanged { offer(key, events: events, links: links) }

    switch section {
    case .anonymous: try writeAnonymous(key)
    case .custom:
      try gatherMembers(of: key)
      if !memberStates.isEmpty, !rows.facts.isKnown { rows.facts.touched.isSet = true }
      // The mark of an erased person stays.
      if rows.isPublic || rows.facts.eraseMark.time != .min { try writePerson(key) }
    case .install:
      try writeInstallation(key)
      if isChanged { noteFold(key, before, linkBefore) }
    }
    if replaces { try noteGone(key) }
    if isChanged { try others.advance() }
  }

  /// Subtracts the counts of the profile at the cursor, if there is one: it is replaced.
  private func uncountProfile(of known: KeyState) {
    for event in previous.published { tally.add(-1, event.name) }
    guard plan.options.withDays, previous.profile != nil else { return }
    known.readProfileDays(into: &daysBefore)
    tally.active.add(-1, daysBefore)
  }

  private func writeAnonymous(_ key: ByteView) throws(Failure) {
    guard plan.options.dedupeDays > 0, rows.ids.rows.contains(where: { $0.latest >= plan.oldestID })
    else { return }
    // The anonymous event itself is in no profile.
    try beginState(of: key)
    appendState(of: key, hasProfile: false)
  }

  private func writePerson(_ key: ByteView) throws(Failure) {
    try beginState(of: key)
    let hasProfile = rows.isPublic
    var hasRecords = false
    let ownDays = rows.days.all.days.count
    optedOut.removeAll(keepingCapacity: true)
    for (index, member) in memberStates.enumerated() {
      rows.values[.consent] = nil
      if !member.records.isEmpty {
        rows.gather(member.records, order: plan.names.order, from: .member)
        hasRecords = true
      }
      if rows.values[.consent]?.isTrue ?? false { optedOut.append(index) }
    }
    // A person has opted out if all its installations have.
    if optedOut.isEmpty || optedOut.count < memberStates.count { rows.values[.consent] = nil }
    if hasRecords { rows.settle() }
    if rows.days.all.days.count > ownDays { rows.days.forProfileDays { $0.append(to: &records) } }
    if hasProfile { try writeProfile(of: key) }
    appendState(of: key, hasProfile: hasProfile)
  }

  private func writeInstallation(_ key: ByteView) throws(Failure) {
    memberStates.removeAll(keepingCapacity: true)
    optedOut.removeAll(keepingCapacity: true)
    // Only a link that was erased.
    if rows.isEmpty { return }
    try beginState(of: key)
    let hasProfile = rows.isPublic && !folds
    if hasProfile { try writeProfile(of: key) }
    appendState(of: key, hasProfile: hasProfile)
  }

  // MARK: - Writing

  /// Whether the key folds into a person, if it is an installation.
  private var folds: Bool { rows.facts.links.person(plan.options.stitch) != nil }

  /// Begins a key in the frames, and takes its records from its rows, before others join them.
  private func beginState(of key: ByteView) throws(Failure) {
    // Implied facts are not written, so that equal knowledge gives equal bytes.
    if !rows.facts.seen.times.isNever { rows.facts.touched.isSet = false }
    records.removeAll()
    rows.forEachRecord { $0.append(to: &records) }
    try unit.frames.begin(key, XXH64.hash(key), encoders)
  }

  /// Appends the state of a key, with its taken records; the rows are those of its profile, if it
  /// has one.
  private func appendState(of key: ByteView, hasProfile: Bool) {
    var state = KeyState(key: key, records: records.view)
    state.hasProfile = hasProfile
    unit.frames.append(
      state, published: hasProfile ? rows.events.rows : [], withValues: plan.options.withValues,
      names: plan.names, oldestID: plan.oldestID)
  }

  /// Adds a line about a profile to the changes, if there is a previous snapshot.
  private func note(_ change: ChangeLine) throws(Failure) {
    guard tally.changes != nil else { return }
    try unit.frames.append(change, encoders)
  }

  /// Records that a key has no profile any more. What an erasure has removed is not named again.
  private func noteGone(_ key: ByteView) throws(Failure) {
    tally.changes?.gone += 1
    guard rows.isPublic || folds else { return }
    try note(ChangeLine(gone: key, section, in: &profile.text))
    profile.text.removeAll()
  }

  private func writeProfile(of key: ByteView) throws(Failure) {
    let start = unit.frames.profiles.text.count
    swap(&profile.text, &unit.frames.profiles.text)
    profile.write(key, section, members: memberStates, optedOut: optedOut, &rows)
    swap(&profile.text, &unit.frames.profiles.text)
    for name in profile.eventNames { tally.add(1, name) }
    tally.arrayOverflow += profile.arrayOverflow
    let line = unit.frames.profiles.text.view.dropFirst(start)
    if !replaces {
      tally.changes?.added += 1
      try note(ChangeLine(.added, line: line))
    } else if line != previous.profile {
      tally.changes?.changed += 1
      try note(ChangeLine(.changed, line: line))
    }
    replaces = false
    unit.frames.profiles.lines += 1
    tally.lines += 1
    if plan.options.withDays { tally.active.add(1, rows.days.all) }
  }
}

/// The effect of erase marks on a key (docs/reference/data-model.md), when its complete state is
/// available.
extension SnapshotLane {
  /// Erases the data of the merged key `key` that marks cover, including links to erased people;
  /// true when the whole key is removed.
  func erase(_ key: ByteView) -> Bool {
    let facts = rows.facts
    let newest = max(facts.seen.times.last, facts.clear.time, facts.eraseMark.time)
    hasErased = facts.eraseMark.time != .min
    if hasErased {
      let names = plan.names
      tally.erasedStraddling += rows.erase(through: facts.eraseMark.time, of: key) {
        names.events[$0]
      }
      rows.facts.erase(through: facts.eraseMark.time)
      // A link-only record touches a person at no time, so it cannot be later than the mark.
      if section == .custom { rows.facts.touched.isSet = false }
    }
    let erasures = plan.erasures
    if section != .anonymous, !erasures.isEmpty {
      if erasures.mark(of: key) != nil {
        hasErased = true
        if erasures.erase(key, &rows, linksAreComplete: true, &tally) { return true }
      }
      if section == .install, !rows.facts.links.isEmpty {
        let devices = tally.devices.count
        if erasures.eraseWithPeople(key, &rows, newest: newest, &tally) { return true }
        if tally.devices.count > devices { hasErased = true }
      }
    }
    if hasErased { rows.deriveSeen() }
    return false
  }
}
