import Pipeline
import Stages

/// The counts of the merge of a partition: `tally.json`.
struct PartitionTally: Document {
  /// Greatest sum of the counts of a partition: sums over the most partitions still fit in an
  /// integer.
  static let mostCounted = 1 << 42

  private(set) var step = MergeStep.people
  private(set) var partition = 0
  /// All counts but those by number of a name.
  var counts = SnapshotTally()
  /// Profiles per event name, relative to the previous snapshot.
  var profiles: [NamedCount] = []
  /// Duplicates, by name and by day, 0 for events without a time.
  var duplicates: [(name: String, days: [CountPairs.Pair])] = []
  /// Duplicates, by the inputs they came with.
  var pairs: [DuplicateTally.Pair: Int] = [:]

  static let fields: [Field<PartitionTally>] = [
    .format("eventmill_tally", PartialFile.formatVersion), .value("step", \.step),
    .value("partition", \.partition), .count("lines", \.counts.lines),
    .maybe("profile_changes", \.counts.changes), .count("array_overflow", \.counts.arrayOverflow),
    .count("erased_straddling", \.counts.erasedStraddling), .list("erased", \.erasedRequests),
    .list("devices", \.deviceList),
    .value("erased_links", \.counts.erasedLinks, unless: []),
    .counts("profiles", \.profiles, Int.min...), .value("active", \.counts.active),
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
    .pairs("duplicates_of", \.pairs), .value("hot_ids", \.counts.hot),
  ]

  init() {}

  private var erasedRequests: [ErasedRequest] {
    get { counts.erased.sorted { $0.key < $1.key }.map { ErasedRequest(request: $0, parts: $1) } }
    set {
      counts.erased = newValue.reduce(into: [:]) {
        $0[$1.request, default: ErasedParts()].add($1.parts)
      }
    }
  }

  private var deviceList: [ErasedDevice] {
    get { counts.devices.sorted { $0.key < $1.key }.map(\.value) }
    set { counts.devices = Dictionary(newValue.map { ($0.digest, $0) }) { $1 } }
  }

  func check() throws(DocumentDamage) {
    guard (profiles.map(\.name) + duplicates.map(\.name)).allSatisfy(PartialFacts.isName) else {
      throw DocumentDamage("has what is not the name of an event")
    }
  }

  init(_ tally: SnapshotTally, _ step: MergeStep, partition: Int, _ names: SnapshotNames) {
    (self.step, self.partition, counts) = (step, partition, tally)
    (counts.profiles, counts.duplicates) = ([], DuplicateTally())
    let duplicates = PackedDays.ByName(tally.duplicates.events.packed)
    for name in names.events.sorted {
      let text = names.events[name].text
      let profiles = tally.profiles(with: name)
      if profiles != 0 { self.profiles.append(NamedCount(text, profiles)) }
      if let days = duplicates[name] { self.duplicates.append((text, Array(days))) }
    }
    pairs = tally.duplicates.pairs
  }

  /// Adds the counts to `tally`, with the numbers of `names`; the first `known` names are known.
  /// - Returns: false for an unknown name.
  func add(to tally: inout SnapshotTally, _ names: inout NameCache, known: Int) -> Bool {
    var counts = counts
    // Installations are copied into the part of their people, and counted there.
    if step != .people { counts.lines = 0 }
    for item in profiles {
      let number = names.id(ofText: item.name)
      guard number < known else { return false }
      counts.add(item.count, number)
    }
    for (name, days) in duplicates {
      let number = names.id(ofText: name)
      guard number < known else { return false }
      for (day, count) in days {
        counts.duplicates.add(count, EventDay(name: number, day: UInt16(day)))
      }
    }
    for (pair, count) in pairs { counts.duplicates.add(count, pair) }
    tally.merge(counts)
    return true
  }
}

/// The figures of what was erased for a request.
private struct ErasedRequest: Document {
  var request = 0
  var parts = ErasedParts()

  static let fields: [Field<ErasedRequest>] = [
    .value("request", \.request), .part(\.parts), .value("newest", \.parts.newest, unless: .min),
  ]

  func check() throws(DocumentDamage) {
    guard 1...Erasures.maximumCount ~= request,
      parts.newest == .min || Rules.earliestTime..<Rules.endOfTime ~= parts.newest
    else { throw DocumentDamage("has a request or a time that is not possible") }
  }
}
