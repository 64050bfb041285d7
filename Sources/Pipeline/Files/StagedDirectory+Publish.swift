extension StagedDirectory {
  /// Syncs everything to disk, renames it to the output's name, and releases the lock.
  /// - Returns: a warning, when the output was published and the earlier one could not be removed.
  /// - Throws: `usage`, when the output was created meanwhile; `defect`, when a file was not
  ///   finished, or never made; `io`. Then nothing was published, and nothing is left.
  @discardableResult
  package func publish() throws(Failure) -> Failure? {
    do {
      try requireFinished { _ in true }
      return try put(as: output, existing, owner)
    } catch {
      discard()
      throw error
    }
  }

  /// Publishes only the files `names` of the folder itself under another name: the report of a
  /// failed run. An earlier directory of the same kind is replaced.
  /// - Parameters:
  /// - other: a name beside the output.
  /// - owner: knows the files of such directories.
  /// - Returns: a warning, as ``publish()`` does.
  /// - Throws: as ``publish()`` does.
  @discardableResult
  package func publish(
    only names: [String], as other: String, owner: Ownership
  ) throws(Failure) -> Failure? {
    do throws(Failure) {
      try requireFinished(names.contains)
      let all = try System.explained(
        "reading the directory", folder.path, system.names(in: folder.path))
      if let name = names.first(where: { !all.contains($0) }) {
        throw incomplete("\(name) was not made")
      }
      for name in all where !names.contains(name) { try remove(name) }
      let destination = try OutputPath(output.beside(other))
      let destinationLock = try DirectoryLock(destination, system: system)
      defer { destinationLock.release() }
      try StagedDirectory.clearLeftovers(of: destination, owner, system)
      return try put(as: destination, .replace, owner)
    } catch {
      discard()
      throw error
    }
  }

  private func requireFinished(_ isMeant: (String) -> Bool) throws(Failure) {
    precondition(!isOver, "a directory is published once")
    guard let name = folder.firstUnfinished(where: isMeant) else { return }
    throw incomplete("\(name) was not finished")
  }

  private func incomplete(_ why: String) -> Failure {
    Failure(
      .defect, doing: "publishing", path: output.path, why: why,
      advice: "please report this as a bug")
  }

  // MARK: - Renaming

  /// How the name was taken, so that it can be given back.
  private enum Placement {
    /// The name was unused.
    case moved
    /// An empty directory had the name.
    case filled(mode: UInt32)
    /// The earlier output now has the hidden directory's name.
    case exchanged
    /// The earlier output was moved to this path.
    case putAside(String)
  }

  private func put(
    as destination: OutputPath, _ existing: Existing, _ owner: Ownership
  ) throws(Failure) -> Failure? {
    for directory in directories.map({ "\(folder.path)/\($0)" }) + [folder.path] {
      try System.explained(
        "flushing the directory", directory, system.synchronize(directory: directory))
    }
    // Checked again: files may have been added there during the run.
    let target = try StagedDirectory.target(destination, existing, owner, system)
    let placement = try take(destination, target)
    let earlier = earlier(target, placement)
    do throws(Failure) {
      // Files may have been added until a moment ago. The name no longer leads there.
      if let earlier {
        try StagedDirectory.requireOwn(earlier.own, at: earlier.path, of: destination, system)
      }
      try System.explained(
        "flushing the directory", destination.parent,
        system.synchronize(directory: destination.parent))
    } catch {
      throw giveBack(destination, placement) ? error : StagedDirectory.stuck(error, destination)
    }
    isOver = true
    closeSpare()
    var warning = earlier.flatMap { remove($0.own, from: $0.path) }
    do throws(Failure) { try whenPublished() } catch { warning = warning ?? error }
    lock.release()
    return warning
  }

  private func take(_ destination: OutputPath, _ target: Target) throws(Failure) -> Placement {
    do {
      switch target {
      case .nothing:
        try system.move(folder.path, to: destination.path)
        return .moved
      case .emptyDirectory(let mode):
        try system.move(folder.path, to: destination.path)
        return .filled(mode: mode)
      case .earlier:
        return try exchange(destination)
      }
    } catch {
      // Renaming a directory never replaces one that is not empty.
      if error.isOccupied {
        throw StagedDirectory.refusal(
          destination.path, "it was created during the run",
          "name another directory and run again")
      }
      throw error.failure(doing: "publishing to", path: destination.path, .writing)
    }
  }

  private func exchange(_ destination: OutputPath) throws(SystemError) -> Placement {
    do {
      try system.exchange(folder.path, destination.path)
      return .exchanged
    } catch {
      guard error.isUnsupported else { throw error }
    }
    let aside = destination.aside(by: System.processID)
    try system.move(destination.path, to: aside)
    do {
      try system.move(folder.path, to: destination.path)
    } catch {
      try? system.move(aside, to: destination.path)
      throw error
    }
    return .putAside(aside)
  }

  /// Undoes ``take(_:_:)``.
  /// - Returns: false when the system refused: then the new output, which is complete, has the
  ///   name.
  private func giveBack(_ destination: OutputPath, _ placement: Placement) -> Bool {
    do {
      switch placement {
      case .moved:
        try system.move(destination.path, to: folder.path)
      case .filled(let mode):
        try system.move(destination.path, to: folder.path)
        try? system.makeDirectory(destination.path)
        try? system.setMode(mode, of: destination.path)
      case .exchanged:
        try system.exchange(folder.path, destination.path)
      case .putAside(let aside):
        try system.move(destination.path, to: folder.path)
        try? system.move(aside, to: destination.path)
      }
      return true
    } catch {
      // The hidden name may now be the earlier output's: it must not be removed as ours.
      isOver = true
      lock.release()
      return false
    }
  }

  /// The failure of a run whose output has the name but is neither durable nor can be withdrawn.
  private static func stuck(_ failure: Failure, _ destination: OutputPath) -> Failure {
    failure.advising([
      "\(destination.path) is the new output and complete, but a crash of the machine may lose it: "
        + "check the disk and run again"
    ])
  }

  /// The path and the files of the earlier output; nil when there was none.
  private func earlier(_ target: Target, _ placement: Placement) -> (path: String, own: OwnFiles)? {
    guard case .earlier(_, let own) = target else { return nil }
    switch placement {
    case .moved, .filled: return nil
    case .exchanged: return (folder.path, own)
    case .putAside(let aside): return (aside, own)
    }
  }

  /// Removes the earlier output, which has a hidden name now.
  /// - Returns: a warning when it remains; the next run tries again.
  private func remove(_ own: OwnFiles, from path: String) -> Failure? {
    do {
      let strangers = try system.remove(own, from: path)
      return strangers.isEmpty ? nil : StagedDirectory.changed(path, strangers)
    } catch {
      return error.failure(doing: "removing the earlier output, now", path: path, .writing)
    }
  }
}
