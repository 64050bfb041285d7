import Pipeline

/// The states of the keys of one shard (data-model 13).
///
/// ```
/// profiles ── records ─► events, sets, items, ids of one key
///      │ └─── extra ───► extras (clear, link) ─► texts
///      └ 1024 each ────► logs: the same, of a group of keys, in order of arrival
/// ```
/// A key is looked up once per operation; the mutation is then appended to the log of its group. A
/// log is sorted by key when everything was read, or when it has become long; then the records of
/// each key are contiguous, and those of one name are merged. The types in `Algebra` decide what
/// wins a merge.
package struct ProfileTables: ~Copyable {
  /// The number for no entry.
  static let end = UInt32.max

  var profiles = KeyTable<StoredProfile>()
  var extras = Chunks<ProfileExtra, 12>()
  /// The ids of anonymous events.
  var anonymousIDs = Chunks<AnonymousID, 12>()
  /// By number of the group.
  var logs = Chunks<MutationLog, 12>()
  /// Key texts of the people in links.
  var texts = Arena()
  /// The extents of records and logs.
  var arena = ExtentArena()
  var compactor = MutationCompactor()
  /// The duplicates found while records were merged; most are found later.
  package var duplicates = DuplicateTally()

  /// The profile of `key`, created if needed.
  mutating func profile(_ key: ByteView, hash: UInt64) -> UInt32 {
    profiles.findOrInsert(key, hash: hash, new: StoredProfile())
  }

  /// Merges a clear.
  mutating func mergeClear(_ profile: UInt32, at time: Int) {
    let number = extra(of: profile)
    if time > extras[number].clear { extras[number].clear = time }
  }

  /// Merges an erase mark.
  mutating func mergeEraseMark(_ profile: UInt32, at time: Int) {
    let number = extra(of: profile)
    if time > extras[number].eraseMark { extras[number].eraseMark = time }
  }

  /// Merges the links of an installation.
  mutating func mergeLinks(
    _ profile: UInt32, _ links: InstallationLinks, areEarlier: Bool = false
  ) {
    if links.isEmpty { return }
    let number = extra(of: profile)
    if links.hasErased { extras[number].hasErasedLink = true }
    if links.standsAlone { extras[number].standsAlone = true }
    for link in links.all { mergeLink(profile, link, isEarlier: areEarlier) }
  }

  /// Records that links of an earlier state may be among those of the installation.
  mutating func noteEarlierState(_ profile: UInt32) {
    let number = extra(of: profile)
    let extra = extras[number]
    if extra.hasEarlierState { return }
    if !extra.linked.isNever, !extra.hasPeopleRecords {
      append(linked: texts[extra.person], to: profile)
    }
    extras[number].hasEarlierState = true
  }

  /// Merges a link of an installation. The people in links of this run are those of ``links(of:)``,
  /// unless there are several, or there is an earlier state: then they have records.
  mutating func mergeLink(
    _ profile: UInt32, _ link: InstallationLink, isEarlier: Bool = false
  ) {
    let number = extra(of: profile)
    var extra = extras[number]
    defer { extras[number] = extra }
    if extra.hasEarlierState, !isEarlier { append(linked: link.target, to: profile) }
    guard !extra.linked.isNever else {
      extra.linked.merge(link.time)
      texts.overwrite(&extra.person, with: link.target)
      return
    }
    // Most links are of one person: only a time is written.
    if extra.latestPerson.count == 0, link.target == texts[extra.person] {
      return extra.linked.merge(link.time)
    }
    let links = links(of: extra, raw: true)
    let isOther = links.earliest.map { $0.target != link.target } ?? false
    let isFirst = links.earliest.map { link.isBefore($0) } ?? false
    let isLatest = links.latest.map { link.isBehind($0) } ?? false
    if isOther, !isEarlier, !extra.hasEarlierState {
      if !extra.hasPeopleRecords { append(linked: texts[extra.person], to: profile) }
      if !extra.hasPeopleRecords || !links.all.contains(where: { $0.target == link.target }) {
        append(linked: link.target, to: profile)
      }
      extra.hasPeopleRecords = true
    }
    if isFirst, isOther {
      // The person of the earliest link is now that of the other.
      if extra.latestPerson.count == 0 {
        texts.overwrite(&extra.latestPerson, with: texts[extra.person])
      }
      swap(&extra.person, &extra.otherPerson)
      extra.otherTime = extra.linked.first
      texts.overwrite(&extra.person, with: link.target)
    } else if isOther, links.other.map({ link.isBefore($0) }) ?? true {
      texts.overwrite(&extra.otherPerson, with: link.target)
      extra.otherTime = link.time
    }
    if isLatest, isOther || extra.latestPerson.count > 0 {
      texts.overwrite(&extra.latestPerson, with: link.target)
    }
    extra.linked.merge(link.time)
  }

  private mutating func append(linked person: ByteView, to profile: UInt32) {
    append(Mutation(linked: Erasures.digest(of: person)), to: profile)
  }

  /// Gives the key a state, even if nothing else is known of it.
  mutating func touch(_ profile: UInt32) { extras[extra(of: profile)].isTouched = true }

  /// The links of an installation; those of `raw` are kept whatever was erased.
  func links(of extra: ProfileExtra, raw: Bool = false) -> InstallationLinks {
    var links = InstallationLinks()
    if extra.standsAlone, !raw { links.standAlone() }
    if extra.hasErasedLink, !raw { links.noteErased() }
    if extra.linked.isNever { return links }
    let person = texts[extra.person]
    links.merge(InstallationLink(time: extra.linked.first, target: person))
    if extra.otherPerson.count > 0 {
      links.merge(InstallationLink(time: extra.otherTime, target: texts[extra.otherPerson]))
    }
    let latest = extra.latestPerson.count > 0 ? texts[extra.latestPerson] : person
    links.merge(InstallationLink(time: extra.linked.last, target: latest))
    return links
  }

  /// The clear of a profile; the minimum without one.
  func clear(of profile: UInt32) -> Int {
    let number = profiles[profile].extra
    return number == Self.end ? .min : extras[number].clear
  }

  private mutating func extra(of profile: UInt32) -> UInt32 {
    let number = profiles[profile].extra
    if number != Self.end { return number }
    let new = extras.next
    extras.append(ProfileExtra())
    profiles[profile].extra = new
    return new
  }
}
