#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Why a system call failed: what it left in `errno`.
package struct SystemError: Error, Sendable, Equatable {
  /// What a call was for, as far as it matters for mending it.
  package enum Purpose: Sendable {
    case reading, writing
  }

  package let code: Int32

  /// The C library's words for it.
  package var words: String { System.words(of: code) }

  /// There is nothing under that name.
  var isMissing: Bool { code == ENOENT }
  /// The name leads nowhere: there is nothing, a file in the place of a directory, or a link to
  /// itself.
  var leadsNowhere: Bool { code == ENOENT || code == ENOTDIR || code == ELOOP }
  /// There is something under that name already (for a directory: something in it).
  var isOccupied: Bool { code == EEXIST || code == ENOTEMPTY || code == ENOTDIR }
  /// The file system cannot do it at all.
  var isUnsupported: Bool { code == EINVAL || code == ENOSYS || code == ENOTSUP }
  /// The file system has one name per file, or as many as a file may have are taken.
  var cannotLink: Bool { isUnsupported || code == EPERM || code == EMLINK }

  /// What a person can do about it.
  func advice(_ purpose: Purpose) -> String {
    switch code {
    case EMFILE, ENFILE: return "raise the limit of open files (ulimit -n) and run again"
    case EAGAIN: return "raise the limit of processes (ulimit -u, or TasksMax of a service)"
    case ENOMEM: return "run again when the machine has more memory to spare"
    case EIO: return "check the disk and run again"
    default: break
    }
    switch purpose {
    case .reading:
      switch code {
      case ENOENT, ENOTDIR: return "check the spelling of the path"
      case EACCES, EPERM: return "check its permissions and those of the directories above it"
      case ELOOP: return "mend the symbolic links that lead in a circle"
      default: return "run again when the cause is mended"
      }
    case .writing:
      switch code {
      case ENOSPC, EDQUOT: return "free some space and run again"
      case EACCES, EPERM: return "make it writable for this user, or choose another place"
      case EROFS: return "choose a place that can be written to"
      case EFBIG: return "raise the limit of file sizes (ulimit -f) and run again"
      case ENAMETOOLONG: return "choose a shorter name"
      case ENOENT: return "see to it that nothing else changes the directory, and run again"
      default: return "run again when the cause is mended"
      }
    }
  }

  /// The failure of `doing` something to `path` for this reason.
  package func failure(
    doing: String, path: String, _ purpose: Purpose = .reading
  ) -> Failure {
    Failure(.io, doing: doing, path: path, why: words, advice: advice(purpose))
  }
}
