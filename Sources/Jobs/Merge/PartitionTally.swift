import Pipeline
import Stages

/// The counts of the merge of a partition: `tally.json`.
struct PartitionTally: Document {
  /// Greatest sum of the counts of a partition: sums over the most partitions still fit in an
  /// integer.
  static let mostCounted = 1 << 42

  /// The step that counted.
  private(set) var step = MergeStep.people
  private(set) var partition = 0
  /// Profiles published.
  var lines = 0
  /// How they differ from those of the previous snapshot; nil if unknown.
  var changes: ProfileCounts?
  /// Profiles per event name, relative to the previous snapshot; by name.
  var profiles: [NamedCount] = []
  var arrayOverflow = 0
  var erasedStraddling = 0
  /// Erased data, by the number of the request.
  var erased: [Int: ErasedParts] = [:]
  /// Installations that went with erased people.
  var devices: ErasedDevice.Table = [:]
  /// Installations that requests name, and whose links they have erased.
  var erasedLinks: Set<Fingerprint> = []
  /// Active people, relative to the previous snapshot.
  var active = ActivePeople()
  /// Duplicates, by name and by day, 0 for events without a time.
  var duplicates: [(name: String, days: [CountPairs.Pair])] = []
  /// The ids with the most data.
  var hot = HotIDs()
  /// Duplicates, by the inputs they came with.
  var pairs: [DuplicateTally.Pair: Int] = [:]

  static let fields: [Field<PartitionTally>] = [
    .format("eventmill_tally", PartialFile.formatVersion), .value("step", \.step),
    .value("partition", \.partition), .count("lines", \.lines),
    .maybe("profile_changes", \.changes), .count("array_overflow", \.arrayOverflow),
    .count("erased_straddling", \.erasedStraddling), .list("erased", \.erasedRequests),
    .list("devices", \.deviceList), .value("erased_links", \.erasedLinks, unless: []),
    .counts("profiles", \.profiles, Int.min...), .value("active", \.active),
    .row("duplicates", \.duplicates) { duplicates, json in
      json.object { json in
        for (name, days) in duplicates {
          json.key(name)
          CountPairs.write(days, to: &json)
        }
      }
    } read: { value, reading throws(DocumentDamage) in
      try value.members.map { name, value throws(DocumentDamage) in
        (name, try CountPairs.read(value, numbers: 0..<DayNumber.range.upperBound, &reading))
      }
    },
    .pairs("duplicates_of", \.pairs), .value("hot_ids", \.hot),
  ]

  init() {}

  private var erasedRequests: [ErasedRequest] {
    get { ErasedRequest.list(erased) }
    set { erased = ErasedRequest.table(newValue) }
  }

  private var deviceList: [ErasedDevice] {
    get { devices.sorted { $0.key < $1.key }.map(\.value) }
    set { devices = Dictionary(newValue.map { ($0.digest, $0) }) { $1 } }
  }

  func check() throws(DocumentDamage) {
    guard (profiles.map(\.name) + duplicates.map(\.name)).allSatisfy(PartialFacts.isName) else {
      throw DocumentDamage("has what is not the name of an event")
    }
  }

  /// The counts of `tally` in a step of the partition `partition`.
  init(_ tally: SnapshotTally, _ step: MergeStep, partition: Int, _ names: SnapshotNames) {
    (self.step, self.partition) = (step, partition)
    lines = tally.lines
    changes = tally.changes
    active = tally.active
    let duplicates = PackedDays.ByName(tally.duplicates.events.packed)
    for name in names.events.sorted {
      let text = names.events[name].text
      let profiles = tally.profiles(with: name)
      if profiles != 0 { self.profiles.append(NamedCount(text, profiles)) }
      if let days = duplicates[name] { self.duplicates.append((text, Array(days))) }
    }
    arrayOverflow = tally.arrayOverflow
    erasedStraddling = tally.erasedStraddling
    erased = tally.erased
    devices = tally.devices
    erasedLinks = tally.erasedLinks
    pairs = tally.duplicates.pairs
    hot = tally.hot
  }

  /// Adds the counts to `tally`, with the numbers of `names`; the first `known` names are known.
  ///
  /// - Returns: false for an unknown name.
  func add(to tally: inout SnapshotTally, _ names: inout NameCache, known: Int) -> Bool {
    for item in profiles {
      let number = names.id(ofText: item.name)
      guard number < known else { return false }
      tally.add(item.count, number)
    }
    // Installations are copied into the part of their people, and counted there.
    if step == .people { tally.lines += lines }
    if let changes { tally.changes = changes.adding(tally.changes) }
    tally.arrayOverflow += arrayOverflow
    tally.erasedStraddling += erasedStraddling
    for (request, parts) in erased { tally.erased[request, default: ErasedParts()].add(parts) }
    tally.devices.merge(devices) { first, _ in first }
    tally.erasedLinks.formUnion(erasedLinks)
    tally.active.merge(active)
    tally.hot.merge(hot)
    for (name, days) in duplicates {
      let number = names.id(ofText: name)
      guard number < known else { return false }
      for (day, count) in days {
        tally.duplicates.add(count, EventDay(name: number, day: UInt16(day)))
      }
    }
    for (pair, count) in pairs { tally.duplicates.add(count, pair) }
    return true
  }
}
