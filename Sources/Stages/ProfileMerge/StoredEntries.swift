import Pipeline

/// A key of the shard: what every state has. One cache line.
struct StoredProfile: BitwiseCopyable {
  /// XXH64 of the key text.
  let hash: UInt64
  let key: ArenaSlot
  /// Earliest and latest time of its accepted events and applied operations (SPEC 8.2).
  var seen = Seen.never
  /// What happened to it.
  var log = RecordLog()
  /// The entry with what few keys have.
  var extra = ProfileTables.end
}

/// What few keys have.
struct ProfileExtra: BitwiseCopyable {
  /// The latest clear in milliseconds since 1970; the least time there is when there was none.
  var clear = Int.min
  var linkTime = Int.max
  var customID = ArenaSlot.empty
  var hasLink = false
  /// Set by link-only records: the key has a state although nothing was seen.
  var isTouched = false
}

/// The id of an anonymous event that travels with the state (SPEC 7, `--dedupe-days`).
struct AnonymousID: BitwiseCopyable {
  let id: Fingerprint
  /// The time of the event.
  let time: Int
  let name: UInt32
}
