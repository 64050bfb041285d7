import Pipeline

/// What every key of the shard has.
struct StoredProfile: BitwiseCopyable {
  /// Earliest and latest time of its accepted events and applied operations (SPEC 8.2).
  var seen = Seen.never
  /// The time of the link of an installation; the greatest time there is when it has none.
  var linkTime = Int.max
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
  /// The person an installation is linked to, when it has a `linkTime`.
  var person = ArenaSlot.empty
  /// Set by link-only records: the key has a state although nothing was seen.
  var isTouched = false
  /// Whether a link of the installation was erased.
  var isUnlinked = false
}

/// The id of an anonymous event (SPEC 7).
struct AnonymousID: BitwiseCopyable {
  let id: EventID
  /// The time of the event, or ``EventTime/absent``.
  let time: Int
  let name: UInt32
  /// Whether a state counted the event already.
  let isEarlier: Bool
}
