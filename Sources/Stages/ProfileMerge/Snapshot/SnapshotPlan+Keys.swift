import Pipeline

extension SnapshotPlan {
  /// The installations that fold into the people of one shard.
  struct Folds: Sendable {
    /// The installations, by person, sorted by bytes within one.
    var members: [Place] = []
    /// By profile: the range of its installations in `members`; empty for most.
    var ranges: [Range<Int>]
  }

  /// A linked installation.
  private struct Fold: @unchecked Sendable {
    // @unchecked because the views belong to tables that keep their texts where they are.
    let place: Place
    let key: ByteView
    let customID: ByteView
    /// XXH64 of the key of the person.
    let hash: UInt64
    /// The profile of the person in its shard.
    var target = ProfileTables.end
  }

  /// How many links ahead the places of people are asked for.
  private static let linksAhead = 16

  /// Finds out which installations fold into whom, per shard of the person.
  func foldInstallations() -> [Folds] {
    let found = concurrentMap(shards.count) { links(ofShard: $0) }
    return concurrentMap(shards.count) { owner in
      folds(found.flatMap { $0[owner] }, intoShard: owner)
    }
  }

  /// The linked installations of a shard, by the shard of their person.
  private func links(ofShard number: Int) -> [[Fold]] {
    var links = Array(repeating: [Fold](), count: shards.count)
    let shard = shards[number]
    var text = ByteBuffer()
    for profile in 0..<shard.tables.profiles.next {
      guard let link = shard.tables.link(of: profile) else { continue }
      SnapshotPlan.writePersonKey(link.customID, to: &text)
      let hash = XXH64.hash(text.view)
      links[ShardRoute.shard(of: hash, count: shards.count)].append(
        Fold(
          place: Place(shard: UInt32(truncatingIfNeeded: number), profile: profile),
          key: shard.tables.profiles.key(profile),
          customID: link.customID, hash: hash))
    }
    return links
  }

  /// Orders the installations that fold into people of the shard `number`, each of which gets a
  /// state if it has none.
  private func folds(_ links: [Fold], intoShard number: Int) -> Folds {
    let shard = shards[number]
    var links = links
    var text = ByteBuffer()
    for index in links.indices {
      let ahead = min(index + SnapshotPlan.linksAhead, links.count - 1)
      shard.tables.profiles.prefetchIndex(links[ahead].hash)
      SnapshotPlan.writePersonKey(links[index].customID, to: &text)
      links[index].target = shard.touch(text.view, hash: links[index].hash)
    }
    links.sort { $0.target != $1.target ? $0.target < $1.target : $0.key < $1.key }
    var folds = Folds(ranges: Array(repeating: 0..<0, count: shard.tables.profiles.count))
    for link in links {
      let range = folds.ranges[Int(link.target)]
      let start = range.isEmpty ? folds.members.count : range.lowerBound
      folds.members.append(link.place)
      folds.ranges[Int(link.target)] = start..<folds.members.count
    }
    return folds
  }

  private static func writePersonKey(_ customID: ByteView, to text: inout ByteBuffer) {
    text.removeAll()
    text.append("custom:")
    text.append(customID)
  }

  /// The keys of one shard in one part, sorted by bytes.
  private struct SortedKeys: Sendable {
    var custom: [SortKey] = []
    var install: [SortKey] = []
  }

  /// Sorts the keys of every part by their bytes. Without `folds` every installation is published
  /// under its own id.
  mutating func placeKeys(_ folds: [Folds]?) {
    let plan = self
    let sorted = concurrentMap(shards.count) { plan.sortedKeys(ofShard: $0) }
    for part in parts.indices {
      parts[part].persons = SortKey.merged(sorted.map { $0[part].custom }).map { key in
        let range = folds.map { $0[Int(key.place.shard)].ranges[Int(key.place.profile)] }
        return Person(place: key.place, members: range ?? 0..<0)
      }
      parts[part].installations = SortKey.merged(sorted.map { $0[part].install }).map(\.place)
      parts[part].singles = parts[part].installations.compactMap { place in
        if !isKnown(place) || (folds != nil && link(place) != nil) { return nil }
        return Person(place: place, members: 0..<0)
      }
    }
    members = folds?.map(\.members) ?? []
  }

  /// The keys of a shard that have a state or a link, by part.
  private func sortedKeys(ofShard number: Int) -> [SortedKeys] {
    var keys = Array(repeating: SortedKeys(), count: parts.count)
    let shard = shards[number]
    for profile in 0..<shard.tables.profiles.next {
      let key = shard.tables.profiles.key(profile)
      let place = Place(shard: UInt32(truncatingIfNeeded: number), profile: profile)
      let part = partition(of: shard.tables.profiles.hash(profile))
      if key.starts(with: "custom:") {
        guard shard.tables.isKnown(profile) else { continue }
        keys[part].custom.append(SortKey(key.dropFirst(7), place))
      } else {
        precondition(key.starts(with: "install:"), "a key is a custom id or an installation")
        keys[part].install.append(SortKey(key.dropFirst(8), place))
      }
    }
    for part in keys.indices {
      keys[part].custom.sort { $0 < $1 }
      keys[part].install.sort { $0 < $1 }
    }
    return keys
  }
}
