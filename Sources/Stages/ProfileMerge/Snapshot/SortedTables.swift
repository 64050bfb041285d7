package import Pipeline

/// The sorted keys of some shards, for the merge to read tables in memory. Any number of threads
/// may read.
package struct SortedTables: Sendable {
  /// The position of a key: number of the shard and of the profile in it.
  struct Position: BitwiseCopyable, Sendable {
    let shard: UInt32
    let profile: UInt32
  }

  /// The keys of one partition, each list sorted by bytes.
  private struct Part {
    var anonymous: [AnonymousID] = []
    var custom: [SortKey] = []
    var install: [SortKey] = []
  }

  /// Keys between two positions where the merge may be split.
  private static let keysPerCut = 512

  private let tables: [Frozen<ProfileTables>]
  private var parts: [Part]

  /// Sorts the keys of `tables`, one per shard, into `partitions` partitions, on `cores` (as
  /// ``CoreQueues/map(_:_:)`` does) or on the calling thread. Complexity: O(n log n) for n keys.
  package init(_ tables: [Frozen<ProfileTables>], partitions: Int, cores: CoreQueues? = nil) {
    precondition(partitions > 0, "there is at least one partition")
    self.tables = tables
    let sort: @Sendable (Int) -> [Part] = { number in
      Self.keys(of: tables[number], number: number, partitions: partitions)
    }
    let sorted = cores?.map(tables.count, sort) ?? tables.indices.map(sort)
    parts = (0..<partitions).map { part in
      Part(
        anonymous: sorted.count == 1
          ? sorted[0][part].anonymous
          : sorted.flatMap { $0[part].anonymous }.sorted { $0.id < $1.id },
        custom: SortKey.merged(sorted.map { $0[part].custom }),
        install: SortKey.merged(sorted.map { $0[part].install }))
    }
  }

  /// Number of keys, anonymous ids included.
  var count: Int {
    parts.reduce(0) { $0 + $1.anonymous.count + $1.custom.count + $1.install.count }
  }

  private static func keys(
    of tables: Frozen<ProfileTables>, number: Int, partitions: Int
  ) -> [Part] {
    var parts = Array(repeating: Part(), count: partitions)
    let profiles = tables.value.profiles.next
    for profile in 0..<profiles {
      let key = tables.value.profiles.key(profile)
      let position = Position(shard: UInt32(truncatingIfNeeded: number), profile: profile)
      let part = KeyHash.partition(tables.value.profiles.hash(profile), of: partitions)
      if key.starts(with: KeySection.custom.prefix) {
        parts[part].custom.append(SortKey(KeySection.custom.id(of: key), position))
      } else {
        precondition(
          key.starts(with: KeySection.install.prefix), "a key is a person or an installation")
        parts[part].install.append(SortKey(KeySection.install.id(of: key), position))
      }
    }
    var text = ByteBuffer()
    for index in 0..<tables.value.anonymousIDs.next {
      let id = tables.value.anonymousIDs[index]
      var part = 0
      if partitions > 1 {
        id.writeKey(to: &text)
        part = KeyHash.partition(XXH64.hash(text.view), of: partitions)
      }
      parts[part].anonymous.append(id)
    }
    for part in parts.indices {
      parts[part].anonymous.sort { $0.id < $1.id }
      parts[part].custom.sort { $0 < $1 }
      parts[part].install.sort { $0 < $1 }
    }
    return parts
  }

  /// The state of the key at `position`.
  func state(_ position: Position) -> KeyState {
    tables[Int(position.shard)].value.state(of: position.profile)
  }

  /// The hash of the key at `position`.
  func hash(_ position: Position) -> UInt64 {
    tables[Int(position.shard)].value.profiles.hash(position.profile)
  }

  /// Prefetches the state of a key, its records aside.
  func prefetchKey(_ position: Position) {
    tables[Int(position.shard)].value.profiles.prefetch(position.profile)
  }

  /// Prefetches the records of a key.
  func prefetchRecords(_ position: Position) {
    tables[Int(position.shard)].value.prefetchRecords(of: position.profile)
  }

  /// A cursor over the keys of a section within `range`.
  func cursor(
    _ partition: Int, _ section: KeySection, _ range: KeyRange
  ) -> any TableCursor {
    switch section {
    case .anonymous: AnonymousCursor(parts[partition].anonymous, range)
    case .custom: SortedTableCursor(self, parts[partition].custom.keys(of: section, range))
    case .install: SortedTableCursor(self, parts[partition].install.keys(of: section, range))
    }
  }

  /// Calls `body` with the hash of the key of every person.
  func forEachPerson(_ partition: Int, _ body: (_ hash: UInt64) -> Void) {
    for key in parts[partition].custom { body(hash(key.position)) }
  }

  /// Calls `body` with keys that begin groups, about one for every ``keysPerCut`` keys, and the
  /// number of keys from one to the next.
  func forEachCut(
    _ partition: Int, _ section: KeySection, _ body: (_ key: ByteView, _ keys: Int) -> Void
  ) {
    let keys: [SortKey]
    switch section {
    case .anonymous: return
    case .custom: keys = parts[partition].custom
    case .install: keys = parts[partition].install
    }
    var last = 0
    var offset = Self.keysPerCut
    while offset < keys.count {
      if KeyHash.beginsGroup(hash(keys[offset].position)) {
        body(state(keys[offset].position).key, offset - last)
        last = offset
        offset += Self.keysPerCut
      } else {
        offset += 1
      }
    }
  }
}

/// A cursor over keys in memory, which cannot fail.
protocol TableCursor: KeyCursor {
  /// The hash of the key at the cursor.
  var hash: UInt64 { get }

  func advance()
}

/// Iterates over sorted positions in tables.
final class SortedTableCursor: TableCursor {
  /// Number of keys by which a key is prefetched ahead, and by which its records are.
  private static let ahead = (key: 12, records: 4)

  private let tables: SortedTables
  private var keys: ArraySlice<SortKey>
  private(set) var head: KeyState?

  init(_ tables: SortedTables, _ keys: ArraySlice<SortKey>) {
    self.tables = tables
    self.keys = keys
    for key in keys.prefix(Self.ahead.key) { tables.prefetchKey(key.position) }
    readHead()
  }

  var hash: UInt64 { tables.hash(keys[keys.startIndex].position) }

  func advance() {
    keys.removeFirst()
    readHead()
  }

  private func readHead() {
    let start = keys.startIndex
    if start + Self.ahead.key < keys.endIndex {
      tables.prefetchKey(keys[start + Self.ahead.key].position)
    }
    if start + Self.ahead.records < keys.endIndex {
      tables.prefetchRecords(keys[start + Self.ahead.records].position)
    }
    head = keys.isEmpty ? nil : tables.state(keys[start].position)
  }
}

/// Iterates over sorted ids of anonymous events: equal ids together.
final class AnonymousCursor: TableCursor {
  private var ids: ArraySlice<AnonymousID>
  private var key = ByteBuffer()
  private var records = ByteBuffer()
  private var latest = ByteBuffer()
  private(set) var head: KeyState?

  /// The cursor over the ids within `range`. Complexity: O(n) for n ids before it.
  init(_ ids: [AnonymousID], _ range: KeyRange) {
    self.ids = ids[...]
    readHead()
    while let key = head?.key, range.startsAfter(key) { readHead() }
    precondition(range.upper == nil, "ids of anonymous events are read to their end")
  }

  var hash: UInt64 { XXH64.hash(key.view) }

  func advance() { readHead() }

  private func readHead() {
    records.removeAll()
    guard let first = ids.first else {
      head = nil
      return
    }
    first.writeKey(to: &key)
    while let next = ids.first, next.id.isSame(as: first.id) {
      next.append(to: &records, &latest)
      ids.removeFirst()
    }
    var state = KeyState(key: key.view)
    state.records = records.view
    head = state
  }
}
