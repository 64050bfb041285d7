package import Pipeline

/// The installations that fold into people (data-model 13.8), with their states.
///
/// A membership is a ``KeyState`` under the key of the *person*, whose first record links it to the
/// *installation*: the reverse of a state. Memberships are added in any order; after ``sort()``
/// they are read in the order of the people.
package final class Memberships: Sendable {
  /// Appends the membership of an installation whose current link is `link`.
  static func append(
    _ installation: KeyState, _ link: InstallationLink, to bytes: inout ByteBuffer
  ) {
    var records = ByteBuffer(capacity: installation.records.count + 64)
    Mutation(.link, time: link.time, value: installation.key).append(to: &records)
    var (offset, start) = (0, 0)
    while let record = Mutation(installation.records, at: &offset) {
      if !record.kind.isOfLinks { records.append(installation.records[start..<offset]) }
      start = offset
    }
    KeyState(key: link.target, records: records.view).append(to: &bytes)
  }

  private let (partitions, jobs): (Int, Int)
  private let shard: ProfileShard
  private let sorted = Locked<KeyLogs?>(nil)
  private let files: SpillStore

  /// No memberships; `files` are for those of other processes, and `jobs` cores divide.
  package init(_ options: KeyLogOptions, files: SpillStore, jobs: Int) {
    (partitions, self.files, self.jobs) = (options.partitions, files, jobs)
    var options = options
    // Memberships of one person are of several installations.
    options.joins = false
    shard = ProfileShard.shards(1, options)[0]
  }

  package func add(_ states: StateSlice) throws(Failure) { try shard.append(states: states) }

  /// Adds those of a finished file.
  package func add(_ file: SortedRun) throws(Failure) { try files.add(file) }

  package func sort() throws(Failure) {
    let logs = try KeyLogs([shard], jobs: jobs)
    sorted.withLock { $0 = logs }
  }

  /// Writes those of each partition that has some into the file that `create` returns for it; they
  /// must be sorted. Their records use numbers of `names`.
  package func write(
    _ names: RunNames, level: Int, to create: (_ partition: Int) throws(Failure) -> OutputFile
  ) throws(Failure) {
    let lists = names.lists
    let reader = try KeyFrameReader(names: names, known: lists)
    for partition in 0..<partitions {
      let all = KeyRangeTask(partition: partition, section: .custom, range: .all)
      expect([all])
      var sources = KWayMerge(try cursors(all, reader))
      guard sources.key != nil else { continue }
      let writer = try RunWriter(create(partition), level: level, names: lists)
      while let key = sources.key {
        var states: [KeyState] = []
        sources.forEach { states.append($0) }
        states.sort { installation(of: $0) < installation(of: $1) }
        let hash = XXH64.hash(key)
        for state in states {
          try writer.append(state, section: .custom, hash: hash, partition: partition)
        }
        try sources.advance()
      }
      try writer.finish()
    }
  }

  /// Calls `body` with people at whom the merge may be split, and the number of memberships from
  /// one to the next.
  func forEachCut(_ partition: Int, _ body: (_ key: ByteView, _ keys: Int) -> Void) {
    for file in files.files { file.forEachCut(.custom, of: partition, body) }
    sorted.withLock { $0 }?.forEachCut(partition, .custom, body)
  }

  /// Prepares for one reading of each of `pieces`, all of a partition's people.
  func expect(_ pieces: [KeyRangeTask]) { sorted.withLock { $0 }?.expect(pieces) }

  /// Cursors over the memberships of the people of a piece.
  func cursors(_ piece: KeyRangeTask, _ reader: KeyFrameReader) throws(Failure) -> [any KeyCursor] {
    var cursors = try files.files.cursors(piece, isShared: true, reader)
    if let logs = sorted.withLock({ $0 }) { cursors.append(try RangeCursor(logs, piece)) }
    return cursors
  }
}

func installation(of membership: KeyState) -> ByteView {
  var offset = 0
  guard let link = Mutation(membership.records, at: &offset), link.kind == .link else {
    preconditionFailure("a membership begins with its installation")
  }
  return link.value
}
