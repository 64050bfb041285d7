/// A directory that appears complete or not at all (docs/reference/file-formats.md).
///
/// 1. Everything is written to a hidden directory beside the output, in the same file system.
/// 2. ``publish()`` syncs it to disk and renames it to the output's name, in one step.
/// 3. After an earlier failure or a crash an existing output is unchanged. The hidden directory is
///    removed at the end of this object's life, or else by the next run.
///
/// The output is locked throughout, so no two runs write it. One thread at a time; files may be
/// made in ``folder`` by any thread.
package final class StagedDirectory {
  package let output: OutputPath
  package let folder: StagedFolder

  let replaces: Bool
  let owner: Ownership
  let system: System
  let lock: DirectoryLock
  /// Called when the output has its name, still locked; a failure becomes a warning.
  package var whenPublished: () throws(Failure) -> Void = {}
  var directories: [String] = []
  var isOver = false
  /// Spare descriptors, closed to remove the hidden directory when no others are available.
  private var spares: [Int32] = []
  /// Two to remove a directory in a directory, and some that other threads may take meanwhile.
  private static let spareCount = 8

  /// Prepares the output `path`: locks it, removes what dead runs left, makes the hidden directory.
  /// Should be called before the work: every reason to refuse the output is checked here.
  /// - Parameters:
  /// - replaces: whether an existing output is replaced, when it is of the published kind and holds
  ///   nothing else (``Ownership``). An empty directory is always filled.
  /// - owner: knows which files are the program's own; nothing else is ever removed.
  /// - attempt: the name of this attempt, which excludes only those of the same name.
  /// - hasSpares: false for one that is discarded after another one, which has spare descriptors.
  /// - Throws: `usage`, when it cannot be an output; `locked`, when another run writes it; `io`.
  package init(
    _ path: String, replaces: Bool = false, owner: Ownership, attempt: String? = nil,
    hasSpares: Bool = true, system: System = .real
  ) throws(Failure) {
    output = try OutputPath(path, attempt: attempt)
    (self.replaces, self.owner, self.system) = (replaces, owner, system)
    folder = StagedFolder(path: output.staging, system: system)
    try StagedDirectory.checkParent(output, system)
    lock = try DirectoryLock(output, system: system)
    // The object is complete: from here on, deinit undoes what was done.
    try StagedDirectory.clearLeftovers(of: output, owner, system)
    try StagedDirectory.clearAttempts(at: output, owner, system)
    let target = try StagedDirectory.target(output, replaces: replaces, owner, system)
    for _ in 0..<(hasSpares ? StagedDirectory.spareCount : 0) {
      spares.append(
        try System.explained(
          "opening the directory", output.parent, system.openDirectory(output.parent)))
    }
    try StagedDirectory.make(folder.path, like: target, system)
  }

  deinit { discard() }

  /// Checks whether `path` can be published to, as `init` does, without changing anything.
  package static func check(
    _ path: String, replaces: Bool = false, owner: Ownership, system: System = .real
  ) throws(Failure) {
    let output = try OutputPath(path)
    try checkParent(output, system)
    _ = try target(output, replaces: replaces, owner, system)
  }

  package func makeDirectory(_ name: String) throws(Failure) {
    let path = folder.path(of: name)
    try System.explained("creating the directory", path, system.makeDirectory(path))
    directories.append(name)
  }

  /// Removes the file or directory `name`, a path in the folder, if it exists.
  package func remove(_ name: String) throws(Failure) {
    let path = folder.path(of: name)
    let own = owner.hidden(folder.path, system)
    let strangers = try System.explained(
      "removing", path, system.remove(own, from: folder.path, inside: name))
    guard strangers.isEmpty else {
      throw StagedDirectory.refusal(
        output.path, "\(path), where it is made, holds \(strangers.text), which no run has made",
        "make sure that nothing else writes there, and run again")
    }
    directories.removeAll { $0 == name || $0.hasPrefix("\(name)/") }
  }

  /// Removes the hidden directory and releases the lock; without effect after ``publish()``.
  package func discard() {
    closeSpare()
    guard !isOver else { return }
    isOver = true
    // The next run removes what cannot be removed now.
    _ = try? system.remove(owner.hidden(folder.path, system), from: folder.path)
    lock.release()
  }

  func closeSpare() {
    for spare in spares { try? system.closeFile(spare) }
    spares = []
  }
}
