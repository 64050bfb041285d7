extension InputDiscovery {
  struct Directory {
    /// The path in messages and inputs.
    let path: String
    /// Absolute and without links; nil when it need not be compared with another path.
    let real: String?
    let identity: FileIdentity
    let root: String
    /// Whether the path from the root to it contains a link.
    var isLinked = false
  }

  typealias Link = (name: String, directory: Directory)

  /// A directory whose entries are being visited.
  private struct Visit {
    let directory: Directory
    /// The names still to visit, the last one first; sorted, so that of several faults always the
    /// same one is reported.
    var names: [String]
    /// Number of inputs found before.
    let before: Int
  }

  /// Adds what the links that were found lead to, and those behind them.
  mutating func followLinks() throws(Failure) {
    var next = 0
    while next < links.count {
      let (name, directory) = links[next]
      next += 1
      try attempt { this throws(Failure) in
        guard let target = try this.look(at: name, in: directory, followsLinks: true) else {
          return
        }
        try this.enter(target)
      }
    }
  }

  /// Adds the logs in the directory and below it, except for what is behind links. A directory's
  /// absolute path is derived from its parent's, and there is no recursion, so depth is cheap.
  mutating func enter(_ root: Directory) throws(Failure) {
    var visits: [Visit] = []
    try enter(root, &visits)
    while var visit = visits.popLast() {
      let directory = visit.directory
      guard let name = visit.names.popLast() else {
        if found.count == visit.before { barren.insert(directory.identity) }
        continue
      }
      visits.append(visit)
      try attempt { this throws(Failure) in
        guard let inner = try this.look(at: name, in: directory) else { return }
        try this.enter(inner, &visits)
      }
    }
  }

  /// Enters a directory, unless it leads to nothing new.
  private mutating func enter(_ directory: Directory, _ visits: inout [Visit]) throws(Failure) {
    if let first = walked[directory.identity] { return try noteRepeated(directory, first) }
    walked[directory.identity] = directory.path
    let before = found.count
    try checkApart(directory.path, real: directory.real, isDirectory: true)
    var names = try system.names(in: directory.path, doing: Self.doing)
    switch try listing(directory.path, names) {
    case .logs(let listed):
      for name in listed { try addListed(name, of: directory) }
      names = []
    case .nothing(let what):
      ignoredFiles.note(directory.path, what)
      names = []
    case nil: names = names.sortedByBytes.reversed()
    }
    visits.append(Visit(directory: directory, names: names, before: before))
  }

  /// Notes that the directory was walked before, as `first`, unless it leads back to where it is,
  /// or to nothing.
  private mutating func noteRepeated(_ directory: Directory, _ first: String) throws(Failure) {
    let isArgument = directory.path.utf8.elementsEqual(directory.root.utf8)
    let leadsBack = directory.path.utf8.starts(with: Self.prefix(first).utf8)
    if barren.contains(directory.identity) || leadsBack && !isArgument { return }
    try noteRepeated(directory.path, first, "directory", isArgument: isArgument)
  }

  private mutating func addListed(_ name: String, of directory: Directory) throws(Failure) {
    let path = Self.prefix(directory.path) + name
    let (status, isLink) = try system.found(at: path, doing: Self.doing)
    guard let status else { throw missing(path, isLink: isLink) }
    try addFile(path, status, root: directory.root, isLinked: directory.isLinked || isLink)
  }

  /// Adds the entry `name` if it is a log; returns it if it is a directory to search. Unless it
  /// `followsLinks`, a link is left for later.
  private mutating func look(
    at name: String, in directory: Directory, followsLinks: Bool = false
  ) throws(Failure) -> Directory? {
    let path = Self.prefix(directory.path) + name
    let isLog = Self.isLog(name)
    let excluded = Self.excluded(name)
    // A hidden directory is not searched.
    if let excluded, name.utf8.first == UInt8(ascii: ".") {
      ignoredFiles.note(path, excluded)
      return nil
    }
    let (status, isLink) = try system.found(at: path, doing: Self.doing)
    if isLink, !followsLinks {
      links.append((name, directory))
      return nil
    }
    guard let status else {
      // A dangling link ends the search only if it is named like a log.
      if isLog { throw missing(path, isLink: isLink, hadEntry: true) }
      ignoredFiles.note(path, "a dangling symbolic link")
      return nil
    }
    let isLinked = directory.isLinked || isLink
    if status.kind == .directory {
      return Directory(
        path: path, real: try real(of: path, name, isLink: isLink, in: directory),
        identity: status.identity, root: directory.root, isLinked: isLinked)
    }
    var what = excluded
    if what == nil { what = try self.what(at: path, status, isLog: isLog) }
    if let what {
      ignoredFiles.note(path, what)
    } else {
      try addFile(path, status, root: directory.root, isLinked: isLinked)
    }
    return nil
  }

  /// What the file is according to its content; nil for a log, and for what is named like one
  /// unless it is a document. Throws `io`, when it cannot be read now.
  private func what(at path: String, _ status: FileStatus, isLog: Bool) throws(Failure) -> String? {
    guard status.kind == .regular else { return isLog ? nil : status.kind.words }
    let file = InputFile(path: path, size: status.length)
    if isLog { return LogProbe.document(file, strays, system) }
    return try LogProbe.what(file, naming, strays, system)
  }

  /// The absolute path of the directory `name`; only links must be resolved for it.
  private func real(
    of path: String, _ name: String, isLink: Bool, in directory: Directory
  ) throws(Failure) -> String? {
    guard let above = directory.real else { return nil }
    guard isLink else { return Self.prefix(above) + name }
    return try system.realPathIfAny(of: path, doing: Self.doing)
  }

  /// The failure for a missing file; `hadEntry` if the directory had an entry for it.
  func missing(_ path: String, isLink: Bool, hadEntry: Bool = false) -> Failure {
    Failure(
      .io, doing: Self.doing, path: path,
      why: isLink ? "it is a dangling symbolic link" : "it does not exist",
      advice: isLink
        ? "restore its target, or remove the link"
        : "make sure that nothing else changes the directory, and run again",
      mayPass: hadEntry && !isLink)
  }

  /// The path of a directory with a slash, to precede the names in it.
  private static func prefix(_ path: String) -> String {
    path.utf8.last == UInt8(ascii: "/") ? path : path + "/"
  }
}
