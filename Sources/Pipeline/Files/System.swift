#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The calls into the C library. Only the `System` files make them; everything else says what it
/// wants in the terms of files.
package enum System {
  /// Calls `body` until no signal interrupts it.
  /// - Throws: what it left in `errno`, when it returns a negative number.
  static func call<Value: SignedInteger>(_ body: () -> Value) throws(SystemError) -> Value {
    while true {
      let result = body()
      if result >= 0 { return result }
      let code = errno
      if code != EINTR { throw SystemError(code: code) }
    }
  }

  /// What `path` is, symbolic links followed.
  /// - Throws: `io`, when there is nothing of that name or it may not be looked at.
  package static func status(of path: String, doing: String) throws(Failure) -> FileStatus {
    do {
      var raw = stat()
      _ = try call { unsafe stat(path, &raw) }
      return FileStatus(raw)
    } catch {
      throw error.failure(doing: doing, path: path)
    }
  }

  /// The one absolute name of `path`: no link, no `.` and no `..` in it.
  /// - Throws: `io`, when there is nothing of that name or it may not be looked at.
  package static func realPath(of path: String, doing: String) throws(Failure) -> String {
    guard let text = unsafe realpath(path, nil) else {
      throw SystemError(code: errno).failure(doing: doing, path: path)
    }
    defer { unsafe free(text) }
    return unsafe String(cString: text)
  }

  /// The names in the directory `path`, without `.` and `..`, in no order.
  /// - Throws: `io`, when the directory cannot be read or a name is not UTF-8.
  package static func names(in path: String, doing: String) throws(Failure) -> [String] {
    guard let directory = unsafe opendir(path) else {
      throw SystemError(code: errno).failure(doing: doing, path: path)
    }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(directory) else {
        let code = errno
        if code != 0 { throw SystemError(code: code).failure(doing: doing, path: path) }
        return names
      }
      // SAFETY: the name is ended by a zero byte, and stays until the next readdir.
      let text = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe strdup($0) }
      }
      guard let text = unsafe text else {
        throw SystemError(code: ENOMEM).failure(doing: doing, path: path)
      }
      defer { unsafe free(text) }
      guard let name = unsafe String(validatingCString: text) else {
        throw Failure(
          .io, doing: doing, path: path,
          why: "it holds a file whose name is not UTF-8: \(unsafe String(cString: text))",
          advice: "rename that file")
      }
      if name != "." && name != ".." { names.append(name) }
    }
  }
}

/// What a call of the C library left in `errno`.
package struct SystemError: Error, Sendable, Equatable {
  package let code: Int32

  /// Longest text the C library is asked for.
  private static let longestText = 256

  /// The C library's words for it.
  package var words: String {
    var text = [CChar](repeating: 0, count: SystemError.longestText)
    guard unsafe strerror_r(code, &text, text.count) == 0 else { return "error \(code)" }
    let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether there is nothing of that name.
  var isNotFound: Bool { code == ENOENT }

  /// What a person can do about it; empty when that does not follow from the number.
  private var advice: String {
    switch code {
    case ENOENT, ENOTDIR: "check the spelling of the path"
    case EACCES, EPERM: "check its permissions and those of the directories above it"
    case ELOOP: "mend the symbolic links that lead in a circle"
    case EMFILE, ENFILE: "allow more open files (ulimit -n)"
    case EIO: "check the disk"
    default: ""
    }
  }

  /// The failure of `doing` something to `path` for this reason.
  package func failure(doing: String, path: String) -> Failure {
    Failure(.io, doing: doing, path: path, why: words, advice: advice)
  }
}

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
  }

  package let kind: Kind
  package let identity: FileIdentity
  /// Length in bytes; means something for regular files only.
  package let size: Int
  /// Last change of the content, nanoseconds since 1970.
  let modified: Int

  init(_ raw: stat) {
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
