package import Pipeline

/// The spills of a run, in a folder of their own. Any thread may add one.
///
/// When spills of one size become many, they are merged into one: so the number of open files, and
/// of frames in memory while all are read side by side, is bounded for a run of any length. Every
/// key is written once per level: a logarithm.
package final class SpillStore: Sendable {
  /// zstd level of spills of this process.
  private static let level = 1
  /// Default number of spills of one size that are merged into one: read side by side, they take a
  /// frame each per thread, and a file descriptor.
  package static let usualMost = 256

  private struct State {
    /// By level: spills that were written, then the results of merging those, and so on.
    var files: [[SortedRun]] = [[]]
    var count = 0
    var duplicates = DuplicateTally()
    var isMerging = false
  }

  private let names: RunNames
  /// Number of partitions that the keys are sorted into.
  let partitions: Int
  private let folder: StagedFolder
  private let directory: String
  private let name: String
  /// Whether each key occurs once per spill, so that its states may be merged.
  private let hasKeys: Bool
  /// Number of spills of one size that are merged into one.
  private let mostOfSize: Int
  /// The sections to read: spills from other processes may have others, too.
  private let sections: [KeySection]
  private let state = Locked(State())

  /// A store of files `name-1`, `name-2`, … in the existing directory `directory` of `folder`: of
  /// keys that occur once per file, unless `hasKeys` is false.
  package init(
    in folder: StagedFolder, directory: String, name: String = "spill", hasKeys: Bool = true,
    sections: [KeySection] = KeySection.allCases, names: RunNames, partitions: Int,
    mostOfSize: Int = usualMost
  ) {
    precondition(mostOfSize > 1, "one spill alone is merged already")
    (self.folder, self.directory, self.name) = (folder, directory, name)
    (self.hasKeys, self.sections, self.mostOfSize) = (hasKeys, sections, mostOfSize)
    (self.names, self.partitions) = (names, partitions)
  }

  package var files: [SortedRun] { state.withLock { Array($0.files.joined()) } }

  package var duplicates: DuplicateTally { state.withLock { $0.duplicates } }
  func add(_ duplicates: DuplicateTally) { state.withLock { $0.duplicates.merge(duplicates) } }

  /// Adds an existing spill, which is kept.
  package func add(_ file: SortedRun) throws(Failure) {
    state.withLock { $0.files[0].append(file) }
    try mergeMany()
  }

  // MARK: - Many spills

  /// Merges spills of one size until there are few of each. Only one thread at a time does; spills
  /// that another one adds are merged by the next call.
  private func mergeMany() throws(Failure) {
    while let (files, size) = takeMany() {
      defer { state.withLock { $0.isMerging = false } }
      try merge(files, size: size + 1)
    }
  }

  private func takeMany() -> ([SortedRun], Int)? {
    state.withLock { state in
      guard !state.isMerging, let size = state.files.firstIndex(where: { $0.count >= mostOfSize })
      else { return nil }
      state.isMerging = true
      defer { state.files[size] = [] }
      return (state.files[size], size)
    }
  }

  private func merge(_ files: [SortedRun], size: Int) throws(Failure) {
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    let output = try folder.create("\(directory)/\(name)-\(number)", isTemporary: true)
    let writer = try RunWriter(output, level: Self.level)
    let reader = try KeyFrameReader(names: names)
    var compactor = MutationCompactor()
    var duplicates = DuplicateTally()
    for partition in 0..<partitions {
      for section in sections {
        let all = KeyRangeTask(partition: partition, section: section, range: .all)
        var sources = KWayMerge(try files.cursors(all, isShared: false, reader))
        while let key = sources.key {
          let hash = XXH64.hash(key)
          if hasKeys {
            let state = sources.merged(by: &compactor, &duplicates)
            try writer.append(state, section: section, hash: hash, partition: partition)
          } else {
            try sources.forEach { state throws(Failure) in
              try writer.append(state, section: section, hash: hash, partition: partition)
            }
          }
          try sources.advance()
        }
      }
    }
    try writer.finish()
    let merged = try SortedRun(
      spill: PositionedFile(output.location, doing: "reading a spill", system: folder.system),
      partitions: partitions, .own, isPassing: true, system: folder.system)
    state.withLock { state in
      if state.files.count == size { state.files.append([]) }
      state.files[size].append(merged)
    }
    add(duplicates)
    for file in files { try file.removeIfPassing() }
  }
}
