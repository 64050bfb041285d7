package import Pipeline

/// The installations that fold into people (data-model 13.8), with their states.
///
/// A membership is a ``KeyState`` under the key of the *person*, whose link names the
/// *installation*: the reverse of a state. Memberships are added in any order; after ``sort(on:)``
/// they are read in the order of the people. Above the memory limit they are spilled.
package final class Memberships: Sendable {

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
  /// The store for memberships above the memory limit; nil keeps all in memory.
  private let spills: SpillStore?
  private let limit: Int
  private let collected = Locked(Collected())

  private struct Collected {
    var states: [KeyState] = []
    /// The owners of the texts of copied states.
    var copies: [Frozen<StateBytes>] = []
    var copiedBytes = 0
    /// Set by ``sort(on:)``, if nothing was spilled.
    var sorted: SortedMemberships?

    /// Removes and returns the memberships, sorted.
    mutating func take(partitions: Int, cores: CoreQueues? = nil) -> SortedMemberships {
      defer { self = Collected() }
      return SortedMemberships(states, copies, partitions: partitions, cores: cores)
    }
  }

  /// No memberships. With `spills` they take about `limit` bytes at most.
  package init(partitions: Int, spills: SpillStore?, limit: Int) {
    self.partitions = partitions
    self.spills = spills
    self.limit = limit
  }

  /// Whether there are no memberships.
  var isEmpty: Bool {
    collected.withLock { $0.states.isEmpty && $0.sorted == nil } && (spills?.files.isEmpty ?? true)
  }

  /// Adds `stable` ones, whose texts live as long as the merge, and those of `copied`.
  /// - Throws: `io`, when they cannot be spilled.
  package func add(_ stable: [KeyState], copied: Frozen<StateBytes>?) throws(Failure) {
    let size = collected.withLock { collected in
      collected.states += stable
      if let copied {
        collected.copies.append(copied)
        collected.copiedBytes += copied.value.bytes.count
        copied.value.forEach { collected.states.append($0) }
      }
      return collected.copiedBytes + collected.states.count * MemoryLayout<KeyState>.stride
    }
    if spills != nil, size > limit { try spill() }
  }

  /// Adds those of a finished file.
  /// - Throws: `corrupt`, `io`, when files cannot be merged.
  package func add(_ file: SortedRun) throws(Failure) {
    guard let spills else { preconditionFailure("memberships of a file are with others of files") }
    try spills.add(file)
  }

  /// Writes those of each partition that has some into the file that `create` returns for it; they
  /// must be sorted. Their records use numbers of `names`.
  /// - Throws: `corrupt`, `io`.
  package func write(
    _ names: RunNames, level: Int, to create: (_ partition: Int) throws(Failure) -> OutputFile
  ) throws(Failure) {
    let lists = names.lists
    let reader = try KeyFrameReader(names: names, known: lists)
    for partition in 0..<partitions {
      var sources = KWayMerge(try cursors(partition, .all, reader))
      guard sources.key != nil else { continue }
      let writer = try RunWriter(create(partition), level: level, names: lists)
      while sources.key != nil {
        try sources.copy(to: writer, section: .custom, partition: partition)
        try sources.advance()
      }
      try writer.finish(isDurable: true)
    }
  }

  /// Sorts all memberships, on `cores` if they are in memory. Nothing may be added afterwards.
  /// - Throws: `io`, when they cannot be spilled.
  package func sort(on cores: CoreQueues) throws(Failure) {
    if let spills, !spills.files.isEmpty {
      try spill()
    } else {
      collected.withLock { collected in
        guard !collected.states.isEmpty else { return }
        collected.sorted = collected.take(partitions: partitions, cores: cores)
      }
    }
  }

  private func spill() throws(Failure) {
    let sorted = collected.withLock { collected in
      collected.states.isEmpty ? nil : collected.take(partitions: partitions)
    }
    guard let spills, let sorted else { return }
    let spill = try spills.begin()
    for partition in 0..<partitions {
      for position in sorted.order[partition] {
        let state = sorted[position]
        try spill.writer.append(
          state, section: .custom, hash: XXH64.hash(state.key), partition: partition)
      }
    }
    try spills.finish(spill)
  }

  /// Calls `body` with people at whom the merge may be split, and the number of memberships from
  /// one to the next. Those in memory belong to people whom other sources have, too.
  func forEachCut(_ partition: Int, _ body: (_ key: ByteView, _ keys: Int) -> Void) {
    for file in spills?.files ?? [] { file.forEachCut(.custom, of: partition, body) }
  }

  /// Cursors over the memberships of the people within `range`. A cursor may have several
  /// consecutive ones of one person.
  /// - Throws: `corrupt`, `io`.
  func cursors(
    _ partition: Int, _ range: KeyRange, _ reader: KeyFrameReader
  ) throws(Failure) -> [any KeyCursor] {
    var cursors: [any KeyCursor] = []
    for file in spills?.files ?? [] {
      if let cursor = try RunCursor(file, partition, .custom, range, isShared: true, reader) {
        cursors.append(cursor)
      }
    }
    if let cursor = collected.withLock({ $0.sorted })?.cursor(partition, range) {
      cursors.append(cursor)
    }
    return cursors
  }
}
