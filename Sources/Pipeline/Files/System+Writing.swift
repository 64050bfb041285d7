extension System {
  package func removeFile(_ path: String, doing: String) throws(Failure) {
    try System.explained(doing, path, removeFile(path))
  }

  /// Renames `path` to `other`, in the same file system; atomic.
  package func move(_ path: String, to other: String, doing: String) throws(Failure) {
    try System.explained(doing, path, move(path, to: other))
  }

  /// Makes the names in the directory `path` survive a crash of the machine.
  func flush(_ path: String) throws(Failure) {
    try System.explained("flushing the directory", path, synchronize(directory: path))
  }

  /// Makes the symbolic link `path` point to `target`, atomically. For one process at a time: a
  /// killed one may have left the link `path.saving`.
  /// - Throws: `usage`, when something other than a link has one of the names; `io`.
  package func replaceLink(_ path: String, to target: String, doing: String) throws(Failure) {
    let draft = "\(path).saving"
    try checkLink(path, doing: doing)
    try checkLink(draft, doing: doing)
    do throws(SystemError) {
      try removeFile(draft)
      try linkName(draft, to: target)
      try move(draft, to: path)
    } catch {
      try? removeFile(draft)
      throw error.failure(doing: doing, path: path, .writing)
    }
  }

  /// Checks that `path` does not exist or is a symbolic link. Throws `usage`, when it is anything
  /// else; `io`.
  package func checkLink(_ path: String, doing: String) throws(Failure) {
    let kind = try System.explained(doing, path, entry(at: path))?.kind
    guard kind == nil || kind == .link else {
      throw Failure(
        .usage, doing: doing, path: path, why: "it is not a symbolic link",
        advice: "move it away, and run again")
    }
  }

  /// Removes `own` from the directory `path`, and the directory, which may be missing. It stays
  /// unchanged if ``require(_:in:doing:)`` throws.
  package func remove(_ own: OwnFiles, from path: String, doing: String) throws(Failure) {
    try require(own, in: path, doing: doing)
    let strangers = try System.explained(doing, path, remove(own, from: path))
    guard strangers.isEmpty else { throw System.strange(strangers, doing, path) }
  }

  /// Checks that the directory `path` holds nothing but `own`; a missing directory is not an error.
  /// - Throws: `usage`, when it holds anything else, or is not a directory; `io`.
  package func require(_ own: OwnFiles, in path: String, doing: String) throws(Failure) {
    guard let entry = try System.explained(doing, path, entry(at: path)) else { return }
    guard entry.kind == .directory else {
      throw Failure(
        .usage, doing: doing, path: path, why: "it is not a directory of eventmill",
        advice: "move it away, and run again")
    }
    let strangers = try System.explained(doing, path, strangers(in: path, besides: own))
    guard strangers.isEmpty else { throw System.strange(strangers, doing, path) }
  }

  private static func strange(_ strangers: Strangers, _ doing: String, _ path: String) -> Failure {
    Failure(
      .usage, doing: doing, path: path,
      why: "it holds \(strangers.text), which eventmill has not made there",
      advice: "move these files away, and run again")
  }

  // MARK: Directories

  /// Makes the directory `path` and its missing parents. Returns those that it made, the innermost
  /// first.
  @discardableResult
  package func makeDirectories(_ path: String, doing: String) throws(Failure) -> [String] {
    let entry = try System.explained(doing, path, entry(at: path, following: true))
    guard entry == nil else { return [] }
    let target = try OutputPath(path)
    let above = try makeDirectories(target.parent, doing: doing)
    do throws(SystemError) {
      try makeDirectory(target.path)
      try synchronize(directory: target.parent)
      return [target.path] + above
    } catch {
      // Another process may have made it at the same time.
      guard !error.isOccupied else { return above }
      removeEmpty([target.path] + above)
      throw error.failure(doing: doing, path: path, .writing)
    }
  }

  /// The first of `directory` and the paths above it that exists, if it is not a directory.
  package func obstacle(to directory: String) throws(Failure) -> String? {
    let doing = "inspecting the directory"
    var path = directory
    while try System.explained(doing, path, entry(at: path)) == nil,
      let outer = try? OutputPath(path).parent
    {
      path = outer
    }
    if try System.explained(doing, path, entry(at: path)) == nil { return nil }
    return try statusIfAny(of: path, doing: doing)?.kind == .directory ? nil : path
  }

  /// Removes the empty ones among `directories`, which are ordered from the innermost outwards.
  package func removeEmpty(_ directories: [String]) {
    for path in directories { try? removeDirectory(Array(path.utf8CString)) }
  }

  /// The first bytes of a file, at most `limit`.
  func beginning(of descriptor: Int32, limit: Int) throws(SystemError) -> [UInt8] {
    var buffer = ByteBuffer(capacity: limit)
    while buffer.count < limit {
      let offset = buffer.count
      if try read(descriptor, limit - offset, at: offset, into: &buffer) == 0 { break }
    }
    return buffer.view.array
  }
}
