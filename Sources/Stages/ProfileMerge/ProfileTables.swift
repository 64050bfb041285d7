import Pipeline

/// The states of the keys of one shard (SPEC 8).
///
/// ```
/// profiles ── log ───► records (events, sets, items, ids)
///      └───── extra ─► extras (clear, link) ─► texts
/// ```
/// A key is looked up once per operation; what happened to it is then appended to its log. Records
/// of one name are merged later, all of a key at a time: when its log has become long, and when it
/// is published. What wins a merge is told by the types in `Algebra`.
struct ProfileTables: ~Copyable {
  /// The number that stands for no entry.
  static let end = UInt32.max

  var profiles = KeyTable<StoredProfile>()
  var extras = EntryTable<ProfileExtra>()
  /// The ids of anonymous events.
  var anonymousIDs = EntryTable<AnonymousID>()
  /// Custom ids of links.
  var texts = Arena()
  /// The records of all keys.
  var records = ExtentArena()
  private var compactor = LogCompactor()

  /// The profile of `key`, made when there is none.
  mutating func profile(_ key: ByteView, hash: UInt64) -> UInt32 {
    profiles.findOrInsert(key, hash: hash, new: StoredProfile())
  }

  /// Takes in a record of a key. Complexity: O(`record.length`), amortised.
  mutating func append(_ record: LogRecord, to profile: UInt32) {
    if !profiles[profile].log.hasRoom(for: record.length) {
      if profiles[profile].log.isDue { compact(profile) }
      if !profiles[profile].log.hasRoom(for: record.length) {
        profiles[profile].log.grow(by: record.length, in: &records)
      }
    }
    profiles[profile].log.append(record, in: records)
  }

  /// Merges the records of a key among themselves, and forgets what is overruled.
  ///
  /// Nothing is lost that a later merge would need: merging is associative, and what is forgotten
  /// now would be forgotten then (``AttributeRegister/settle(clear:)``).
  private mutating func compact(_ profile: UInt32) {
    compactor.merge(profiles[profile].log, clear: clear(of: profile), in: records)
    profiles[profile].log.replace(by: compactor.bytes.view, in: &records)
  }

  /// Merges a clear.
  mutating func mergeClear(_ profile: UInt32, at time: Int) {
    let number = extra(of: profile)
    if time > extras[number].clear { extras[number].clear = time }
  }

  /// Merges a link of an installation.
  mutating func mergeLink(_ profile: UInt32, _ link: InstallationLink) {
    // Most links are later ones of the same person: only what is at hand is looked at.
    if link.time > profiles[profile].linkTime { return }
    if let known = self.link(of: profile), !link.wins(over: known) { return }
    let number = extra(of: profile)
    var slot = extras[number].customID
    texts.overwrite(&slot, with: link.customID)
    extras[number].customID = slot
    profiles[profile].linkTime = link.time
  }

  /// Gives the key a state, even if nothing else becomes known of it.
  mutating func touch(_ profile: UInt32) { extras[extra(of: profile)].isTouched = true }

  /// The link of an installation, if it has one.
  func link(of profile: UInt32) -> InstallationLink? {
    let entry = profiles[profile]
    guard entry.linkTime != .max else { return nil }
    return InstallationLink(
      time: entry.linkTime, customID: texts[extras[entry.extra].customID])
  }

  /// The clear of a profile; the least time there is when it has none.
  func clear(of profile: UInt32) -> Int {
    let number = profiles[profile].extra
    return number == Self.end ? .min : extras[number].clear
  }

  /// Whether a profile is known by more than a link (SPEC 8.4): only then it is published.
  func isKnown(_ profile: UInt32) -> Bool {
    let entry = profiles[profile]
    return !entry.seen.isNever || (entry.extra != Self.end && extras[entry.extra].isTouched)
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
