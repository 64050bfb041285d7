extension StagedDirectory {
  /// Syncs everything to disk, renames it to the output's name, and releases the lock. Returns a
  /// warning, when the output was published and the earlier one could not be removed.
  /// - Throws: `usage`, when the output was created meanwhile; `defect`, when a file was not
  ///   finished, or never made; `io`. Then nothing was published, and nothing is left.
  @discardableResult
  package func publish() throws(Failure) -> Failure? {
    do {
      try requireFinished { _ in true }
      return try put(as: output, replaces: replaces, owner)
    } catch {
      discard()
      throw error
    }
  }

  /// Publishes only the files `names` of the folder itself under the name `other` beside the
  /// output: the report of a failed run. An earlier directory of the same kind, whose files `owner`
  /// knows, is replaced. Returns and throws as ``publish()`` does.
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
      return try put(as: destination, replaces: true, owner)
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

  private func put(
    as destination: OutputPath, replaces: Bool, _ owner: Ownership
  ) throws(Failure) -> Failure? {
    for name in directories { try system.flush("\(folder.path)/\(name)") }
    try system.flush(folder.path)
    // Checked again: files may have been added there during the run.
    let target = try StagedDirectory.target(destination, replaces: replaces, owner, system)
    let earlier = try take(destination, target)
    do throws(Failure) {
      // Files may have been added until a moment ago. The name no longer leads there.
      if let earlier, let own = target.own {
        try StagedDirectory.requireOwn(own, at: earlier, of: destination, system)
      }
      try system.flush(destination.parent)
    } catch {
      guard (try? giveBack(destination.path, target, earlier)) == nil else { throw error }
      // The hidden name may now be the earlier output's: it must not be removed as ours.
      isOver = true
      lock.release()
      throw error.advising([
        "\(destination.path) is the new output and complete, but a crash of the machine may lose "
          + "it: check the disk and run again"
      ])
    }
    isOver = true
    closeSpare()
    var warning: Failure?
    if let earlier, let own = target.own { warning = remove(own, from: earlier) }
    do throws(Failure) { try whenPublished() } catch { warning = warning ?? error }
    lock.release()
    return warning
  }

  /// Takes the name. Returns the hidden path that the earlier output has now, if there is one.
  private func take(_ destination: OutputPath, _ target: Target) throws(Failure) -> String? {
    let path = destination.path
    do {
      if target.own != nil { return try exchange(destination) }
      try system.move(folder.path, to: path)
      return nil
    } catch {
      // Renaming a directory never replaces one that is not empty.
      if error.isOccupied {
        throw StagedDirectory.refusal(
          path, "it was created during the run", "name another directory and run again")
      }
      throw error.failure(doing: "publishing to", path: path, .writing)
    }
  }

  private func exchange(_ destination: OutputPath) throws(SystemError) -> String {
    let (hidden, path) = (folder.path, destination.path)
    do {
      try system.exchange(hidden, path)
      return hidden
    } catch {
      guard error.isUnsupported else { throw error }
    }
    let aside = destination.aside
    try system.move(path, to: aside)
    do {
      try system.move(hidden, to: path)
    } catch {
      try? system.move(aside, to: path)
      throw error
    }
    return aside
  }

  /// Gives the name `path` back to the output that has the hidden path `earlier` now, if any.
  private func giveBack(
    _ path: String, _ target: Target, _ earlier: String?
  ) throws(SystemError) {
    if earlier == folder.path { return try system.exchange(folder.path, path) }
    try system.move(path, to: folder.path)
    if let earlier {
      try? system.move(earlier, to: path)
    } else if let mode = target.mode {
      try? system.makeDirectory(path)
      try? system.setMode(mode, of: path)
    }
  }

  /// Removes the earlier output, which has a hidden name now. Returns a warning when it remains.
  private func remove(_ own: OwnFiles, from path: String) -> Failure? {
    do {
      let strangers = try system.remove(own, from: path)
      return strangers.isEmpty ? nil : StagedDirectory.changed(path, strangers)
    } catch {
      return error.failure(doing: "removing the earlier output, now", path: path, .writing)
    }
  }
}
