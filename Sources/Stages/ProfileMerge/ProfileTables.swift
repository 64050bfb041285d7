import Pipeline

/// The states of the keys of one shard (SPEC 8).
///
/// ```
/// profiles ── records ─► events, sets, items, ids of one key
///      │ └─── extra ───► extras (clear, link) ─► texts
///      └ 1024 each ────► logs: the same, of a group of keys, as it came
/// ```
/// A key is looked up once per operation; what happened to it is then appended to the log of its
/// group. A log is sorted by keys when everything was read, or when it has become long; then each
/// key has its records side by side, and those of one name are merged. What wins a merge is told by
/// the types in `Algebra`.
struct ProfileTables: ~Copyable {
  /// The number that stands for no entry.
  static let end = UInt32.max

  var profiles = KeyTable<StoredProfile>()
  var extras = EntryTable<ProfileExtra>()
  /// The ids of anonymous events.
  var anonymousIDs = EntryTable<AnonymousID>()
  /// By number of the group.
  var logs = EntryTable<RecordLog>()
  /// Key texts of the people that links name.
  var texts = Arena()
  /// The extents of records and logs.
  var arena = ExtentArena()
  var compactor = LogCompactor()
  /// The duplicates that were found while records were merged; most are found later.
  var duplicates = DuplicateTally()

  /// The profile of `key`, made when there is none.
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

  /// Notes that a link of the installation was erased.
  mutating func unlink(_ profile: UInt32) { extras[extra(of: profile)].isUnlinked = true }

  /// Merges a link of an installation.
  mutating func mergeLink(_ profile: UInt32, _ link: InstallationLink) {
    // Most links are later ones of the same person: only what is at hand is looked at.
    if link.time > profiles[profile].linkTime { return }
    if let known = self.link(of: profile), !link.wins(over: known) { return }
    let number = extra(of: profile)
    var slot = extras[number].person
    texts.overwrite(&slot, with: link.person)
    extras[number].person = slot
    profiles[profile].linkTime = link.time
  }

  /// Gives the key a state, even if nothing else becomes known of it.
  mutating func touch(_ profile: UInt32) { extras[extra(of: profile)].isTouched = true }

  /// The link of an installation, if it has one.
  func link(of profile: UInt32) -> InstallationLink? {
    let entry = profiles[profile]
    guard entry.linkTime != .max else { return nil }
    return InstallationLink(
      time: entry.linkTime, person: texts[extras[entry.extra].person])
  }

  /// The clear of a profile; the least time there is when it has none.
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
