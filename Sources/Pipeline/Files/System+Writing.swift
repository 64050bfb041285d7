import CSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// MARK: - Files

extension System {
  /// Creates the file `path`, which must not exist yet; returns its descriptor.
  func create(_ path: String) throws(SystemError) -> Int32 {
    try attempt(.create) { unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
  }

  /// Writes all of `bytes`, in as many calls as it takes.
  func write(all bytes: ByteView, to descriptor: Int32) throws(SystemError) {
    var rest = bytes
    while !rest.isEmpty {
      let written = try transfer(.write, rest.count) { writeOnce(rest[0..<$0], to: descriptor) }
      // A write that takes nothing and says nothing would be repeated for ever.
      if written == 0 { throw SystemError(code: EIO) }
      rest = rest.dropFirst(written)
    }
  }

  private func writeOnce(_ bytes: ByteView, to descriptor: Int32) -> Int {
    #if canImport(Glibc)
      unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
    #else
      unsafe bytes.withUnsafeBytes { unsafe Musl.write(descriptor, $0.baseAddress, $0.count) }
    #endif
  }

  /// Brings what was written to the disk.
  func synchronize(_ descriptor: Int32) throws(SystemError) {
    _ = try attempt(.synchronize) { fsync(descriptor) }
  }

  /// Removes the name of a file or of a symbolic link; no such name is fine.
  func removeFile(_ path: String) throws(SystemError) {
    do {
      _ = try attempt(.removeFile) { unsafe unlink(path) }
    } catch {
      if !error.isMissing { throw error }
    }
  }
}

extension System {
  /// Removes the file `path`; no such file is fine.
  /// - Throws: `io`.
  package func removeFile(_ path: String, doing: String) throws(Failure) {
    do {
      try removeFile(path)
    } catch {
      throw error.failure(doing: doing, path: path, .writing)
    }
  }

  /// Removes `own` from the directory `path`, and the directory; nothing of that name is fine.
  /// - Throws: `usage`, when it holds anything else, or is not a directory: then it stays as it is;
  ///   `io`.
  package func remove(_ own: OwnFiles, from path: String, doing: String) throws(Failure) {
    try require(own, in: path, doing: doing)
    let strangers = try System.explained(doing, path) { () throws(SystemError) in
      try remove(own, from: path)
    }
    guard strangers.isEmpty else { throw System.strange(strangers, doing, path) }
  }

  /// Checks that the directory `path` holds nothing but `own`; nothing of that name is fine.
  /// - Throws: `usage`, when it holds anything else, or is not a directory; `io`.
  package func require(_ own: OwnFiles, in path: String, doing: String) throws(Failure) {
    let (kind, strangers) = try System.explained(doing, path) {
      () throws(SystemError) -> (DirectoryEntry.Kind, Strangers) in
      let kind = try entry(at: path).kind
      guard kind == .directory else { return (kind, Strangers()) }
      return (kind, try self.strangers(in: path, besides: own))
    }
    guard kind == .directory || kind == .missing else {
      throw Failure(
        .usage, doing: doing, path: path, why: "it is not a directory of eventmill",
        advice: "move it away, and run again")
    }
    guard strangers.isEmpty else { throw System.strange(strangers, doing, path) }
  }

  private static func strange(_ strangers: Strangers, _ doing: String, _ path: String) -> Failure {
    Failure(
      .usage, doing: doing, path: path,
      why: "it holds \(strangers.text), which eventmill has not made there",
      advice: "move away what is not eventmill's, and run again")
  }
}

// MARK: - Directories

extension System {
  /// Makes the directory `path`, which must not exist yet.
  func makeDirectory(_ path: String) throws(SystemError) {
    _ = try attempt(.makeDirectory) { unsafe mkdir(path, 0o777) }
  }

  /// Makes the directory `path` and those above it, as far as they are missing.
  /// - Throws: `io`.
  package func makeDirectories(_ path: String, doing: String) throws(Failure) {
    do {
      guard try entry(at: path, following: true).kind == .missing else { return }
    } catch {
      throw error.failure(doing: doing, path: path, .writing)
    }
    let place = try OutputPath(path)
    try makeDirectories(place.parent, doing: doing)
    do {
      try makeDirectory(place.path)
      try synchronize(directory: place.parent)
    } catch {
      // Another process may have made it at the same time.
      guard !error.isOccupied else { return }
      throw error.failure(doing: doing, path: path, .writing)
    }
  }

  /// Sets the permissions of `path`.
  func setMode(_ mode: UInt32, of path: String) throws(SystemError) {
    _ = try attempt(.setMode) { unsafe chmod(path, mode_t(mode)) }
  }

  /// Gives the file `path` the name `other`, too.
  func linkFile(_ path: String, as other: String) throws(SystemError) {
    _ = try attempt(.link) { unsafe link(path, other) }
  }

  /// Gives `path` the name `other`; atomic. An empty directory of that name is replaced by a
  /// directory.
  func move(_ path: String, to other: String) throws(SystemError) {
    _ = try attempt(.move) { unsafe rename(path, other) }
  }

  /// Exchanges two names; atomic.
  func exchange(_ one: String, _ other: String) throws(SystemError) {
    _ = try attempt(.exchange) { unsafe csystem_exchange(one, other) }
  }

  /// Opens the directory `path`, for whatever is done with open directories.
  func openDirectory(_ path: String) throws(SystemError) -> Int32 {
    try attempt(.open) { unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
  }

  /// Brings the names in the directory `path` to the disk.
  func synchronize(directory path: String) throws(SystemError) {
    let descriptor = try openDirectory(path)
    // Nothing was written to it: that closing it fails changes nothing.
    defer { try? closeFile(descriptor) }
    do {
      try synchronize(descriptor)
    } catch {
      // Some network file systems keep names safe by themselves and know no such call.
      if error.code != EINVAL { throw error }
    }
  }
}

// MARK: - Locks

extension System {
  /// Opens the lock file `path`, creating it when it is missing. Nothing is waited for, whatever it
  /// is.
  func openLock(_ path: String) throws(SystemError) -> Int32 {
    try attempt(.open) {
      unsafe open(
        path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0o666)
    }
  }

  /// Locks the open file for this process alone; false when somebody else has it.
  func lock(_ descriptor: Int32) throws(SystemError) -> Bool {
    do {
      _ = try attempt(.lock) { flock(descriptor, LOCK_EX | LOCK_NB) }
      return true
    } catch {
      if error.code == EWOULDBLOCK { return false }
      throw error
    }
  }

  /// Gives the lock back at once: closing alone leaves it to copies of the descriptor, which a
  /// process that is being started has for a moment.
  func unlock(_ descriptor: Int32) { _ = flock(descriptor, LOCK_UN) }

  /// Puts `text` in the place of what the file holds.
  func replaceContent(of descriptor: Int32, with text: ByteView) throws(SystemError) {
    _ = try attempt(.write) { ftruncate(descriptor, 0) }
    try write(all: text, to: descriptor)
  }

  /// The first bytes of a file, `limit` at most.
  func beginning(of descriptor: Int32, limit: Int) throws(SystemError) -> [UInt8] {
    var buffer = ByteBuffer(capacity: limit)
    var isAtEnd = false
    while !isAtEnd, buffer.count < limit {
      let before = buffer.count
      try unsafe buffer.append(room: limit - before) { room throws(SystemError) in
        try transfer(.read, limit - before) { count in
          unsafe pread(descriptor, room.baseAddress, count, off_t(before))
        }
      }
      isAtEnd = buffer.count == before
    }
    return (0..<buffer.count).map { buffer[$0] }
  }
}
