package import Pipeline

/// The installations that fold into people (data-model 13.8), with what is known of each.
///
/// A membership is a ``KeyState`` under the key of the *person*, whose link names the
/// *installation*: the other way round than in a state. Memberships come in any order; after
/// ``sort()`` they are read in that of the people. What takes too much memory is spilled.
package final class Memberships: @unchecked Sendable {
  // @unchecked because one queue adds to it, and after `sort` it is only read.

  /// The membership of an installation that has a link.
  static func membership(of installation: KeyState) -> KeyState? {
    guard let link = installation.link else { return nil }
    var membership = installation
    membership.key = link.target
    membership.links = InstallationLinks(
      only: InstallationLink(time: link.time, target: installation.key))
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
  /// What is read once ``sort()`` has been called and nothing was spilled.
  private var sorted: SortedMemberships?

  /// No memberships. With `spills` they take about `limit` bytes at most.
  package init(partitions: Int, spills: SpillStore?, limit: Int) {
    self.partitions = partitions
    self.spills = spills
    self.limit = limit
  }

  /// Whether anybody has an installation.
  var isEmpty: Bool { states.isEmpty && sorted == nil && (spills?.files.isEmpty ?? true) }

  /// Adds `stable` ones, whose texts live as long as the merge, and those of `copied`.
  /// - Throws: `io`, when they cannot be spilled.
  package func add(_ stable: [KeyState], copied: StateBytes?) throws(Failure) {
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
  package func sort() throws(Failure) {
    if let spills, !spills.files.isEmpty {
      try spill()
    } else if !states.isEmpty {
      sorted = SortedMemberships(states, copies, partitions: partitions)
      states = []
      copies = []
    }
  }

  private func spill() throws(Failure) {
    guard let spills, !states.isEmpty else { return }
    let spill = try spills.begin()
    let sorted = SortedMemberships(states, copies, partitions: partitions)
    for partition in 0..<partitions {
      for place in sorted.order[partition] {
        let state = sorted[place]
        try spill.writer.append(
          state, section: .custom, hash: XXH64.hash(state.key), partition: partition)
      }
    }
    try spills.finish(spill)
    states = []
    copies = []
    copiedBytes = 0
  }

  /// Calls `body` with people at whom the merge may be cut, and how many memberships there are from
  /// one to the next. Those in memory are of people whom other sources know, too.
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
    if let cursor = sorted?.cursor(partition, range) { cursors.append(cursor) }
    return cursors
  }
}
