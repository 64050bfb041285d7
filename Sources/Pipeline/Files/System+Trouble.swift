#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension SystemWriting {
  /// Why a system call failed.
  struct Trouble: Error, Equatable {
    /// The value of `errno`.
    let code: Int32

    /// There is nothing under that name.
    var isMissing: Bool { code == ENOENT }
    /// There is something under that name already (for a directory: something in it).
    var isOccupied: Bool { code == EEXIST || code == ENOTEMPTY || code == ENOTDIR }
    /// The file system cannot do it at all.
    var isUnsupported: Bool { code == EINVAL || code == ENOSYS || code == ENOTSUP }

    /// What the system says, in English.
    var words: String {
      guard let words = unsafe strerror(code) else { return "error \(code)" }
      return unsafe String(cString: words)
    }

    /// What to do about it.
    private var advice: String {
      switch code {
      case ENOSPC, EDQUOT: "free some space and run again"
      case EIO: "check the disk and run again"
      case EACCES, EPERM: "make it writable for this user, or choose another place"
      case EROFS: "choose a place that can be written to"
      case EFBIG: "raise the limit of file sizes (ulimit -f) and run again"
      case EMFILE, ENFILE: "raise the limit of open files (ulimit -n) and run again"
      case ENAMETOOLONG: "choose a shorter name"
      case ENOENT: "see to it that nothing else changes the directory, and run again"
      default: "run again when the cause is mended"
      }
    }

    /// The failure for the person who has to mend it.
    func failure(doing: String, path: String) -> Failure {
      Failure(.io, doing: doing, path: path, why: words, advice: advice)
    }
  }

  /// Makes the trouble of `body` a failure that says what was being done to which file.
  static func explained<Value>(
    _ doing: String, _ path: String, _ body: () throws(Trouble) -> Value
  ) throws(Failure) -> Value {
    do {
      return try body()
    } catch {
      throw error.failure(doing: doing, path: path)
    }
  }
}
