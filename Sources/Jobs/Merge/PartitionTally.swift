import Pipeline
import Stages

/// The counts of the merge of a partition: `tally.json`.
struct PartitionTally {
  /// Greatest sum of the counts of a partition: sums over the most partitions still fit in an
  /// integer.
  static let mostCounted = 1 << 42

  /// The step that counted.
  let step: MergeStep
  let partition: Int
  /// Profiles published.
  var lines = 0
  /// How they differ from those of the previous snapshot; nil if unknown.
  var changes: ProfileCounts?
  /// Profiles per event name, relative to the previous snapshot; by name.
  var profiles: [(name: String, count: Int)] = []
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
      if profiles != 0 { self.profiles.append((text, profiles)) }
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

  /// The text of the file.
  func json() -> ByteBuffer {
    JSONWriter.document { json in
      json.member("eventmill_tally", PartialFile.formatVersion)
      json.member("step", step.rawValue)
      json.member("partition", partition)
      json.member("lines", lines)
      changes?.write("profile_changes", to: &json)
      json.member("array_overflow", arrayOverflow)
      json.member("erased_straddling", erasedStraddling)
      ErasedParts.write(erased, to: &json)
      ErasedDevice.write(devices, to: &json)
      if !erasedLinks.isEmpty {
        json.array(
          "erased_links",
          of: erasedLinks.sorted().map { XXH64.text($0.high) + XXH64.text($0.low) })
      }
      json.object("profiles", of: profiles)
      active.write("active", to: &json)
      json.object("duplicates") { json in
        for (name, days) in duplicates { CountPairs.write(days, named: name, to: &json) }
      }
      PartialFacts.write(pairs, "duplicates_of", to: &json)
      hot.write(to: &json)
    }
  }

  /// Reads what ``json()`` wrote.
  init(_ root: JSONValue) throws(FactsDamage) {
    guard root["eventmill_tally"]?.int == PartialFile.formatVersion,
      let partition = root["partition"]?.int,
      let step = root["step"]?.text.flatMap(MergeStep.init)
    else { throw FactsDamage("it is not a tally of this format") }
    (self.step, self.partition) = (step, partition)
    var counts = CountReader(most: Self.mostCounted)
    lines = try counts.read(root["lines"], "lines")
    if let changes = root["profile_changes"] {
      var read = ProfileCounts()
      read.added = try counts.read(changes["added"], "added profiles")
      read.gone = try counts.read(changes["gone"], "gone profiles")
      read.changed = try counts.read(changes["changed"], "changed profiles")
      self.changes = read
    }
    arrayOverflow = try counts.read(root["array_overflow"], "array_overflow")
    erasedStraddling = try counts.read(root["erased_straddling"], "erased_straddling")
    erased = try ErasedParts.read(root["erased"], &counts)
    devices = try ErasedDevice.read(root["devices"])
    for item in root["erased_links"]?.items ?? [] {
      guard let key = item.text.flatMap(Fingerprint.init(digits:)) else {
        throw FactsDamage("an erased link is of no key")
      }
      erasedLinks.insert(key)
    }
    for (name, value) in root["profiles"]?.members ?? [] {
      try Self.check(name)
      profiles.append((name, try counts.readDifference(value, "the profiles with \(name)")))
    }
    guard let active = root["active"], self.active.read(differences: active) else {
      throw FactsDamage("active people are not counts per day")
    }
    for (name, value) in root["duplicates"]?.members ?? [] {
      try Self.check(name)
      let (tape, index) = value.node
      guard
        let days = CountPairs.read(
          tape, at: index, numbers: 0..<DayNumber.range.upperBound, counts: 1...Self.mostCounted)
      else { throw FactsDamage("the duplicates of \(name) are not counts per day") }
      for (_, count) in days { try counts.take(count) }
      duplicates.append((name, days))
    }
    pairs = try PartialFacts.pairs(root["duplicates_of"], &counts)
    if let value = root["hot_ids"] {
      guard let hot = HotIDs(value) else {
        throw FactsDamage("the ids with the most data are invalid")
      }
      self.hot = hot
    }
  }

  private static func check(_ name: String) throws(FactsDamage) {
    guard PartialFacts.isName(name) else {
      throw FactsDamage("the name of an event is invalid")
    }
  }

  /// Adds the counts to `tally`, with the numbers of `names`; the first `known` names are known.
  ///
  /// - Returns: false for an unknown name.
  func add(to tally: inout SnapshotTally, _ names: inout NameCache, known: Int) -> Bool {
    for (name, count) in profiles {
      let number = names.id(ofText: name)
      guard number < known else { return false }
      tally.add(count, number)
    }
    // Installations are copied into the part of their people, and counted there.
    if step == .people { tally.lines += lines }
    if let changes { tally.changes = (tally.changes ?? ProfileCounts()).adding(changes) }
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
