import Pipeline

/// What was counted while a partition was merged: `tally.json`.
struct PartitionTally {
  let partition: Int
  /// Profiles per event name, more or less than in the previous snapshot; by name.
  var profiles: [(name: String, count: Int)] = []
  var arrayOverflow = 0
  /// Duplicates that were found, by name,
  var names: [(name: String, count: Int)] = []
  /// and by the inputs they came with.
  var pairs: [DuplicateTally.Pair: Int] = [:]

  /// What `tally` counted in the partition `partition`.
  init(_ tally: SnapshotTally, partition: Int, _ names: SnapshotNames) {
    self.partition = partition
    for name in names.events.sorted {
      let text = names.events[name].text
      let profiles = tally.profiles(with: name)
      if profiles != 0 { self.profiles.append((text, profiles)) }
      let duplicates = tally.duplicates.names[name] ?? 0
      if duplicates != 0 { self.names.append((text, duplicates)) }
    }
    arrayOverflow = tally.arrayOverflow
    pairs = tally.duplicates.pairs
  }

  /// The text of the file.
  func json() -> ByteBuffer {
    var json = JSONWriter()
    json.object { json in
      json.member("eventmill_tally", PartialManifest.formatVersion)
      json.member("partition", partition)
      json.member("array_overflow", arrayOverflow)
      json.object("profiles") { json in
        for (name, count) in profiles { json.member(named: name, count) }
      }
      json.object("duplicates") { json in
        for (name, count) in names { json.member(named: name, count) }
      }
      PartialFacts.write(pairs, "duplicates_of", to: &json)
    }
    json.endLine()
    return json.finish()
  }

  /// Reads what ``json()`` has written.
  init(_ root: JSONValue) throws(FactsDamage) {
    guard root["eventmill_tally"]?.int == PartialManifest.formatVersion,
      let partition = root["partition"]?.int, let overflow = root["array_overflow"]?.int
    else { throw FactsDamage("it is no tally of this format") }
    self.partition = partition
    arrayOverflow = overflow
    profiles = try Self.counts(root["profiles"])
    names = try Self.counts(root["duplicates"])
    pairs = try PartialFacts.pairs(root["duplicates_of"])
  }

  private static func counts(
    _ value: JSONValue?
  ) throws(FactsDamage) -> [(name: String, count: Int)] {
    var counts: [(name: String, count: Int)] = []
    for (name, value) in value?.members ?? [] {
      guard let count = value.int, count.magnitude <= StateReader.maximumCount else {
        throw FactsDamage("the count of \(name) is none")
      }
      counts.append((name, count))
    }
    return counts
  }

  /// Adds what was counted to `tally`, with the numbers of `names`; duplicates by name and input.
  func add(to tally: inout SnapshotTally, _ names: inout NameCache) {
    for (name, count) in profiles { tally.add(count, names.id(ofText: name)) }
    tally.arrayOverflow += arrayOverflow
    for (name, count) in self.names { tally.duplicates.add(count, name: names.id(ofText: name)) }
    for (pair, count) in pairs { tally.duplicates.add(count, pair) }
  }
}
