import CSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An open file, pipe or socket, closed at the end of its life, not inherited by child processes.
package struct Descriptor: ~Copyable, Sendable {
  /// Must not be kept longer than this value lives.
  let number: Int32
  private let system: System

  /// Lowest number of descriptors that the program opens; those below are the standard ones.
  static let firstFree: Int32 = 3

  init(owning number: Int32, system: System = .real) {
    self.number = number
    self.system = system
  }

  // It is only read from, so a failure to close it does not matter.
  deinit { try? system.closeFile(number) }

  /// Opens the regular file `path` for reading, without blocking on anything else.
  /// - Throws: `corrupt`, when it is a pipe, a directory or the like; `io`.
  package init(reading path: String, doing: String, system: System = .real) throws(Failure) {
    let descriptor = try Descriptor(opening: path, waits: false, doing: doing, system: system)
    let kind = try System.explained(doing, path, for: .reading, descriptor.status()).kind
    guard kind == .regular else {
      throw Failure(
        .corrupt, doing: doing, path: path, why: "it is \(kind.words), not a file",
        advice: "restore the file")
    }
    self = descriptor
  }

  /// Opens `path` for reading, whatever it is. With `waits`, waits for a writer of a named pipe.
  init(opening path: String, waits: Bool, doing: String, system: System = .real) throws(Failure) {
    // Reading a terminal must not make it the controlling one.
    let flags = O_RDONLY | O_NOCTTY | (waits ? 0 : O_NONBLOCK)
    number = try System.explained(doing, path, for: .reading, system.openFile(path, flags))
    self.system = system
  }

  /// A separate descriptor for standard input, so that closing it closes nothing else.
  /// - Throws: `usage`, when it is closed, open for writing only, or a directory; `io`.
  package static func standardInput(
    doing: String, system: System = .real
  ) throws(Failure) -> Descriptor {
    let name = InputFile.standardInputName
    let descriptor = Descriptor(
      owning: try System.explained(doing, name, for: .reading, system.duplicate(STDIN_FILENO)),
      system: system)
    let kind = try System.explained(doing, name, for: .reading, descriptor.status()).kind
    // The program replaces a closed standard descriptor by one that can only be written.
    let isReadable = fcntl(descriptor.number, F_GETFL) & O_ACCMODE != O_WRONLY
    if kind != .directory, isReadable { return descriptor }
    throw Failure(
      .usage, doing: doing, path: name,
      why: kind == .directory
        ? "it is a directory" : "it is closed, or open for writing only",
      advice: "give it something to read, as in eventmill … - < FILE, or name files")
  }

  package func status() throws(SystemError) -> FileStatus { try system.status(of: number) }

  /// Appends up to `limit` bytes to `buffer` and returns how many; 0 at the end of the file. Waits
  /// for the first byte, even if the descriptor is non-blocking.
  package func read(_ limit: Int, into buffer: inout ByteBuffer) throws(SystemError) -> Int {
    precondition(limit > 0, "a read needs a positive limit")
    while true {
      do {
        return try system.read(number, limit, into: &buffer)
      } catch {
        guard error.code == EAGAIN else { throw error }
        var interests = [Interest(number: number, direction: .reading)]
        try system.wait(for: &interests)
      }
    }
  }

  /// Sends as much of `bytes` as the socket accepts at once; nil when the other end is closed.
  func offer(_ bytes: ByteView) throws(SystemError) -> Int? {
    do {
      return try system.send(bytes, to: number)
    } catch {
      switch error.code {
      case EAGAIN: return 0
      case EPIPE, ECONNRESET: return nil
      default: throw error
      }
    }
  }
}

// MARK: - Syncing and locking

extension System {
  func synchronize(_ descriptor: Int32) throws(SystemError) {
    try attempt(.synchronize) { fsync(descriptor) }
  }

  /// Lets the disk begin with what was written to `range`, so that ``synchronize(_:)`` waits less.
  func hasten(_ range: Range<Int>, of descriptor: Int32) {
    // It may be refused; then nothing is written earlier.
    _ = csystem_begin_writing(descriptor, Int64(range.lowerBound), Int64(range.count))
  }

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
      try attempt(.lock) { flock(descriptor, LOCK_EX | LOCK_NB) }
      return true
    } catch {
      if error.code == EAGAIN { return false }
      throw error
    }
  }

  /// Unlocks immediately: closing alone leaves the lock to copies of the descriptor, which a
  /// process that is being started has for a moment.
  func unlock(_ descriptor: Int32) { _ = flock(descriptor, LOCK_UN) }
}

// MARK: - Status

package struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64

  /// Whether `/proc/locks` may mean it by `text`, such as `fd:01:131076`. With the major number 0
  /// the device there may differ from that of the file (btrfs, overlay).
  func isListed(as text: Substring) -> Bool {
    let words = text.split(separator: ":")
    guard words.count == 3, words[2] == "\(inode)", let major = UInt64(words[0], radix: 16),
      let minor = UInt64(words[1], radix: 16)
    else { return false }
    return major == 0 || device == major << 8 | minor & 0xFF | (minor >> 8) << 20
  }
}

package struct FileStatus: Equatable, Sendable {
  /// The kind of a file, as far as it matters here, in the words of messages.
  package enum Kind: String, Sendable {
    case regular = "a file"
    case directory = "a directory"
    /// A symbolic link that was not followed.
    case link = "a symbolic link"
    /// Can be read once, has no length.
    case stream = "a pipe or a socket"
    /// A disk, a terminal, `/dev/zero` and the like.
    case device = "a device"

    init(mode: mode_t) {
      switch mode & S_IFMT {
      case S_IFREG: self = .regular
      case S_IFDIR: self = .directory
      case S_IFLNK: self = .link
      case S_IFIFO, S_IFSOCK: self = .stream
      default: self = .device
      }
    }

    package var words: String { rawValue }
  }

  package let kind: Kind
  package let identity: FileIdentity
  /// Permissions, with the set-id and sticky bits.
  let mode: UInt32
  /// Length in bytes; only meaningful for regular files.
  package let size: Int
  /// Last change of the content, nanoseconds since 1970.
  package let modified: Int
  /// When it was last changed, renamed or linked, in the same unit: a copied file keeps its time of
  /// modification, not this one.
  package let changed: Int

  init(_ raw: stat) {
    kind = Kind(mode: raw.st_mode)
    identity = FileIdentity(device: UInt64(raw.st_dev), inode: UInt64(raw.st_ino))
    mode = UInt32(raw.st_mode & 0o7777)
    size = Int(raw.st_size)
    changed = Int(raw.st_ctim.tv_sec) &* 1_000_000_000 &+ Int(raw.st_ctim.tv_nsec)
    modified = Int(raw.st_mtim.tv_sec) &* 1_000_000_000 &+ Int(raw.st_mtim.tv_nsec)
  }

  /// Length in bytes of a regular file; nil for anything else.
  var length: Int? { kind == .regular ? size : nil }
}

extension System {
  /// The status of `path`, links not followed unless `following`; nil when it does not exist.
  func entry(at path: String, following: Bool = false) throws(SystemError) -> FileStatus? {
    do {
      return try status(of: path, following: following)
    } catch {
      // A path below a regular file does not exist either.
      guard error.isMissing || error.code == ENOTDIR else { throw error }
      return nil
    }
  }

  package func status(of path: String, doing: String) throws(Failure) -> FileStatus {
    try System.explained(doing, path, for: .reading, status(of: path))
  }

  /// The same, or nil when the path does not exist.
  package func statusIfAny(of path: String, doing: String) throws(Failure) -> FileStatus? {
    try System.explained(doing, path, for: .reading, ifAny(status(of: path)))
  }

  /// The status of `path`, links followed, if it exists, and whether it is a link.
  func found(
    at path: String, doing: String
  ) throws(Failure) -> (status: FileStatus?, isLink: Bool) {
    let status = try System.explained(
      doing, path, for: .reading, ifAny(status(of: path, following: false)))
    guard status?.kind == .link else { return (status, false) }
    return (try statusIfAny(of: path, doing: doing), true)
  }

  /// The result of `call` for a path; nil when the path does not exist.
  private func ifAny<Value>(
    _ call: @autoclosure () throws(SystemError) -> Value
  ) throws(SystemError) -> Value? {
    do {
      return try call()
    } catch {
      if error.leadsNowhere { return nil }
      throw error
    }
  }

  /// Checks that `path` is not a named pipe, on which opening would block. A pipe of the shell,
  /// like `<(…)`, has no name, and a writer.
  /// - Throws: `usage`, when it is; `io`.
  package func checkReadable(_ path: String, doing: String) throws(Failure) {
    let kind = try status(of: path, doing: doing).kind
    guard kind == .stream || kind == .device,
      try realPathIfAny(of: path, doing: doing) != nil
    else { return }
    throw Failure(
      .usage, doing: doing, path: path, why: "it is \(kind.words), not a file",
      advice: "name a file, or - for standard input if the command reads that")
  }

  /// `path`, or what it leads to now if it is a symbolic link, which may be moved at any time.
  package func settled(_ path: String) -> String {
    let name = (try? OutputPath(path))?.path ?? path
    guard (try? status(of: name, following: false))?.kind == .link else { return path }
    return (try? realPath(of: name)) ?? path
  }

  package func realPath(of path: String, doing: String) throws(Failure) -> String {
    try System.explained(doing, path, for: .reading, realPath(of: path))
  }

  /// The same, or nil when it does not exist.
  package func realPathIfAny(of path: String, doing: String) throws(Failure) -> String? {
    try System.explained(doing, path, for: .reading, ifAny(realPath(of: path)))
  }

  /// The number of bytes in so many blocks; file systems without a limit report the greatest
  /// number.
  static func bytes(blocks: UInt64, of size: UInt64) -> Int {
    let (bytes, overflow) = blocks.multipliedReportingOverflow(by: size)
    return overflow ? .max : Int(clamping: bytes)
  }

  /// The names in the directory `path`, without `.` and `..`, sorted by bytes; with U+FFFD for
  /// invalid UTF-8.
  func names(in path: String) throws(SystemError) -> [String] {
    try bytesOfNames(in: path).map { String(decoding: $0, as: UTF8.self) }.sortedByBytes
  }

  /// The same, unordered.
  /// - Throws: `io`, when the directory cannot be read or a name is not UTF-8.
  package func names(in path: String, doing: String) throws(Failure) -> [String] {
    let names = try System.explained(doing, path, for: .reading, bytesOfNames(in: path))
    return try names.map { bytes throws(Failure) in
      if let text = String(validating: bytes, as: UTF8.self) { return text }
      let shown = String(decoding: bytes, as: UTF8.self)
      throw Failure(
        .io, doing: doing, path: path,
        why: "it contains a file whose name is not UTF-8: \(shown)", advice: "rename that file")
    }
  }

  private func bytesOfNames(in path: String) throws(SystemError) -> [[UInt8]] {
    try rawNames(in: openDirectory(path)).map { $0.dropLast().map(UInt8.init(bitPattern:)) }
  }
}
