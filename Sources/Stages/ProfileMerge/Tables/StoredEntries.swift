import Pipeline

/// What every key of the shard has.
struct StoredProfile: BitwiseCopyable {
  /// Earliest and latest time of its accepted events and applied operations (data-model 13.3).
  var seen = Seen.never
  /// Its sorted records.
  var records = Extent.none
  /// Bytes of them.
  var recordsLength = 0
  /// Bytes of its records in the log of its group.
  var loggedLength = 0
  /// The entry with what few keys have.
  var extra = ProfileTables.end
}

/// What few keys have.
struct ProfileExtra: BitwiseCopyable {
  /// The latest clear in milliseconds since 1970; the least time there is when there was none.
  var clear = Int.min
  /// The latest erase mark in milliseconds since 1970; the least time there is when there was none.
  var eraseMark = Int.min
  /// The times of the earliest and the latest link of an installation; never, when it has none.
  var linked = Seen.never
  /// The person that the earliest names,
  var person = ArenaSlot.empty
  /// and the one that the latest names; empty while that is the same one.
  var latestPerson = ArenaSlot.empty
  /// Set by link-only records: the key has a state although nothing was seen.
  var isTouched = false
  /// Whether a link of the installation was erased, of which its state tells.
  var hasErasedLink = false
}

/// The id of an anonymous event (data-model 12).
struct AnonymousID: BitwiseCopyable {
  let id: EventID
  /// The time of the event, or ``EventTime/absent``.
  let time: Int
  let name: UInt32
  /// Whether a state counted the event already.
  let isEarlier: Bool
}
