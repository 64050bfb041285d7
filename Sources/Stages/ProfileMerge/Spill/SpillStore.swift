package import Pipeline

/// The spills of a run, in a folder of their own. Any thread may add one.
package final class SpillStore: Sendable {
  /// zstd level of spills that only this process reads.
  private static let level = 1

  private struct State {
    var files: [SpillFile] = []
    /// Spills begun.
    var count = 0
    var duplicates = DuplicateTally()
  }

  /// Bytes of tables from which on a shard spills them.
  package let tableLimit: Int
  /// How many partitions the keys are sorted into.
  let partitions: Int
  private let folder: StagedFolder
  private let directory: String
  private let name: String
  private let state = Locked(State())

  /// A store of files `name-1`, `name-2`, … in the directory `directory` of `folder`, which exists.
  package init(
    in folder: StagedFolder, directory: String, name: String = "spill", partitions: Int,
    tableLimit: Int
  ) {
    self.folder = folder
    self.directory = directory
    self.name = name
    self.partitions = partitions
    self.tableLimit = tableLimit
  }

  /// The spills so far.
  package var files: [SpillFile] { state.withLock { $0.files } }

  /// The duplicates that were found on the way into them.
  package var duplicates: DuplicateTally { state.withLock { $0.duplicates } }

  /// Adds a spill that is there already.
  package func add(_ file: SpillFile) { state.withLock { $0.files.append(file) } }

  /// Counts duplicates that were found in tables that are gone.
  func add(_ duplicates: DuplicateTally) { state.withLock { $0.duplicates.merge(duplicates) } }

  /// Writes all keys of `tables` into a spill.
  /// - Throws: `io`.
  func write(_ tables: SortedTables) throws(Failure) {
    let writer = try begin()
    for partition in 0..<partitions {
      for section in KeySection.allCases {
        let cursor = tables.cursor(partition, section, .all)
        while let head = cursor.head {
          try writer.writer.append(
            head, section: section, hash: cursor.hash, partition: partition)
          cursor.advance()
        }
      }
    }
    try end(writer)
  }

  /// A spill that is being written.
  struct Begun {
    let writer: SpillWriter
    let path: String
  }

  /// Begins a spill.
  /// - Throws: `io`.
  func begin() throws(Failure) -> Begun {
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    let file = try folder.create("\(directory)/\(name)-\(number)")
    return Begun(writer: try SpillWriter(file, level: Self.level), path: file.location)
  }

  /// Ends a spill and adds it to the store.
  /// - Throws: `io`.
  func end(_ begun: Begun) throws(Failure) {
    _ = try begun.writer.finish(isDurable: false)
    let file = try SpillFile(begun.path, system: folder.system)
    state.withLock { $0.files.append(file) }
  }
}
