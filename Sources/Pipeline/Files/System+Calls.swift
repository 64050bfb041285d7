import CSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// Functions of the C library under names that no method hides.

private func systemRead(_ file: Int32, _ base: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(file, base, count)
}

private func systemWrite(_ file: Int32, _ base: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(file, base, count)
}

private func systemSend(
  _ socket: Int32, _ base: UnsafeRawPointer?, _ count: Int, _ flags: Int32
) -> Int {
  unsafe send(socket, base, count, flags)
}

// The calls about files: the other `System` files make them through these.

// MARK: - By name

extension System {
  /// Opens `path` with those flags of `open(2)`; a new file gets read and write permissions.
  func openFile(
    _ path: String, _ flags: Int32, as call: Call = .open
  ) throws(SystemError) -> Int32 {
    try attempt(call) { unsafe open(path, flags | O_CLOEXEC, 0o666) }
  }

  /// Creates the file `path`, which must not exist; returns its descriptor.
  func create(_ path: String) throws(SystemError) -> Int32 {
    try openFile(path, O_WRONLY | O_CREAT | O_EXCL, as: .create)
  }

  /// Opens the lock file `path`, creating it if needed, without blocking.
  func openLock(_ path: String) throws(SystemError) -> Int32 {
    try openFile(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
  }

  func openDirectory(_ path: String) throws(SystemError) -> Int32 {
    try openFile(path, O_RDONLY | O_DIRECTORY)
  }

  /// Opens the directory `name`, which must not be a link, in an open directory, if there is one.
  func openFolder(_ name: [CChar], in directory: Int32?) throws(SystemError) -> Int32 {
    try attempt(.open) {
      unsafe openat(
        directory ?? AT_FDCWD, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }
  }

  /// The status of `path`; of a symbolic link itself unless `following`.
  func status(of path: String, following: Bool = true) throws(SystemError) -> FileStatus {
    var raw = stat()
    _ = try attempt(.status) { following ? unsafe stat(path, &raw) : unsafe lstat(path, &raw) }
    return FileStatus(raw)
  }

  /// The kind of `name` in an open directory, without following links, and whether it is a mount
  /// point.
  func kind(
    of name: [CChar], in directory: Int32 = AT_FDCWD
  ) throws(SystemError) -> (kind: FileStatus.Kind, isMount: Bool) {
    var isMount: Int32 = 0
    let mode = try attempt(.status) { unsafe csystem_mode(directory, name, &isMount) }
    return (FileStatus.Kind(mode: mode_t(mode)), isMount != 0)
  }

  /// The absolute path of `path` without links, `.` and `..`.
  func realPath(of path: String) throws(SystemError) -> String {
    var real = ""
    _ = try attempt(.resolve) {
      guard let text = unsafe realpath(path, nil) else { return Int32(-1) }
      real = unsafe String(cString: text)
      unsafe free(text)
      return 0
    }
    return real
  }

  /// Changes the working directory of this process to `path`.
  /// - Throws: `io`, when it is not accessible.
  package func work(in path: String, doing: String) throws(Failure) {
    _ = try System.explained(doing, path, for: .reading, attempt(.enter) { unsafe chdir(path) })
  }

  /// Free bytes for this user in the file system of `path`, which must exist.
  /// - Throws: `io`, when the file system does not report it.
  package func freeSpace(at path: String) throws(Failure) -> Int {
    var system = statvfs()
    _ = try System.explained(
      "looking for free space at", path, for: .reading,
      attempt(.space) { unsafe statvfs(path, &system) })
    return System.bytes(blocks: UInt64(system.f_bavail), of: UInt64(system.f_frsize))
  }

  /// Makes the directory `path`, which must not exist yet.
  func makeDirectory(_ path: String) throws(SystemError) {
    _ = try attempt(.makeDirectory) { unsafe mkdir(path, 0o777) }
  }

  func setMode(_ mode: UInt32, of path: String) throws(SystemError) {
    _ = try attempt(.setMode) { unsafe chmod(path, mode_t(mode)) }
  }

  /// Creates the hard link `other` to the file `path`.
  func linkFile(_ path: String, as other: String) throws(SystemError) {
    _ = try attempt(.link) { unsafe link(path, other) }
  }

  /// Creates the symbolic link `path` to `target`.
  func linkName(_ path: String, to target: String) throws(SystemError) {
    _ = try attempt(.link) { unsafe symlink(target, path) }
  }

  /// Renames `path` to `other`; atomic. A directory replaces an empty directory.
  func move(_ path: String, to other: String) throws(SystemError) {
    _ = try attempt(.move) { unsafe rename(path, other) }
  }

  /// Exchanges two names; atomic.
  func exchange(_ one: String, _ other: String) throws(SystemError) {
    _ = try attempt(.exchange) { unsafe csystem_exchange(one, other) }
  }

  /// Removes a file or a symbolic link; a missing one is not an error.
  func removeFile(_ path: String) throws(SystemError) {
    do {
      _ = try attempt(.removeFile) { unsafe unlink(path) }
    } catch {
      if !error.isMissing { throw error }
    }
  }

  func removeFile(_ name: [CChar], in directory: Int32) throws(SystemError) {
    _ = try attempt(.removeFile) { unsafe unlinkat(directory, name, 0) }
  }

  func removeDirectory(_ name: [CChar], in directory: Int32? = nil) throws(SystemError) {
    _ = try attempt(.removeDirectory) { unsafe unlinkat(directory ?? AT_FDCWD, name, AT_REMOVEDIR) }
  }

  // MARK: By descriptor

  func status(of descriptor: Int32) throws(SystemError) -> FileStatus {
    var raw = stat()
    _ = try attempt(.status) { unsafe fstat(descriptor, &raw) }
    return FileStatus(raw)
  }

  /// Appends up to `limit` bytes to `buffer` and returns how many; 0 at the end of the file. With
  /// `offset` they are read there, without moving the file position.
  func read(
    _ descriptor: Int32, _ limit: Int, at offset: Int? = nil, into buffer: inout ByteBuffer
  ) throws(SystemError) -> Int {
    let before = buffer.count
    try unsafe buffer.append(room: limit) { room throws(SystemError) in
      try transfer(.read, limit) { count in
        guard let offset else { return unsafe systemRead(descriptor, room.baseAddress, count) }
        return unsafe pread(descriptor, room.baseAddress, count, off_t(offset))
      }
    }
    return buffer.count - before
  }

  func write(all bytes: ByteView, to descriptor: Int32) throws(SystemError) {
    var rest = bytes
    while !rest.isEmpty {
      let written = try unsafe rest.withUnsafeBytes { source throws(SystemError) in
        try transfer(.write, source.count) {
          unsafe systemWrite(descriptor, source.baseAddress, $0)
        }
      }
      // A write of 0 bytes without an error would be repeated endlessly.
      if written == 0 { throw SystemError(code: EIO) }
      rest = rest.dropFirst(written)
    }
  }

  func synchronize(_ descriptor: Int32) throws(SystemError) {
    _ = try attempt(.synchronize) { fsync(descriptor) }
  }

  /// Syncs the entries of the directory `path` to disk.
  func synchronize(directory path: String) throws(SystemError) {
    let directory = Descriptor(owning: try openDirectory(path), system: self)
    do {
      try synchronize(directory.number)
    } catch {
      // Some network file systems keep names durable without this call and do not support it.
      if error.code != EINVAL { throw error }
    }
  }

  /// Locks the open file for this process; false when another process has it.
  func lock(_ descriptor: Int32) throws(SystemError) -> Bool {
    do {
      _ = try attempt(.lock) { flock(descriptor, LOCK_EX | LOCK_NB) }
      return true
    } catch {
      if error.code == EWOULDBLOCK { return false }
      throw error
    }
  }

  /// Unlocks immediately: closing alone leaves the lock to copies of the descriptor, which a
  /// process that is being started has for a moment.
  func unlock(_ descriptor: Int32) { _ = flock(descriptor, LOCK_UN) }

  func replaceContent(of descriptor: Int32, with text: ByteView) throws(SystemError) {
    _ = try attempt(.write) { ftruncate(descriptor, 0) }
    try write(all: text, to: descriptor)
  }

  /// Sends as much of `bytes` as a socket accepts without blocking; a closed end raises no signal.
  func send(_ bytes: ByteView, to descriptor: Int32) throws(SystemError) -> Int {
    try unsafe bytes.withUnsafeBytes { bytes throws(SystemError) in
      try transfer(.send, bytes.count) {
        unsafe systemSend(descriptor, bytes.baseAddress, $0, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      }
    }
  }

  /// The names in an open directory except `.` and `..`, zero-terminated, unsorted; closes it.
  func rawNames(in descriptor: Int32) throws(SystemError) -> [[CChar]] {
    guard let stream = unsafe fdopendir(descriptor) else {
      let code = errno
      close(descriptor)
      throw SystemError(code: code)
    }
    defer { unsafe closedir(stream) }
    var names: [[CChar]] = []
    while let name = try unsafe nextName(in: stream) {
      if name != [0x2E, 0] && name != [0x2E, 0x2E, 0] { names.append(name) }
    }
    return names
  }

  private func nextName(in stream: OpaquePointer) throws(SystemError) -> [CChar]? {
    // Only for fault injection: readdir distinguishes an error from the end only by errno.
    _ = try attempt(.list) { 0 }
    errno = 0
    guard let found = unsafe readdir(stream) else {
      if errno != 0 { throw SystemError(code: errno) }
      return nil
    }
    guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else {
      preconditionFailure("a directory entry has its name in it")
    }
    // SAFETY: the entry's name ends with a zero byte, and is copied before the next call.
    let first = unsafe (UnsafeRawPointer(found) + offset).assumingMemoryBound(to: CChar.self)
    let length = unsafe strlen(first)
    return unsafe Array(UnsafeBufferPointer(start: first, count: length + 1))
  }
}
