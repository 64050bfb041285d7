import Pipeline

/// A key of the shard: what every state has.
struct StoredProfile: BitwiseCopyable {
  /// XXH64 of the key text.
  let hash: UInt64
  let key: ArenaSlot
  /// Earliest and latest time of its accepted events and applied operations (SPEC 8.2).
  var seen = Seen.never
  var attributes = ProfileTables.end
  var events = ProfileTables.end
  /// The entry with clear and link, for the few that have one.
  var extra = ProfileTables.end
  /// Set by link-only records: the key has a state although nothing was seen.
  var isTouched = false
}

/// What few keys have.
struct ProfileExtra: BitwiseCopyable {
  /// The latest clear in milliseconds since 1970; the least time there is when there was none.
  var clear = Int.min
  var linkTime = Int.max
  var customID = ArenaSlot.empty
  var hasLink = false
}

/// An event register (SPEC 8.2).
struct StoredEvent: BitwiseCopyable {
  let profile: UInt32
  let name: UInt32
  var count = 0
  var seen = Seen.never
  var value = ArenaSlot.empty
  let next: UInt32
  var ids = ProfileTables.end

  init(profile: UInt32, name: UInt32, next: UInt32) {
    self.profile = profile
    self.name = name
    self.next = next
  }
}

/// An attribute register (SPEC 8.1).
struct StoredAttribute: BitwiseCopyable {
  let profile: UInt32
  let name: UInt32
  var time = Int.min
  var value = ArenaSlot.empty
  let next: UInt32
  var items = ProfileTables.end
  var kind = AttributeBase.Kind.none
  var form = KeyForm.plain

  init(profile: UInt32, name: UInt32, next: UInt32) {
    self.profile = profile
    self.name = name
    self.next = next
  }
}

/// The mark of one item of an array attribute.
struct StoredItem: BitwiseCopyable {
  let attribute: UInt32
  let text: ArenaSlot
  var mark: ItemMark
  let next: UInt32
}

/// The id of an event that travels with the state (SPEC 7, `--dedupe-days`).
struct StoredID: BitwiseCopyable {
  let id: Fingerprint
  /// The time of the event.
  let time: Int
  let name: UInt32
  let next: UInt32
}
