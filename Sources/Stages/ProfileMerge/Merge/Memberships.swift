import Pipeline

/// The installations that fold into people (SPEC 8.4), with what is known of each.
///
/// A membership is a ``KeyState`` under the key of the *person*, whose link names the *installation*:
/// the other way round than in a state. Memberships come in any order; after ``sort()`` they are read
/// in that of the people. What takes too much memory is spilled.
final class Memberships: @unchecked Sendable {
  // @unchecked because one queue adds to it, and after `sort` it is only read.

  /// The membership of an installation that has a link.
  static func membership(of installation: KeyState) -> KeyState? {
    guard let link = installation.link else { return nil }
    var membership = installation
    membership.key = link.person
    membership.link = InstallationLink(time: link.time, person: installation.key)
    return membership
  }

  private let partitions: Int
  /// Where memberships go that take too much memory; nil keeps them.
  private let spills: SpillStore?
  private let limit: Int
  private var states: [KeyState] = []
  /// What the texts of copied states belong to.
  private var copies: [StateBytes] = []
  private var copiedBytes = 0
  /// By partition: the states in order, as places in `states`.
  private var order: [[SortKey]] = []

  /// No memberships. With `spills` they take about `limit` bytes at most.
  init(partitions: Int, spills: SpillStore?, limit: Int) {
    self.partitions = partitions
    self.spills = spills
    self.limit = limit
  }

  /// Whether anybody has an installation.
  var isEmpty: Bool { states.isEmpty && (spills?.files.isEmpty ?? true) }

  /// Adds `stable` ones, whose texts live as long as the merge, and those of `copied`.
  /// - Throws: `io`, when they cannot be spilled.
  func add(_ stable: [KeyState], copied: StateBytes?) throws(Failure) {
    states += stable
    if let copied, !copied.isEmpty {
      copies.append(copied)
      copiedBytes += copied.bytes.count
      copied.forEach { states.append($0) }
    }
    if spills != nil, copiedBytes + states.count * MemoryLayout<KeyState>.stride > limit {
      try spill()
    }
  }

  /// Puts all memberships in order. Nothing may be added afterwards.
  /// - Throws: `io`, when they cannot be spilled.
  func sort() throws(Failure) {
    if let spills, !spills.files.isEmpty {
      try spill()
    } else {
      order = sortedPlaces()
    }
  }

  /// The memberships by partition of the person, sorted by person, then by installation.
  private func sortedPlaces() -> [[SortKey]] {
    var parts = Array(repeating: [SortKey](), count: partitions)
    for index in states.indices {
      let person = states[index].key
      let part =
        partitions == 1 ? 0 : KeyHash.partition(XXH64.hash(person), of: partitions)
      parts[part].append(
        SortKey(KeySection.custom.id(of: person), .init(shard: 0, profile: UInt32(index))))
    }
    return parts.map { keys in
      let middle = keys.count / 2
      let halves = [keys[..<middle], keys[middle...]]
      var keys = SortKey.merged(concurrentMap(2) { halves[$0].sorted { $0 < $1 } })
      sortInstallations(&keys)
      return keys
    }
  }

  private func sortInstallations(_ keys: inout [SortKey]) {
    var start = 0
    while start < keys.count {
      let person = membership(keys[start]).key
      var end = start + 1
      while end < keys.count, membership(keys[end]).key == person { end += 1 }
      if end - start > 1 {
        keys[start..<end].sort {
          installation(of: membership($0)) < installation(of: membership($1))
        }
      }
      start = end
    }
  }

  private func membership(_ key: SortKey) -> KeyState { states[Int(key.place.profile)] }

  private func spill() throws(Failure) {
    guard let spills, !states.isEmpty else { return }
    let spill = try spills.begin()
    for (partition, keys) in sortedPlaces().enumerated() {
      for key in keys {
        let state = membership(key)
        try spill.writer.append(
          state, section: .custom, hash: XXH64.hash(state.key), partition: partition)
      }
    }
    try spills.finish(spill)
    states = []
    copies = []
    copiedBytes = 0
  }

  /// Calls `body` with people at whom the merge may be cut, and how many memberships there are from one
  /// to the next. Those in memory are of people whom other sources know, too.
  func forEachCut(_ partition: Int, _ body: (_ key: ByteView, _ keys: Int) -> Void) {
    for file in spills?.files ?? [] { file.forEachCut(partition, .custom, body) }
  }

  /// Cursors over the memberships of the people within `range`. A cursor may have several of one
  /// person behind one another.
  /// - Throws: `corrupt`, `io`.
  func cursors(
    _ partition: Int, _ range: KeyRange, _ reader: FrameFileReader
  ) throws(Failure) -> [any KeyCursor] {
    var cursors: [any KeyCursor] = []
    for file in spills?.files ?? [] {
      if let cursor = try file.cursor(partition, .custom, range, reader) { cursors.append(cursor) }
    }
    if !states.isEmpty, !order.isEmpty {
      cursors.append(MembershipCursor(self, order[partition], range))
    }
    return cursors
  }

  /// Goes through memberships in memory.
  private final class MembershipCursor: KeyCursor {
    private let memberships: Memberships
    private var keys: ArraySlice<SortKey>

    init(_ memberships: Memberships, _ keys: [SortKey], _ range: KeyRange) {
      func first(from limit: ByteView) -> Int {
        let limit = SortKey(KeySection.custom.id(of: limit), .init(shard: 0, profile: 0))
        var (low, high) = (0, keys.count)
        while low < high {
          let middle = (low + high) / 2
          if keys[middle] < limit { low = middle + 1 } else { high = middle }
        }
        return low
      }
      self.memberships = memberships
      let start = range.lower.map { first(from: $0) } ?? 0
      let end = range.upper.map { first(from: $0) } ?? keys.count
      self.keys = keys[start..<max(start, end)]
    }

    var head: KeyState? { keys.first.map { memberships.membership($0) } }

    func advance() { keys.removeFirst() }
  }
}

/// The installation that a membership names.
func installation(of membership: KeyState) -> ByteView {
  guard let link = membership.link else {
    preconditionFailure("a membership names its installation")
  }
  return link.person
}
