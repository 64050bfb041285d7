#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What stands under a name in the file system.
struct DirectoryEntry: Equatable {
  enum Kind { case missing, directory, file, link, other }

  let kind: Kind
  /// Permissions, with the set-id and sticky bits.
  let mode: UInt32
  let device: UInt64
  let inode: UInt64

  /// Whether both names stand for one file.
  func isSame(as other: DirectoryEntry) -> Bool {
    kind != .missing && device == other.device && inode == other.inode
  }
}

// MARK: - Looking

extension SystemWriting {
  /// What stands under the name `path`. A symbolic link stands for itself, unless `following`.
  func entry(at path: String, following: Bool = false) throws(Trouble) -> DirectoryEntry {
    var raw = stat()
    do {
      _ = try attempt(.status) { following ? unsafe stat(path, &raw) : unsafe lstat(path, &raw) }
    } catch {
      // Behind a file there is nothing either.
      guard error.isMissing || error.code == ENOTDIR else { throw error }
      return DirectoryEntry(kind: .missing, mode: 0, device: 0, inode: 0)
    }
    return DirectoryEntry(raw)
  }

  /// What an open file is.
  func entry(of descriptor: Int32) throws(Trouble) -> DirectoryEntry {
    var raw = stat()
    _ = try attempt(.status) { unsafe fstat(descriptor, &raw) }
    return DirectoryEntry(raw)
  }

  /// The names in the directory `path` without `.` and `..`, sorted by bytes. Names that are not
  /// UTF-8 have U+FFFD in them.
  func names(in path: String) throws(Trouble) -> [String] {
    let descriptor = try attempt(.open) {
      unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    var names: [String] = []
    for name in try rawNames(in: descriptor) {
      names.append(String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// The names in an open directory, each with its closing zero; closes the directory.
  private func rawNames(in descriptor: Int32) throws(Trouble) -> [[CChar]] {
    guard let stream = unsafe fdopendir(descriptor) else {
      let code = errno
      close(descriptor)
      throw Trouble(code: code)
    }
    defer { unsafe closedir(stream) }
    var names: [[CChar]] = []
    while let name = try unsafe nextName(in: stream) {
      if name != [0x2E, 0] && name != [0x2E, 0x2E, 0] { names.append(name) }
    }
    return names
  }

  private func nextName(in stream: OpaquePointer) throws(Trouble) -> [CChar]? {
    // Only for a fault: readdir itself is told from its end by errno.
    _ = try attempt(.list) { 0 }
    errno = 0
    guard let found = unsafe readdir(stream) else {
      if errno != 0 { throw Trouble(code: errno) }
      return nil
    }
    guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else {
      preconditionFailure("a directory entry has its name in it")
    }
    // SAFETY: readdir's entry holds a name that ends with a zero byte; it is copied before the
    // next call.
    let first = unsafe (UnsafeRawPointer(found) + offset).assumingMemoryBound(to: CChar.self)
    let length = unsafe strlen(first)
    return unsafe Array(UnsafeBufferPointer(start: first, count: length + 1))
  }
}

extension DirectoryEntry {
  fileprivate init(_ raw: stat) {
    let kind: Kind
    switch raw.st_mode & S_IFMT {
    case S_IFDIR: kind = .directory
    case S_IFREG: kind = .file
    case S_IFLNK: kind = .link
    default: kind = .other
    }
    self.init(
      kind: kind, mode: UInt32(raw.st_mode & 0o7777), device: UInt64(raw.st_dev),
      inode: UInt64(raw.st_ino))
  }
}

// MARK: - Removing

extension SystemWriting {
  /// How deep a tree may be that is removed; each level keeps one file open.
  static var deepestTree: Int { 64 }

  /// Removes `path` and, when it is a directory, everything in it. Symbolic links are removed, not
  /// followed; nothing under the name is fine. Goes on after a failure, so that as much as possible
  /// is gone.
  /// - Throws: the first failure.
  func removeTree(_ path: String) throws(Trouble) {
    try removeTree(Array(path.utf8CString), in: AT_FDCWD, depth: 0)
  }

  private func removeTree(_ name: [CChar], in parent: Int32, depth: Int) throws(Trouble) {
    do {
      _ = try attempt(.removeFile) { unsafe unlinkat(parent, name, 0) }
      return
    } catch {
      if error.isMissing { return }
      // The answer for a directory: EISDIR on Linux, EPERM elsewhere.
      guard error.code == EISDIR || error.code == EPERM else { throw error }
    }
    guard depth < SystemWriting.deepestTree else { throw Trouble(code: ELOOP) }
    let directory = try attempt(.open) {
      unsafe openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }
    defer { close(directory) }
    var first: Trouble?
    do {
      // The listing closes its descriptor; this one is needed for what is in the directory.
      let copy = try attempt(.open) { fcntl(directory, F_DUPFD_CLOEXEC, 0) }
      for inner in try rawNames(in: copy) {
        do {
          try removeTree(inner, in: directory, depth: depth + 1)
        } catch {
          first = first ?? error
        }
      }
    } catch {
      first = first ?? error
    }
    if let first { throw first }
    _ = try attempt(.removeDirectory) { unsafe unlinkat(parent, name, AT_REMOVEDIR) }
  }
}
