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
/// Made once, on one thread, when all slices are merged; from then on nothing may be merged into
/// the shards. Any number of threads may render disjoint ranges of it: the bytes of a range depend
/// on the range alone.
package struct SnapshotPlan: Sendable {
  /// Milliseconds of a day.
  static let day = 86_400_000

  /// Where a key stands: number of the shard and of the profile in it.
  struct Place: BitwiseCopyable, Sendable {
    let shard: UInt32
    let profile: UInt32
  }

  /// A published profile: its own key, and the installations folding into it as a range of
  /// `members`.
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

    /// The key on the line `index` of the state, or nil when another line stands there.
    func place(ofState index: Int) -> Place? {
      var index = index - anonymous.count
      if index < 0 { return nil }
      if index < persons.count { return persons[index].place }
      index -= persons.count + totals.count
      return index < 0 ? nil : installations[index]
    }
  }

  let shards: [ProfileShard]
  let options: SnapshotOptions
  let eventNames: NameList
  let attributeKeys: NameList
  /// The sum of the totals of all shards.
  package let totals: EventTotals
  /// Ids of events before this time are not written, in milliseconds since 1970.
  let oldestID: Int
  var parts: [Part]
  /// Installations that fold, by person, sorted by bytes within one.
  var members: [Place] = []

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
    var totals = EventTotals()
    for shard in shards { totals.merge(shard.counters.totals) }
    self.totals = totals
    oldestID = Self.oldestID(newest: totals.newest, days: options.dedupeDays)
    parts = Array(repeating: Part(), count: options.partitions)
    let folds = options.stitch == .first ? foldInstallations() : nil
    placeKeys(folds)
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

  /// Asks for the registers of the keys at `places`, at most ``ProfileTables/batch`` of them.
  func prefetch(_ places: some Sequence<Place>) {
    for (number, shard) in shards.enumerated() {
      shard.tables.prefetch(places.lazy.filter { $0.shard == number }.map(\.profile))
    }
  }

  /// The partition of a key text with this hash.
  func partition(of hash: UInt64) -> Int { Int(hash % UInt64(parts.count)) }
}

extension ProfileShard {
  /// Ids of anonymous events of the time `oldest` or later.
  fileprivate func anonymousIDs(since oldest: Int) -> [(id: Fingerprint, number: UInt32)] {
    var found: [(id: Fingerprint, number: UInt32)] = []
    var number = tables.anonymousIDs
    while number != ProfileTables.end {
      let entry = tables.ids[number]
      if entry.time >= oldest { found.append((entry.id, number)) }
      number = entry.next
    }
    return found
  }
}
