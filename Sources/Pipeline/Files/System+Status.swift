import CSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The file behind a name, whatever the name: a device and a number on it.
package struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64
}

/// What the file system knows about a file.
package struct FileStatus: Equatable, Sendable {
  /// What kind of file it is, as far as a reader of logs cares.
  package enum Kind: Sendable, Equatable {
    case regular
    case directory
    /// A pipe or a socket: can be read once, has no length.
    case stream
    /// A disk, a terminal, `/dev/zero` and the like.
    case device

    /// What messages call it.
    var words: String {
      switch self {
      case .regular: "a file"
      case .directory: "a directory"
      case .stream: "a pipe or a socket"
      case .device: "a device"
      }
    }
  }

  package let kind: Kind
  package let identity: FileIdentity
  /// Length in bytes; means something for regular files only.
  package let size: Int
  /// Last change of the content, nanoseconds since 1970.
  package let modified: Int

  fileprivate init(_ raw: stat) {
    switch raw.st_mode & S_IFMT {
    case S_IFREG: kind = .regular
    case S_IFDIR: kind = .directory
    case S_IFIFO, S_IFSOCK: kind = .stream
    default: kind = .device
    }
    identity = FileIdentity(device: UInt64(raw.st_dev), inode: UInt64(raw.st_ino))
    size = Int(raw.st_size)
    modified = Int(raw.st_mtim.tv_sec) &* 1_000_000_000 &+ Int(raw.st_mtim.tv_nsec)
  }
}

extension System {
  /// What `path` is, symbolic links followed.
  /// - Throws: `io`, when there is nothing of that name or it may not be looked at.
  package func status(of path: String, doing: String) throws(Failure) -> FileStatus {
    do {
      return try status(of: path)
    } catch {
      throw error.failure(doing: doing, path: path)
    }
  }

  /// The same, or nil when the name leads nowhere.
  /// - Throws: `io`, when it may not be looked at.
  package func statusIfAny(of path: String, doing: String) throws(Failure) -> FileStatus? {
    do {
      return try status(of: path)
    } catch {
      if error.leadsNowhere { return nil }
      throw error.failure(doing: doing, path: path)
    }
  }

  /// What is found under the name `path`, links followed, and whether the name itself is a link;
  /// the status is nil when the name leads nowhere.
  /// - Throws: `io`, when it may not be looked at.
  func found(at path: String, doing: String) throws(Failure) -> (status: FileStatus?, isLink: Bool)
  {
    let raw: stat
    do {
      raw = try rawStatus(of: path, following: false)
    } catch {
      if error.leadsNowhere { return (nil, false) }
      throw error.failure(doing: doing, path: path)
    }
    guard raw.st_mode & S_IFMT == S_IFLNK else { return (FileStatus(raw), false) }
    return (try statusIfAny(of: path, doing: doing), true)
  }

  /// Checks that reading `path` does not wait for a named pipe until somebody writes to it. A pipe
  /// of the shell's, as `<(…)`, has no name, and somebody does.
  /// - Throws: `usage`, when it would; `io`.
  package func checkReadable(_ path: String, doing: String) throws(Failure) {
    let kind = try status(of: path, doing: doing).kind
    guard kind == .stream || kind == .device,
      try realPathIfAny(of: path, doing: doing) != nil
    else { return }
    throw Failure(
      .usage, doing: doing, path: path, why: "it is \(kind.words), not a file",
      advice: "name a file, or - for standard input if the command reads that")
  }

  private func status(of path: String) throws(SystemError) -> FileStatus {
    FileStatus(try rawStatus(of: path))
  }

  /// What the open file `descriptor` is.
  func status(of descriptor: Int32) throws(SystemError) -> FileStatus {
    FileStatus(try rawStatus(of: descriptor))
  }

  /// The one absolute name of `path`: no link, no `.` and no `..` in it; nil when it leads nowhere.
  /// - Throws: `io`, when it may not be looked at.
  package func realPathIfAny(of path: String, doing: String) throws(Failure) -> String? {
    do {
      return try realPath(of: path)
    } catch {
      if error.leadsNowhere { return nil }
      throw error.failure(doing: doing, path: path)
    }
  }

  /// The one absolute name of `path`.
  /// - Throws: `io`, when there is nothing of that name or it may not be looked at.
  package func realPath(of path: String, doing: String) throws(Failure) -> String {
    do {
      return try realPath(of: path)
    } catch {
      throw error.failure(doing: doing, path: path)
    }
  }

  /// Bytes that this user may still write in the file system of `path`, which must exist; what is
  /// kept for the administrator does not count.
  /// - Throws: `io`, when the file system does not tell.
  package func freeSpace(at path: String) throws(Failure) -> Int {
    do {
      let system = try fileSystem(of: path)
      return System.bytes(blocks: UInt64(system.f_bavail), of: UInt64(system.f_frsize))
    } catch {
      throw error.failure(doing: "looking for free space at", path: path)
    }
  }

  /// The bytes of so many blocks of one size; file systems without an end have the greatest number.
  static func bytes(blocks: UInt64, of size: UInt64) -> Int {
    let (bytes, overflow) = blocks.multipliedReportingOverflow(by: size)
    return overflow ? .max : Int(clamping: bytes)
  }
}
