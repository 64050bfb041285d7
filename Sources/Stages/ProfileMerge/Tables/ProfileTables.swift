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
  var extras = EntryTable<ProfileExtra>()
  /// The ids of anonymous events.
  var anonymousIDs = EntryTable<AnonymousID>()
  /// By number of the group.
  var logs = EntryTable<MutationLog>()
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

  /// Records that a link of the installation was erased.
  mutating func noteErasedLink(_ profile: UInt32) {
    extras[extra(of: profile)].hasErasedLink = true
  }

  /// Merges a link of an installation.
  mutating func mergeLink(_ profile: UInt32, _ link: InstallationLink) {
    let number = extra(of: profile)
    var extra = extras[number]
    defer { extras[number] = extra }
    guard let (earliest, latest) = links(extra) else {
      extra.linked.merge(link.time)
      texts.overwrite(&extra.person, with: link.target)
      return
    }
    // Most links are later ones of the same person: only a time is written.
    let isBefore = link.isBefore(earliest)
    let isOther = link.target != earliest.target
    if link.isBehind(latest) {
      if isOther || extra.latestPerson.count > 0 {
        texts.overwrite(&extra.latestPerson, with: link.target)
      }
    } else if isBefore, isOther {
      if extra.latestPerson.count == 0 {
        texts.overwrite(&extra.latestPerson, with: earliest.target)
      }
      texts.overwrite(&extra.person, with: link.target)
    }
    extra.linked.merge(link.time)
  }

  /// Gives the key a state, even if nothing else is known of it.
  mutating func touch(_ profile: UInt32) { extras[extra(of: profile)].isTouched = true }

  /// The earliest and the latest link in an entry, if it has any.
  private func links(
    _ extra: ProfileExtra
  ) -> (earliest: InstallationLink, latest: InstallationLink)? {
    guard !extra.linked.isNever else { return nil }
    let person = texts[extra.person]
    let latest = extra.latestPerson.count == 0 ? person : texts[extra.latestPerson]
    return (
      InstallationLink(time: extra.linked.first, target: person),
      InstallationLink(time: extra.linked.last, target: latest)
    )
  }

  /// The links of an installation.
  func links(of extra: ProfileExtra) -> InstallationLinks {
    var links = InstallationLinks()
    if extra.hasErasedLink { links = InstallationLinks(afterErased: nil) }
    if let (earliest, latest) = self.links(extra) {
      links.merge(earliest)
      links.merge(latest)
    }
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
