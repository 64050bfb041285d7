import Pipeline

/// Conversion between the tables and states of keys.
extension ProfileTables {
  /// Whether the tables are empty.
  var isEmpty: Bool { profiles.count == 0 && anonymousIDs.count == 0 }

  /// Bytes allocated so far.
  var footprint: Int {
    profiles.footprint + extras.footprint + anonymousIDs.footprint + logs.footprint
      + texts.footprint + arena.footprint
  }

  /// The state of a key, with all its records after ``sortRecords()``.
  func state(of profile: UInt32) -> KeyState {
    var state = KeyState(key: profiles.key(profile))
    let entry = profiles[profile]
    state.seen = entry.seen
    if entry.extra != Self.end {
      state.clear = extras[entry.extra].clear
      state.eraseMark = extras[entry.extra].eraseMark
      state.isTouched = extras[entry.extra].isTouched
      state.links = links(of: extras[entry.extra])
    }
    state.records = records(of: profile)
    return state
  }

  /// Merges the state of a key from an earlier run.
  mutating func merge(_ state: KeyState) {
    let section = KeySection(of: state.key)
    if section == .anonymous { return mergeAnonymous(state) }
    let profile = profile(state.key, hash: XXH64.hash(state.key))
    profiles[profile].seen.merge(state.seen)
    if state.clear != .min { mergeClear(profile, at: state.clear) }
    if state.eraseMark != .min { mergeEraseMark(profile, at: state.eraseMark) }
    if state.isTouched { touch(profile) }
    if section == .install { noteEarlierState(profile) }
    mergeLinks(profile, state.links, areEarlier: true)
    var offset = 0
    while let record = Mutation(state.records, at: &offset) {
      if record.kind != .profileDays { append(record, to: profile) }
    }
  }

  private mutating func mergeAnonymous(_ state: KeyState) {
    var offset = 0
    while let record = Mutation(state.records, at: &offset) {
      anonymousIDs.append(
        AnonymousID(
          id: record.eventID, time: record.time, latest: record.latestDelivery,
          name: record.name, isEarlier: record.kind == .earlierID))
    }
  }
}

extension AnonymousID {
  /// Writes the key text of the id into `key`.
  func writeKey(to key: inout ByteBuffer) {
    key.removeAll()
    key.append(KeySection.anonymous.prefix)
    StateNumber.appendKey(id, to: &key)
  }

  /// Appends the record of the id to `bytes`; `scratch` is scratch memory.
  func append(to bytes: inout ByteBuffer, _ scratch: inout ByteBuffer) {
    scratch.removeAll()
    Mutation.append(latest: latest, after: time, to: &scratch)
    Mutation(id, isEarlier: isEarlier, name: name, time: time, latest: scratch.view)
      .append(to: &bytes)
  }
}
