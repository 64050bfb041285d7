import Pipeline

/// The common part of every key's state.
struct StoredProfile: BitwiseCopyable {
  /// Earliest and latest time of its accepted events and applied operations (data-model 13.3).
  var seen = Seen.never
  /// Its sorted records.
  var records = Extent.none
  /// Length of them in bytes.
  var recordsLength = 0
  /// Bytes of its records in the log of its group.
  var loggedLength = 0
  /// The entry with the rare parts.
  var extra = ProfileTables.end
}

/// The rare parts of a key's state.
struct ProfileExtra: BitwiseCopyable {
  /// The latest clear in milliseconds since 1970; the minimum without one.
  var clear = Int.min
  /// The latest erase mark in milliseconds since 1970; the minimum without one.
  var eraseMark = Int.min
  /// The times of the earliest and the latest link of an installation; never without one.
  var linked = Seen.never
  /// The time of the earliest link to another person.
  var otherTime = 0
  /// The person of the earliest link.
  var person = ArenaSlot.empty
  /// The person of the earliest link to another one; empty without one.
  var otherPerson = ArenaSlot.empty
  /// The person of the latest link; empty if it is that of the earliest.
  var latestPerson = ArenaSlot.empty
  /// Set by link-only records: the key has a state although nothing was seen.
  var isTouched = false
  /// Whether a link of the installation was erased, which its state records.
  var hasErasedLink = false
  /// Whether the installation folds into no person any more.
  var standsAlone = false
  /// Whether an earlier state of the installation was merged, and whether the people that this run
  /// has linked to it have records.
  var hasEarlierState = false
  var hasPeopleRecords = false
}

/// The id of an anonymous event (data-model 12).
struct AnonymousID: BitwiseCopyable {
  let id: EventID
  /// The times of its earliest and its latest delivery, or ``EventTime/absent``.
  let time: Int
  let latest: Int
  let name: UInt32
  /// Whether a state has counted the event.
  let isEarlier: Bool
}
