import CSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The identity of a file, regardless of its name: a device and an inode number.
package struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64
}

/// The metadata of a file.
package struct FileStatus: Equatable, Sendable {
  /// The kind of a file, as far as it matters here.
  package enum Kind: Sendable, Equatable {
    case regular
    case directory
    /// A symbolic link that was not followed.
    case link
    /// A pipe or a socket: can be read once, has no length.
    case stream
    /// A disk, a terminal, `/dev/zero` and the like.
    case device

    init(mode: mode_t) {
      switch mode & S_IFMT {
      case S_IFREG: self = .regular
      case S_IFDIR: self = .directory
      case S_IFLNK: self = .link
      case S_IFIFO, S_IFSOCK: self = .stream
      default: self = .device
      }
    }

    package var words: String {
      switch self {
      case .regular: "a file"
      case .directory: "a directory"
      case .link: "a symbolic link"
      case .stream: "a pipe or a socket"
      case .device: "a device"
      }
    }
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

  /// The status of `path`, symbolic links followed.
  /// - Throws: `io`, when it does not exist or is not accessible.
  package func status(of path: String, doing: String) throws(Failure) -> FileStatus {
    try System.explained(doing, path, for: .reading, status(of: path))
  }

  /// The same, or nil when the path does not exist.
  /// - Throws: `io`, when it is not accessible.
  package func statusIfAny(of path: String, doing: String) throws(Failure) -> FileStatus? {
    try System.explained(doing, path, for: .reading, ifAny(status(of: path)))
  }

  /// The status of `path`, links followed, if it exists, and whether it is a link.
  /// - Throws: `io`, when it is not accessible.
  func found(at path: String, doing: String) throws(Failure) -> (status: FileStatus?, isLink: Bool)
  {
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

  /// The absolute path of `path` without links, `.` and `..`; nil when it does not exist.
  /// - Throws: `io`, when it is not accessible.
  package func realPathIfAny(of path: String, doing: String) throws(Failure) -> String? {
    try System.explained(doing, path, for: .reading, ifAny(realPath(of: path)))
  }

  /// The absolute path of `path` without links, `.` and `..`.
  /// - Throws: `io`, when it does not exist or is not accessible.
  package func realPath(of path: String, doing: String) throws(Failure) -> String {
    try System.explained(doing, path, for: .reading, realPath(of: path))
  }

  /// The number of bytes in so many blocks; file systems without a limit report the greatest
  /// number.
  static func bytes(blocks: UInt64, of size: UInt64) -> Int {
    let (bytes, overflow) = blocks.multipliedReportingOverflow(by: size)
    return overflow ? .max : Int(clamping: bytes)
  }

  /// The names in the directory `path`, sorted by bytes; with U+FFFD for invalid UTF-8.
  func names(in path: String) throws(SystemError) -> [String] {
    try rawNames(in: openDirectory(path)).map { name in
      String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }.sortedByBytes
  }

  /// The names in the directory `path`, without `.` and `..`, unordered.
  /// - Throws: `io`, when the directory cannot be read or a name is not UTF-8.
  package func names(in path: String, doing: String) throws(Failure) -> [String] {
    var names: [String] = []
    for name in try System.explained(doing, path, for: .reading, rawNames(in: openDirectory(path)))
    {
      let bytes = name.dropLast().map(UInt8.init(bitPattern:))
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw Failure(
          .io, doing: doing, path: path,
          why:
            "it contains a file whose name is not UTF-8: \(String(decoding: bytes, as: UTF8.self))",
          advice: "rename that file")
      }
      names.append(text)
    }
    return names
  }
}
