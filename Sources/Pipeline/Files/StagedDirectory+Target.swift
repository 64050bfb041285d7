extension StagedDirectory {
  /// What exists under the name to be published.
  struct Target {
    /// The permissions of a directory, which is empty or may be replaced.
    var mode: UInt32?
    var own: OwnFiles?
  }

  /// Inspects the output's name.
  /// - Throws: `usage`, when the existing entry must be kept, or the name is inside another output.
  static func target(
    _ output: OutputPath, replaces: Bool, _ owner: Ownership, _ system: System
  ) throws(Failure) -> Target {
    let path = output.path
    try owner.checkOutside(path, system)
    let doing = "inspecting the output"
    guard let entry = try System.explained(doing, path, system.entry(at: path)) else {
      return Target()
    }
    if entry.kind == .link {
      throw refusal(path, "it is a symbolic link", "name its target, or another directory")
    }
    guard entry.kind == .directory else {
      throw refusal(path, "it is \(entry.kind.words)", "name another directory")
    }
    let parent = try System.explained(doing, path, system.entry(at: output.parent, following: true))
    var isMount = entry.identity.device != parent?.identity.device
    if !isMount {
      isMount = try System.explained(doing, path, system.kind(of: Array(path.utf8CString))).isMount
    }
    let names = try System.explained(doing, path, system.names(in: path))
    if isMount {
      // Nothing can be renamed to it; better to report it now than at the end of the run.
      throw refusal(path, "it is a mount point", "name a directory in it, like \(path)/NAME")
    }
    if names.isEmpty { return Target(mode: entry.mode) }
    guard replaces else {
      throw refusal(path, "it exists", ["use --replace to replace it", "name another directory"])
    }
    let own = try owner.published(path, system)
    try requireOwn(own, at: path, of: output, system)
    return Target(mode: entry.mode, own: own)
  }

  /// Checks that `path`, the output or a leftover beside it, holds nothing but `own`.
  /// - Throws: `usage`, when it holds anything else.
  static func requireOwn(
    _ own: OwnFiles, at path: String, of output: OutputPath, _ system: System
  ) throws(Failure) {
    let strangers = try System.explained(
      "inspecting", path, system.strangers(in: path, besides: own))
    let subject = path == output.path ? "it" : "\(path), which is beside it,"
    // A half-removed leftover may be an empty directory.
    if let refusal = own.refusal, path == output.path || !strangers.isEmpty {
      let content = strangers.isEmpty ? "" : ", and holds \(strangers.text)"
      throw self.refusal(
        output.path, "\(subject) \(refusal)\(content)", "name another directory, or move it away")
    }
    guard !strangers.isEmpty else { return }
    throw refusal(
      output.path, "\(subject) holds \(strangers.text), which eventmill has not made",
      "move \(strangers.text) away, or name another directory")
  }

  /// Why nothing can be published to `path`, and alternatives.
  package static func refusal(_ path: String, _ why: String, _ advice: String) -> Failure {
    refusal(path, why, [advice])
  }

  private static func refusal(_ path: String, _ why: String, _ advice: [String]) -> Failure {
    Failure(.usage, doing: "publishing to", path: path, why: why, advice: advice)
  }

  static func checkParent(_ output: OutputPath, _ system: System) throws(Failure) {
    let parent = output.parent
    let entry = try System.explained(
      "inspecting the directory", parent, system.entry(at: parent, following: true))
    if entry?.kind == .directory { return }
    if let obstacle = try system.obstacle(to: parent) {
      throw refusal(output.path, "\(obstacle) is not a directory", "name another directory")
    }
    throw refusal(
      output.path, "the directory \(parent) does not exist", "make it with: \(parent.mkdir)")
  }

  /// Removes, under the lock, what dead runs left beside the output; restores an output that was
  /// moved aside.
  /// - Throws: `usage`, when something else has such a name, or is in it; `io`.
  package static func clearLeftovers(
    of output: OutputPath, _ owner: Ownership, earlier: Bool = true, _ system: System
  ) throws(Failure) {
    var leftovers: [(path: String, own: OwnFiles)] = []
    var aside: String?
    // All checks come before the first removal.
    for name in try names(beside: output, system) {
      let isAside = output.isAside(name)
      guard isAside && earlier || output.isStaging(name) else { continue }
      let path = output.beside(name)
      let own = isAside ? try owner.published(path, system) : owner.hidden(path, system)
      guard try System.explained("inspecting", path, system.entry(at: path))?.kind == .directory
      else {
        throw refusal(
          output.path, "\(path), which is beside it, is not a directory of eventmill",
          "move it away, or name another directory")
      }
      try requireOwn(own, at: path, of: output, system)
      leftovers.append((path, own))
      if isAside { aside = aside ?? path }
    }
    let doing = "restoring the earlier output"
    if let aside, try System.explained(doing, output.path, system.entry(at: output.path)) == nil {
      try System.explained(doing, output.path, system.move(aside, to: output.path))
    }
    for (path, own) in leftovers {
      let strangers = try System.explained(
        "removing what an earlier run left,", path, system.remove(own, from: path))
      guard strangers.isEmpty else { throw changed(path, strangers) }
    }
  }

  /// The same, and what dead attempts left, beside the output `path` that no run is writing;
  /// without `earlier` not earlier outputs.
  package static func clear(
    _ path: String, attempt: String? = nil, _ owner: Ownership, earlier: Bool = true,
    _ system: System
  ) throws(Failure) {
    let output = try OutputPath(path, attempt: attempt)
    try clearAttempts(at: output, owner, earlier: earlier, system)
    // A dead run leaves its lock.
    guard try system.statusIfAny(of: output.lock, doing: "inspecting") != nil,
      let lock = try? DirectoryLock(output, system: system)
    else { return }
    defer { lock.release() }
    try clearLeftovers(of: output, owner, earlier: earlier, system)
  }

  private static func names(
    beside output: OutputPath, _ system: System
  ) throws(Failure) -> [String] {
    try System.explained("reading the directory", output.parent, system.names(in: output.parent))
  }

  /// Removes what other attempts at the output left that died on this machine. Those of other
  /// machines may be alive, even if their locks look free here.
  static func clearAttempts(
    at output: OutputPath, _ owner: Ownership, earlier: Bool = true, _ system: System
  ) throws(Failure) {
    let names = try names(beside: output, system)
    for attempt in Set(names.compactMap(OutputPath.attempt)) where attempt != output.attempt {
      let other = try OutputPath(output.path, attempt: attempt)
      guard names.contains(where: { other.isStaging($0) || other.isAside($0) }),
        let lock = try? DirectoryLock(other, system: system)
      else { continue }
      defer { lock.release() }
      try clearLeftovers(of: other, owner, earlier: earlier, system)
    }
  }

  /// The failure of removing a directory into which another program writes.
  static func changed(_ path: String, _ strangers: Strangers) -> Failure {
    Failure(
      .io, doing: "removing", path: path,
      why: "it holds \(strangers.text), which eventmill has not made",
      advice: "move that away, then remove the directory")
  }

  /// Makes the hidden directory, with the permissions of the output that it will replace.
  static func make(_ path: String, like target: Target, _ system: System) throws(Failure) {
    let doing = "creating the directory"
    try System.explained(doing, path, for: .creating, system.makeDirectory(path))
    if let mode = target.mode,
      try System.explained(doing, path, system.entry(at: path))?.mode != mode
    {
      try System.explained(doing, path, system.setMode(mode, of: path))
    }
  }
}

extension Ownership {
  /// Checks that `path`, a location to write to, is not inside an output.
  package func checkOutside(_ path: String, _ system: System) throws(Failure) {
    let doing = "looking for an output above"
    for (above, _) in system.directories(above: try OutputPath(path), doing: doing)
    where try isOutput(above, system) {
      let outer = try system.realPathIfAny(of: above, doing: doing) ?? above
      throw StagedDirectory.refusal(
        path, "it is inside \(outer), which is an output", "name a path outside of it")
    }
  }
}

extension System {
  /// The directories above `path`, the nearest first, as far as they exist and are accessible.
  package func directories(
    above path: OutputPath, doing: String
  ) -> [(path: String, identity: FileIdentity)] {
    var found: [(path: String, identity: FileIdentity)] = []
    var above = path.parent
    // Missing directories are made on the way, if at all.
    while (try? statusIfAny(of: above, doing: doing)) == nil, above != ".", above != "/",
      let outer = try? OutputPath(above).parent
    {
      above = outer
    }
    while let status = try? statusIfAny(of: above, doing: doing), status.kind == .directory,
      status.identity != found.last?.identity
    {
      found.append((above, status.identity))
      above += above.utf8.last == UInt8(ascii: "/") ? ".." : "/.."
    }
    return found
  }
}
