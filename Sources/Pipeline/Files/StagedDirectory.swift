/// A directory that appears complete or not at all (SPEC 9).
///
/// 1. Everything is written to a hidden directory beside the output, in the same file system.
/// 2. ``publish()`` brings it to the disk and renames it to the output's name, in one step.
/// 3. Whatever goes wrong before, and a process that dies, leaves an existing output as it was. The
///    hidden directory is removed at the end of this object's life; one that a dead process left is
///    removed by the next run.
///
/// From the beginning to the end the output is locked, so no two runs write it. One thread at a
/// time; files may be made in ``folder`` by any thread.
package final class StagedDirectory {
  /// What happens to an output that exists already. An empty directory is always filled.
  package enum Existing: Sendable, Equatable {
    /// It stays, and nothing is published.
    case refuse
    /// It is replaced, when it is a directory with one of these names in it: so that a wrong path
    /// costs nobody a directory that no run has made.
    case replace(marks: [String])
  }

  /// The output.
  package let output: OutputPath
  /// Where files are made.
  package let folder: StagedFolder

  let existing: Existing
  let system: System
  let lock: DirectoryLock
  /// Called when the output has its name and before the lock is given back: removes what is of no use
  /// any more. That it fails is a warning.
  package var whenPublished: () throws(Failure) -> Void = {}
  var directories: [String] = []
  var isOver = false
  /// Open files that nobody reads, opened before there is anything to remove and closed before it is
  /// removed: so the hidden directory can be listed also when the run ended because it might not open
  /// another file.
  private var spares: [Int32] = []
  /// What it takes to remove a directory in the hidden one, which is that both are open, and some for
  /// what other threads open at just that moment: libdispatch makes its timers when they are needed.
  private static let spareCount = 8

  /// Prepares the output `path`: locks it, removes what dead runs left, makes the hidden directory.
  ///
  /// Best called before the work begins, because whatever would refuse the output does it here.
  /// - Throws: `usage`, when the path cannot be an output, its parent is missing, or it exists and
  ///   may not be replaced; `locked`, when another run writes it; `io`.
  package init(
    _ path: String, existing: Existing, system: System = .real
  ) throws(Failure) {
    output = try OutputPath(path)
    self.existing = existing
    self.system = system
    folder = StagedFolder(path: output.staging(by: System.processID), system: system)
    try StagedDirectory.checkParent(output, system)
    lock = try DirectoryLock(output, system: system)
    // The object is whole: from here on, deinit undoes what was done.
    try StagedDirectory.clearLeftovers(of: output, system)
    let target = try StagedDirectory.target(output, existing, system)
    for _ in 0..<StagedDirectory.spareCount {
      spares.append(
        try System.explained("opening the directory", output.parent) {
          () throws(SystemError) in try system.openDirectory(output.parent)
        })
    }
    try StagedDirectory.make(folder.path, like: target, system)
  }

  deinit { discard() }

  /// Finds out whether `path` can be published to, without changing anything.
  /// - Throws: what ``init(_:existing:system:)`` would throw for it.
  package static func check(
    _ path: String, existing: Existing, system: System = .real
  ) throws(Failure) {
    let output = try OutputPath(path)
    try checkParent(output, system)
    _ = try target(output, existing, system)
  }

  /// Makes the directory `name`, a path in the folder.
  /// - Throws: `io`.
  package func makeDirectory(_ name: String) throws(Failure) {
    StagedFolder.require(inside: name)
    let path = "\(folder.path)/\(name)"
    try System.explained("creating the directory", path) {
      () throws(SystemError) in try system.makeDirectory(path)
    }
    directories.append(name)
  }

  /// Removes the file or directory `name`, a path in the folder, for what is of use during the run
  /// only. Nothing of that name is fine.
  /// - Throws: `io`.
  package func remove(_ name: String) throws(Failure) {
    StagedFolder.require(inside: name)
    let path = "\(folder.path)/\(name)"
    try System.explained("removing", path) {
      () throws(SystemError) in try system.removeTree(path)
    }
    directories.removeAll { $0 == name || $0.hasPrefix("\(name)/") }
  }

  /// Removes the hidden directory and gives the lock back. Nothing happens after ``publish()``, or
  /// the second time.
  package func discard() {
    closeSpare()
    guard !isOver else { return }
    isOver = true
    // What cannot be removed now is removed by the next run.
    try? system.removeTree(folder.path)
    lock.release()
  }

  func closeSpare() {
    for spare in spares { try? system.closeFile(spare) }
    spares = []
  }
}

// MARK: - Before the work

extension StagedDirectory {
  /// What stands under the name that is to be published.
  enum Target {
    case nothing
    /// A directory with nothing in it, and its permissions.
    case emptyDirectory(mode: UInt32)
    /// A directory that may be replaced, and its permissions.
    case earlier(mode: UInt32)
  }

  /// What stands under the output's name.
  /// - Throws: `usage`, when it has to stay.
  static func target(
    _ output: OutputPath, _ existing: Existing, _ system: System
  ) throws(Failure) -> Target {
    let path = output.path
    let (entry, parent, names) = try System.explained("looking at the output", path) {
      () throws(SystemError) in
      let entry = try system.entry(at: path)
      let names = entry.kind == .directory ? try system.names(in: path) : []
      return (entry, try system.entry(at: output.parent, following: true), names)
    }
    switch entry.kind {
    case .directory where entry.device != parent.device:
      // Nothing can be renamed to it; better said now than at the end of the run.
      throw refusal(path, "it is a mount point", "name a directory in it, like \(path)/NAME")
    case .missing: return .nothing
    case .directory where names.isEmpty: return .emptyDirectory(mode: entry.mode)
    case .directory: break
    case .link:
      throw refusal(path, "it is a symbolic link", "name the directory it leads to, or another")
    case .file, .other:
      throw refusal(path, "there is a file of that name", "name another directory")
    }
    switch existing {
    case .refuse:
      throw refusal(path, "it exists", "use --replace to replace it, or name another directory")
    case .replace(let marks):
      if marks.contains(where: names.contains) { return .earlier(mode: entry.mode) }
      let listed = marks.joined(separator: ", ")
      throw refusal(
        path, "it is a directory that no run has made (without \(listed))",
        "name another directory, or remove it")
    }
  }

  /// Why nothing can be published to `path`.
  package static func refusal(_ path: String, _ why: String, _ advice: String) -> Failure {
    Failure(.usage, doing: "publishing to", path: path, why: why, advice: advice)
  }

  private static func checkParent(
    _ output: OutputPath, _ system: System
  ) throws(Failure) {
    let parent = try System.explained("looking at the directory", output.parent) {
      () throws(SystemError) in try system.entry(at: output.parent, following: true)
    }
    switch parent.kind {
    case .directory: return
    case .missing:
      throw refusal(
        output.path, "the directory \(output.parent) does not exist",
        "make it with: mkdir -p \(output.parent)")
    case .file, .link, .other:
      throw refusal(
        output.path, "\(output.parent) is not a directory", "name another directory")
    }
  }

  /// Removes what dead runs left beside the output. Only with the lock. A run that died while it
  /// replaced an output, on a file system that cannot exchange names, has its earlier output back.
  static func clearLeftovers(
    of output: OutputPath, _ system: System
  ) throws(Failure) {
    let names = try System.explained("reading the directory", output.parent) {
      () throws(SystemError) in try system.names(in: output.parent)
    }
    if let earlier = names.first(where: output.isAside) {
      try System.explained("bringing back the earlier output", output.path) {
        () throws(SystemError) in
        guard try system.entry(at: output.path).kind == .missing else { return }
        try system.move(output.beside(earlier), to: output.path)
      }
    }
    for name in names where output.isStaging(name) || output.isAside(name) {
      let path = output.beside(name)
      try System.explained("removing what an earlier run left,", path) {
        () throws(SystemError) in try system.removeTree(path)
      }
    }
  }

  /// Makes the hidden directory, with the permissions of what it will replace: nobody sees more of
  /// an output while it is made than afterwards.
  private static func make(
    _ path: String, like target: Target, _ system: System
  ) throws(Failure) {
    try System.explained("creating the directory", path) {
      () throws(SystemError) in
      try system.makeDirectory(path)
      switch target {
      case .nothing: break
      case .emptyDirectory(let mode), .earlier(let mode):
        if try system.entry(at: path).mode != mode { try system.setMode(mode, of: path) }
      }
    }
  }
}
