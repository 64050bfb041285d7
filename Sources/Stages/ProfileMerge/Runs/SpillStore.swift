package import Pipeline

/// The spills of a run, in a folder of their own. Any thread may add one.
///
/// When spills of one size become many, they are merged into one: so the number of open files, and
/// of frames in memory while all are read side by side, is bounded for a run of any length. Every
/// key is written once per level: a logarithm.
package final class SpillStore: Sendable {
  /// zstd level of spills that only this process reads.
  private static let level = 1
  /// Default number of spills of one size that are merged into one: read side by side, they take a
  /// frame each per thread, and a file descriptor.
  package static let usualMost = 256

  private struct State {
    /// By level: spills that were written, then the results of merging those, and so on.
    var files: [[SortedRun]] = [[]]
    /// Number of spills begun.
    var count = 0
    var duplicates = DuplicateTally()
    /// Whether a thread is merging spills.
    var isMerging = false
  }

  /// The names of the run, for spills from other processes.
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
    self.folder = folder
    self.directory = directory
    self.name = name
    self.hasKeys = hasKeys
    self.sections = sections
    self.names = names
    self.partitions = partitions
    self.mostOfSize = mostOfSize
  }

  /// The spills so far.
  package var files: [SortedRun] { state.withLock { Array($0.files.joined()) } }

  /// The duplicates found while writing them.
  package var duplicates: DuplicateTally { state.withLock { $0.duplicates } }

  /// Counts duplicates found in the sources of a spill.
  func add(_ duplicates: DuplicateTally) { state.withLock { $0.duplicates.merge(duplicates) } }

  /// Adds an existing spill, which is kept.
  /// - Throws: `corrupt`, `io`, when spills cannot be merged.
  package func add(_ file: SortedRun) throws(Failure) {
    state.withLock { $0.files[0].append(file) }
    try mergeMany()
  }

  /// Ends a spill, and merges spills if they have become many.
  /// - Throws: `corrupt`, `io`.
  func finish(_ begun: Begun) throws(Failure) {
    try end(begun)
    try mergeMany()
  }

  /// A spill being written.
  struct Begun {
    let writer: RunWriter
    let path: String
  }

  /// Begins a spill.
  /// - Throws: `io`.
  func begin() throws(Failure) -> Begun {
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    let file = try folder.create("\(directory)/\(name)-\(number)", isTemporary: true)
    return Begun(writer: try RunWriter(file, level: Self.level), path: file.location)
  }

  /// Ends a spill and adds it to the store; `size` is its level.
  /// - Throws: `io`.
  private func end(_ begun: Begun, size: Int = 0) throws(Failure) {
    try begun.writer.finish()
    let file = try SortedRun(
      spill: PositionedFile(begun.path, doing: "reading a spill", system: folder.system),
      partitions: partitions, .own, isPassing: true, system: folder.system)
    state.withLock { state in
      while state.files.count <= size { state.files.append([]) }
      state.files[size].append(file)
    }
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
      guard !state.isMerging,
        let size = state.files.firstIndex(where: { $0.count >= mostOfSize })
      else { return nil }
      state.isMerging = true
      defer { state.files[size] = [] }
      return (state.files[size], size)
    }
  }

  private func merge(_ files: [SortedRun], size: Int) throws(Failure) {
    let spill = try begin()
    let reader = try KeyFrameReader(names: names)
    var compactor = MutationCompactor()
    var duplicates = DuplicateTally()
    for partition in 0..<partitions {
      for section in sections {
        var cursors: [any KeyCursor] = []
        for file in files {
          if let cursor = try RunCursor(
            file, partition, section, .all, isShared: false, reader)
          {
            cursors.append(cursor)
          }
        }
        var sources = KWayMerge(cursors)
        while let key = sources.key {
          if hasKeys {
            let state = sources.merged(by: &compactor, &duplicates)
            try spill.writer.append(
              state, section: section, hash: XXH64.hash(key), partition: partition)
          } else {
            try sources.copy(to: spill.writer, section: section, partition: partition)
          }
          try sources.advance()
        }
      }
    }
    try end(spill, size: size)
    add(duplicates)
    for file in files { try file.removeIfPassing() }
  }
}
