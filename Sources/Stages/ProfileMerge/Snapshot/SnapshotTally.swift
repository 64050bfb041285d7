package import Pipeline

/// Counts of rendered profiles; each range has its own, and they add up (data-model 12, 13.1).
package struct SnapshotTally: Sendable {
  /// By number of the event name: published profiles that have it, excluding those copied from the
  /// previous snapshot, minus those that were replaced.
  package var profiles: [Int] = []
  /// Active people, excluding those copied from the previous snapshot, minus those whose profiles
  /// were replaced.
  package var active = ActivePeople()
  /// Number of attributes cut to their first 25 items.
  package var arrayOverflow = 0
  /// Event registers removed by an erase mark although they extend beyond it (data-model 13.6).
  package var erasedStraddling = 0
  package var erased: [Int: ErasedParts] = [:]
  /// Installations that went with erased people.
  package var devices: ErasedDevice.Table = [:]
  /// Installations that requests name, and whose links they have erased.
  package var erasedLinks: Set<Fingerprint> = []
  package var lines = 0
  /// How these differ from those of the previous snapshot; nil where its profiles were not at hand.
  /// Those that are equal are not counted before the end.
  package var changes: ProfileCounts?
  package var hot = HotIDs()
  /// The ``SnapshotOptions/watched`` ids from which nothing was erased.
  package var watched = HotIDs()
  /// Events that were delivered before.
  package var duplicates = DuplicateTally()

  package init() {}

  /// Adds to the number of profiles that have the event.
  package mutating func add(_ count: Int, _ name: UInt32) {
    if Int(name) >= profiles.count { grow(Int(name)) }
    profiles[Int(name)] += count
  }

  package mutating func merge(_ other: SnapshotTally) {
    if other.profiles.count > profiles.count { grow(other.profiles.count - 1) }
    for index in other.profiles.indices { profiles[index] += other.profiles[index] }
    arrayOverflow += other.arrayOverflow
    erasedStraddling += other.erasedStraddling
    for (request, parts) in other.erased { erased[request, default: ErasedParts()].add(parts) }
    devices.merge(other.devices) { first, _ in first }
    erasedLinks.formUnion(other.erasedLinks)
    lines += other.lines
    if let others = other.changes { changes = others.adding(changes) }
    active.merge(other.active)
    hot.merge(other.hot)
    watched.merge(other.watched)
    duplicates.merge(other.duplicates)
  }

  package func profiles(with name: UInt32) -> Int {
    Int(name) < profiles.count ? profiles[Int(name)] : 0
  }

  private mutating func grow(_ position: Int) {
    profiles.append(contentsOf: repeatElement(0, count: position + 1 - profiles.count))
  }
}

/// How many profiles came, went, changed and stayed as they were.
package struct ProfileCounts: Document, Equatable, Sendable {
  package var added = 0
  package var gone = 0
  package var changed = 0
  package var equal = 0

  package static let fields: [Field<ProfileCounts>] = [
    .count("added", \.added), .count("gone", \.gone), .count("changed", \.changed),
    .count("equal", \.equal),
  ]

  package init() {}

  /// The sum with others, if there are any.
  package func adding(_ other: ProfileCounts?) -> ProfileCounts {
    var sum = self
    if let other { sum.add(other) }
    return sum
  }

  /// Those that are not the same.
  package var differing: Int { added + gone + changed }

  /// `3 added, 0 gone, 1 changed, 12 unchanged`.
  package var text: String {
    [(added, "added"), (gone, "gone"), (changed, "changed"), (equal, "unchanged")]
      .map { "\(NumberFormat.grouped($0)) \($1)" }.joined(separator: ", ")
  }
}
