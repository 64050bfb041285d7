extension System {
  /// The content of the directory `path` besides `own`: other names, and entries with an own name
  /// that are not plain files or directories of this file system, such as links or mount points. A
  /// missing directory is not an error.
  func strangers(in path: String, besides own: OwnFiles) throws(SystemError) -> Strangers {
    try walk(path, own, removing: false)
  }

  /// Removes `own` from the directory `path`, and then the directory, if it is empty. Continues
  /// after a failure, so that as much as possible is removed, and throws the first. A missing
  /// directory is not an error. Returns what remains.
  func remove(_ own: OwnFiles, from path: String) throws(SystemError) -> Strangers {
    try walk(path, own, removing: true)
  }

  /// Removes `own` under `name` in the directory `path`, a file, or a directory with its content,
  /// in the same way.
  func remove(
    _ own: OwnFiles, from path: String, inside name: String
  ) throws(SystemError) -> Strangers {
    let inner = "\(path)/\(name)"
    let kind = try entry(at: inner)?.kind
    switch (own.kind(of: Array(name.utf8)), kind) {
    case (_, nil): return Strangers()
    case (.folder?, .directory): return try walk(inner, own, below: "\(name)/", removing: true)
    case (.file?, .regular):
      try removeFile(inner)
      return Strangers()
    default:
      var strangers = Strangers()
      strangers.note(name)
      return strangers
    }
  }

  private struct Level {
    let name: [CChar]
    let identity: FileIdentity
    /// The names still to visit; the last is the next one.
    var names: [[CChar]]
    /// Length in bytes of the path prefix of its entries.
    let prefix: Int
  }

  /// Walks the own folders of `path`, those of `own` that begin with `prefix`. At most two
  /// directories are open at a time, at any depth.
  private func walk(
    _ path: String, _ own: OwnFiles, below prefix: String = "", removing: Bool
  ) throws(SystemError) -> Strangers {
    var strangers = Strangers()
    var failure: SystemError?
    var directory: Descriptor
    do { directory = try folder(Array(path.utf8CString)) } catch {
      if error.isMissing { return strangers }
      throw error
    }
    var levels = [try level([], directory, prefix: 0)]
    levels[0].names = own.markLast(levels[0].names)
    var prefix = Array(prefix.utf8)
    while !levels.isEmpty {
      let last = levels.count - 1
      if let name = levels[last].names.popLast() {
        let inner = prefix + name.dropLast().map { UInt8(bitPattern: $0) }
        do {
          var (kind, isMount) = try kind(of: name, in: directory.number)
          if isMount { kind = .device }
          switch (own.kind(of: inner), kind) {
          case (.file?, .regular):
            // The identifying file stays as long as anything else remains.
            let isNeeded = own.isMark(inner) && (failure != nil || !strangers.isEmpty)
            if removing, !isNeeded { try removeFile(name, in: directory.number) }
          case (.folder?, .directory):
            let inside = try folder(name, in: directory.number)
            levels.append(try level(name, inside, prefix: prefix.count))
            directory = inside
            prefix = inner + [UInt8(ascii: "/")]
          default:
            let shown = inner + (kind == .directory ? [UInt8(ascii: "/")] : [])
            strangers.note(String(decoding: shown, as: UTF8.self))
          }
        } catch {
          if error.isMissing { continue }
          guard removing else { throw error }
          failure = failure ?? error
        }
        continue
      }
      let done = levels.removeLast()
      prefix.removeLast(prefix.count - done.prefix)
      guard let above = levels.last else { break }
      directory = try folder([0x2E, 0x2E, 0], in: directory.number)
      // The folder may have been moved elsewhere meanwhile.
      guard try directory.status().identity == above.identity else {
        throw SystemError.missing
      }
      if removing { removeFolder(done.name, in: directory.number, strangers, &failure) }
    }
    if removing { removeFolder(Array(path.utf8CString), in: nil, strangers, &failure) }
    if let failure { throw failure }
    return strangers
  }

  private func folder(
    _ name: [CChar], in directory: Int32? = nil
  ) throws(SystemError) -> Descriptor {
    Descriptor(owning: try openFolder(name, in: directory), system: self)
  }

  private func level(
    _ name: [CChar], _ folder: borrowing Descriptor, prefix: Int
  ) throws(SystemError) -> Level {
    Level(
      name: name, identity: try folder.status().identity,
      names: try sortedNames(in: folder.number), prefix: prefix)
  }

  /// Removes an empty folder; one that holds strangers is kept.
  private func removeFolder(
    _ name: [CChar], in directory: Int32?, _ strangers: Strangers, _ failure: inout SystemError?
  ) {
    do {
      try removeDirectory(name, in: directory)
    } catch {
      if !error.isOccupied || strangers.isEmpty { failure = failure ?? error }
    }
  }

  /// The names in an open directory, in descending order.
  private func sortedNames(in directory: Int32) throws(SystemError) -> [[CChar]] {
    try rawNames(in: try openFolder([0x2E, 0], in: directory)).sorted {
      $1.lexicographicallyPrecedes($0) { UInt8(bitPattern: $0) < UInt8(bitPattern: $1) }
    }
  }
}
