package import Pipeline

/// What a snapshot is made of, beside the states.
package struct SnapshotOptions: Sendable {
  /// How many parts profiles and state are published in.
  package var partitions = 1
  package var stitch = Stitch.first
  /// Whether published profiles hold the attributes of the latest events.
  package var withValues = true
  /// For how many days event ids travel with the state; 0 = not at all.
  package var dedupeDays = 0

  package init() {}
}

/// The order in which everything is published (SPEC 8.4, 9): keys sorted by bytes per partition,
/// installations folded into their person.
///
/// Made once, when all slices are merged, by as many threads as there are shards; from then on
/// nothing may be merged into the shards. Any number of threads may render pieces of it: the bytes
/// of a piece depend on the piece alone.
package struct SnapshotPlan: Sendable {
  /// Milliseconds of a day.
  static let day = 86_400_000

  /// Where a key stands: number of the shard and of the profile in it.
  struct Place: BitwiseCopyable, Sendable {
    let shard: UInt32
    let profile: UInt32
  }

  /// A published profile: its own key, and the installations folding into it as a range of the
  /// `members` of its shard.
  struct Person: Sendable {
    let place: Place
    var members: Range<Int>
  }

  /// One part of profiles and state.
  struct Part: Sendable {
    /// Ids of anonymous events: number of the shard and of the id in it, sorted by the id.
    var anonymous: [(shard: UInt32, number: UInt32)] = []
    /// Keys `custom:…`, sorted by bytes; all are published.
    var persons: [Person] = []
    /// Event names that have a total, sorted by bytes.
    var totals: [UInt32] = []
    /// Keys `install:…` that have a state or a link, sorted by bytes.
    var installations: [Place] = []
    /// Those of them that are published under their own id.
    var singles: [Person] = []
  }

  let shards: [ProfileShard]
  let options: SnapshotOptions
  let eventNames: NameList
  let attributeKeys: NameList
  /// `"NAME":{"count":`
  let profileNames: MemberNames
  /// `"NAME":{`
  let stateNames: MemberNames
  /// `"KEY":{`
  let attributeNames: MemberNames
  /// The sum of the totals of all shards.
  package let totals: EventTotals
  /// Ids of events before this time are not written, in milliseconds since 1970.
  let oldestID: Int
  var parts: [Part]
  /// By shard of the person: installations that fold, by person, sorted by bytes within one.
  var members: [[Place]] = []

  /// Plans the snapshot of everything that was merged into `shards`, which are all shards of the
  /// run, in order.
  ///
  /// A link whose custom id has no state of its own gives it one, as a link-only record does.
  /// Complexity: O(n log n) for n keys.
  package init(shards: [ProfileShard], names: RunNames, options: SnapshotOptions) {
    precondition(options.partitions > 0, "there is at least one partition")
    self.shards = shards
    self.options = options
    eventNames = names.events.list()
    attributeKeys = names.attributes.list()
    profileNames = MemberNames(eventNames, rest: "\":{\"count\":")
    stateNames = MemberNames(eventNames, rest: "\":{")
    attributeNames = MemberNames(attributeKeys, rest: "\":{")
    var totals = EventTotals()
    for shard in shards { totals.merge(shard.counters.totals) }
    self.totals = totals
    oldestID = Self.oldestID(newest: totals.newest, days: options.dedupeDays)
    parts = Array(repeating: Part(), count: options.partitions)
    _ = concurrentMap(shards.count) { shards[$0].sortRecords() }
    placeKeys(options.stitch == .first ? foldInstallations() : nil)
    placeTotals()
    placeAnonymousIDs()
  }

  /// The time before which ids are forgotten (SPEC 7).
  static func oldestID(newest: Int?, days: Int) -> Int {
    guard days > 0, let newest else { return .max }
    let (window, overflow) = days.multipliedReportingOverflow(by: day)
    return overflow ? .min : newest - window
  }

  /// How many profiles a part has.
  package func profileCount(partition: Int) -> Int {
    parts[partition].persons.count + parts[partition].singles.count
  }

  /// How many lines the state of a part has, without the header.
  package func stateCount(partition: Int) -> Int {
    let part = parts[partition]
    return part.anonymous.count + part.persons.count + part.totals.count + part.installations.count
  }

  /// Appends the header line of the state of a part.
  package func renderStateHeader(partition: Int, into out: inout ByteBuffer) {
    StateHeader(
      lines: stateCount(partition: partition), partition: partition, partitions: parts.count
    ).append(to: &out)
  }

  private mutating func placeTotals() {
    var text = ByteBuffer()
    for name in eventNames.sorted where totals.contains(name) {
      text.removeAll()
      text.append("event:")
      text.append(eventNames[name])
      parts[partition(of: XXH64.hash(text.view))].totals.append(name)
    }
  }

  private mutating func placeAnonymousIDs() {
    guard options.dedupeDays > 0 else { return }
    var text = ByteBuffer()
    var found: [(id: Fingerprint, shard: UInt32, number: UInt32)] = []
    for (index, shard) in shards.enumerated() {
      for entry in shard.anonymousIDs(since: oldestID) {
        found.append((entry.id, UInt32(truncatingIfNeeded: index), entry.number))
      }
    }
    found.sort { ($0.id.high, $0.id.low) < ($1.id.high, $1.id.low) }
    for entry in found {
      text.removeAll()
      text.append("anonymous:")
      StateNumber.append(entry.id, to: &text)
      parts[partition(of: XXH64.hash(text.view))].anonymous.append((entry.shard, entry.number))
    }
  }

  /// Asks for what is known of a key, its records aside.
  func prefetchKey(_ place: Place) {
    shards[Int(place.shard)].tables.profiles.prefetch(place.profile)
  }

  /// Asks for the records of a key.
  func prefetchRecords(_ place: Place) {
    shards[Int(place.shard)].tables.prefetchRecords(of: place.profile)
  }

  /// The partition of a key text with this hash.
  func partition(of hash: UInt64) -> Int { Int(hash % UInt64(parts.count)) }
}

extension SnapshotPlan {
  /// What is known of a key, its records aside.
  func profile(_ place: Place) -> StoredProfile {
    shards[Int(place.shard)].tables.profiles[place.profile]
  }

  /// The records of a key, one behind the other.
  func records(_ place: Place) -> ByteView {
    shards[Int(place.shard)].tables.records(of: place.profile)
  }

  /// The text of a key.
  func key(_ place: Place) -> ByteView {
    shards[Int(place.shard)].tables.profiles.key(place.profile)
  }

  /// The installations that fold into `person`.
  func members(of person: Person) -> ArraySlice<Place> {
    person.members.isEmpty ? [] : members[Int(person.place.shard)][person.members]
  }

  func clear(_ place: Place) -> Int { shards[Int(place.shard)].tables.clear(of: place.profile) }

  func link(_ place: Place) -> InstallationLink? {
    shards[Int(place.shard)].tables.link(of: place.profile)
  }

  /// Whether the key is published, if only because a link-only record named it.
  func isKnown(_ place: Place) -> Bool {
    shards[Int(place.shard)].tables.isKnown(place.profile)
  }
}

extension ProfileShard {
  /// Ids of anonymous events of the time `oldest` or later.
  fileprivate func anonymousIDs(since oldest: Int) -> [(id: Fingerprint, number: UInt32)] {
    var found: [(id: Fingerprint, number: UInt32)] = []
    for number in 0..<tables.anonymousIDs.next where tables.anonymousIDs[number].time >= oldest {
      found.append((tables.anonymousIDs[number].id, number))
    }
    return found
  }
}
