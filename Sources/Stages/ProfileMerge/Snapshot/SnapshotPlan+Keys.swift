import Pipeline

extension SnapshotPlan {
  /// Which installations fold into whom.
  struct Folds {
    /// Per shard and profile: the range of `members` that fold into it; empty for most.
    var members: [[Range<Int>]]
    /// Per shard and profile: whether it folds away.
    var isFolded: [[Bool]]
  }

  /// Orders the linked installations by the person they fold into, as `members`.
  mutating func foldInstallations() -> Folds {
    struct Fold {
      let target: Place
      let place: Place
      let key: ByteView
    }
    var folds: [Fold] = []
    var text = ByteBuffer()
    for (index, shard) in shards.enumerated() {
      for profile in 0..<shard.tables.profiles.next {
        guard let link = shard.tables.link(of: profile) else { continue }
        text.removeAll()
        text.append("custom:")
        text.append(link.customID)
        let hash = XXH64.hash(text.view)
        let owner = ShardRoute.shard(of: hash, count: shards.count)
        folds.append(
          Fold(
            target: Place(
              shard: UInt32(truncatingIfNeeded: owner),
              profile: shards[owner].touch(text.view, hash: hash)),
            place: Place(shard: UInt32(truncatingIfNeeded: index), profile: profile),
            key: shard.tables.texts[shard.tables.profiles[profile].key]))
      }
    }
    folds.sort {
      if $0.target.shard != $1.target.shard { return $0.target.shard < $1.target.shard }
      if $0.target.profile != $1.target.profile { return $0.target.profile < $1.target.profile }
      return $0.key < $1.key
    }
    var result = Folds(
      members: shards.map { Array(repeating: 0..<0, count: $0.tables.profiles.count) },
      isFolded: shards.map { Array(repeating: false, count: $0.tables.profiles.count) })
    for fold in folds {
      let (shard, profile) = (Int(fold.target.shard), Int(fold.target.profile))
      let start =
        result.members[shard][profile].isEmpty
        ? members.count : result.members[shard][profile].lowerBound
      members.append(fold.place)
      result.members[shard][profile] = start..<members.count
      result.isFolded[Int(fold.place.shard)][Int(fold.place.profile)] = true
    }
    return result
  }

  /// Sorts the keys of every partition by their bytes.
  mutating func placeKeys(_ folds: Folds?) {
    var custom = Array(repeating: [SortKey](), count: parts.count)
    var install = custom
    for (index, shard) in shards.enumerated() {
      for profile in 0..<shard.tables.profiles.next {
        let entry = shard.tables.profiles[profile]
        let key = shard.tables.texts[entry.key]
        let place = Place(shard: UInt32(truncatingIfNeeded: index), profile: profile)
        let part = partition(of: entry.hash)
        if key.starts(with: "custom:") {
          guard shard.tables.isKnown(profile) else { continue }
          custom[part].append(SortKey(key.dropFirst(7), place))
        } else {
          precondition(
            key.starts(with: "install:"), "a key is a custom id or an installation")
          install[part].append(SortKey(key.dropFirst(8), place))
        }
      }
    }
    for part in parts.indices {
      custom[part].sort { $0 < $1 }
      install[part].sort { $0 < $1 }
      parts[part].persons = custom[part].map { key in
        let range = folds.map { $0.members[Int(key.place.shard)][Int(key.place.profile)] }
        return Person(place: key.place, members: range ?? 0..<0)
      }
      parts[part].installations = install[part].map(\.place)
      parts[part].singles = install[part].compactMap { key in
        let (shard, profile) = (Int(key.place.shard), key.place.profile)
        if let folds, folds.isFolded[shard][Int(profile)] { return nil }
        return shards[shard].tables.isKnown(profile)
          ? Person(place: key.place, members: 0..<0) : nil
      }
    }
  }
}

/// A key in the form in which many are sorted fast: its first 16 bytes as two numbers, so that the
/// text itself is read only for keys that begin alike.
private struct SortKey {
  let first: UInt64
  let second: UInt64
  let text: ByteView
  let place: SnapshotPlan.Place

  init(_ text: ByteView, _ place: SnapshotPlan.Place) {
    first = SortKey.word(text, 0)
    second = SortKey.word(text, 8)
    self.text = text
    self.place = place
  }

  /// The order of the bytes. A short text is filled up with zero bytes in the numbers; whether
  /// those were there is told by the texts.
  static func < (a: SortKey, b: SortKey) -> Bool {
    if a.first != b.first { return a.first < b.first }
    if a.second != b.second { return a.second < b.second }
    return a.text < b.text
  }

  private static func word(_ text: ByteView, _ start: Int) -> UInt64 {
    if text.count >= start + 8 { return text.word64(at: start).byteSwapped }
    var word: UInt64 = 0
    for index in start..<start + 8 {
      word = word << 8 | (index < text.count ? UInt64(text[index]) : 0)
    }
    return word
  }
}
