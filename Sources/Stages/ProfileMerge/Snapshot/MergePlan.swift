package import Pipeline

/// A range of keys that is merged as one piece of work.
package struct KeyRangeTask: Sendable {
  let partition: Int
  let section: KeySection
  let range: KeyRange
}

/// All sources of a snapshot: logs of this run, spills, the previous snapshot (data-model 13).
///
/// Each source has its keys in byte order, so the merge walks all of them side by side and needs no
/// memory for keys it has passed. Made when everything is read; any number of threads may work on
/// pieces.
package struct MergePlan: Sendable {
  /// Keys of a piece, of all sources together.
  private static let keysPerPiece = 512
  /// Keys of a piece for each spill, so that opening a spill costs less than reading it.
  private static let keysPerSpill = 16

  let logs: KeyLogs?
  var spills: [SortedRun]
  /// By partition: the parts of the snapshot of an earlier run, from which everything unchanged is
  /// copied. Only of a run with the same options, program and format: then a copy equals what would
  /// be rendered.
  package let previous: [Int: SortedRun]?
  /// The part whose installations are final: they are copied, and nothing is merged with them.
  package var installations: SortedRun?
  package let names: SnapshotNames
  package let runNames: RunNames
  package let options: SnapshotOptions
  /// Ids of events before this time are not written, in milliseconds since 1970.
  let oldestID: Int
  /// People whose profiles may have changed; those of others are copied.
  package var persons = DirtyPersonFilter()
  /// The keys whose data is no longer published.
  package var erasures = Erasures()
  package var memberships: Memberships?

  /// Adds the people in logs and spills to those whose profiles may have changed.
  package mutating func addPersons(_ partitions: Range<Int>) throws(Failure) {
    let reader = try makeReader()
    try logs?.addPersons(to: &persons)
    for partition in partitions {
      let all = KeyRangeTask(partition: partition, section: .custom, range: .all)
      for spill in spills {
        let cursor = try RunCursor(spill, all, isShared: false, reader)
        while let key = cursor?.key {
          persons.insert(XXH64.hash(key))
          try cursor?.advance()
        }
      }
    }
  }

  /// The keys of a section in pieces, in order. Groups of keys are never split, so that frames do
  /// not depend on the pieces.
  package func pieces(_ partition: Int, _ section: KeySection) throws(Failure) -> [KeyRangeTask] {
    var cuts: [(key: ByteView, keys: Int)] = []
    if section != .anonymous {
      if !isFinal(section) {
        logs?.forEachCut(partition, section) { cuts.append(($0, $1)) }
        for spill in spills { spill.forEachCut(section, of: partition) { cuts.append(($0, $1)) } }
      }
      part(partition, section)?.forEachCut(section) { cuts.append(($0, $1)) }
      if section == .custom { memberships?.forEachCut(partition) { cuts.append(($0, $1)) } }
      cuts.sort { $0.key < $1.key }
    }
    var pieces: [KeyRangeTask] = []
    var lower: ByteView?
    func add(to upper: ByteView?) {
      let range = KeyRange(lower: lower, upper: upper)
      pieces.append(KeyRangeTask(partition: partition, section: section, range: range))
      lower = upper
    }
    let enough = max(Self.keysPerPiece, Self.keysPerSpill * spills.count)
    var keys = 0
    let reader = section == .install && !erasures.isEmpty ? try makeReader() : nil
    for cut in cuts {
      keys += cut.keys
      guard keys >= enough, lower != cut.key, try isWritten(cut.key, partition, section, reader)
      else { continue }
      add(to: cut.key)
      keys = 0
    }
    add(to: nil)
    logs?.expect(pieces)
    if section == .custom { memberships?.expect(pieces) }
    return pieces
  }

  /// Whether a key that sources have is certain to be written: only an erasure removes one, its own
  /// or, of an installation, that of a person it is linked to. `reader` is for installations.
  private func isWritten(
    _ key: ByteView, _ partition: Int, _ section: KeySection, _ reader: KeyFrameReader?
  ) throws(Failure) -> Bool {
    if erasures.isEmpty || isFinal(section) { return true }
    if erasures.mark(of: key) != nil { return false }
    guard let reader else { return true }
    if logs?.mayFold(key, intoPeopleOf: erasures) ?? false { return false }
    let from = KeyRange(lower: key, upper: nil)
    let piece = KeyRangeTask(partition: partition, section: section, range: from)
    for run in spills + [previous?[partition]].compactMap(\.self) {
      guard let cursor = try RunCursor(run, piece, isShared: false, reader), cursor.key == key
      else { continue }
      // The cursor owns the records.
      let isErased = withExtendedLifetime(cursor) {
        cursor.head?.contains { $0.kind == .link && erasures.mark(of: $0.value) != nil }
      }
      if isErased ?? false { return false }
    }
    return true
  }

  /// Whether people whose profiles may have changed are recorded, because those of others are
  /// copied.
  package var notesPersons = false

  package init(
    logs: KeyLogs?, spills: [SortedRun], previous: [Int: SortedRun]?, names: SnapshotNames,
    runNames: RunNames, options: SnapshotOptions, oldestID: Int
  ) {
    (self.logs, self.spills, self.previous) = (logs, spills, previous)
    (self.names, self.runNames) = (names, runNames)
    (self.options, self.oldestID) = (options, oldestID)
  }

  /// The part from which a section of a partition is copied, where its keys have no new data.
  func part(_ partition: Int, _ section: KeySection) -> SortedRun? {
    isFinal(section) ? installations : previous?[partition]
  }

  /// Whether nothing is merged with the copied keys of a section.
  private func isFinal(_ section: KeySection) -> Bool {
    section == .install && installations != nil
  }

  /// Cursors over the keys of a piece in logs and spills; see `[SortedRun].cursors` for `isShared`.
  func cursors(
    _ piece: KeyRangeTask, isShared: Bool, _ reader: KeyFrameReader
  ) throws(Failure) -> KWayMerge {
    if isFinal(piece.section) { return KWayMerge([]) }
    var cursors = try spills.cursors(piece, isShared: isShared, reader)
    if let logs { cursors.append(try RangeCursor(logs, piece)) }
    return KWayMerge(cursors)
  }

  func memberships(of piece: KeyRangeTask, _ reader: KeyFrameReader) throws(Failure) -> KWayMerge {
    guard piece.section == .custom, let memberships else { return KWayMerge([]) }
    return KWayMerge(try memberships.cursors(piece, reader))
  }

  /// A reader of frames with only these names.
  package func makeReader() throws(Failure) -> KeyFrameReader {
    try KeyFrameReader(names: runNames, known: names.lists)
  }
}
