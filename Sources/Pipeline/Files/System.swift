import CSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The operating system: every call of the C library that can fail, each wrapped once, so that a
/// test can make any one of them fail. Only the `System` files call the C library. The value is
/// passed to everything that works with files; it is ``real`` unless a test injects faults. A call
/// that a signal interrupts is repeated. Paths are relative to the working directory. Any thread.
package struct System: Sendable {
  package enum Call: Sendable, CaseIterable {
    // By path.
    case open, create, status, resolve, space
    case enter, makeDirectory, setMode, link, move, exchange, removeFile, removeDirectory
    // By descriptor.
    case read, write, synchronize, lock, duplicate, list, close
    // Processes, and communication with them.
    case connect, spawn, send, poll, collect
    case thread

    /// Whether it opens a descriptor.
    fileprivate var opens: Bool { [.open, .create, .duplicate, .connect].contains(self) }
  }

  package enum Fault: Sendable {
    /// The call does nothing and fails with this `errno`.
    case error(Int32)
    /// The call moves at most that many bytes; only for `read`, `write` and `send`.
    case short(Int)
  }

  /// Called before every system call; nil lets it happen.
  package typealias Faults = @Sendable (Call) -> Fault?

  private let faults: Faults?

  package static let real = System()

  package init(faults: Faults? = nil) { self.faults = faults }

  /// For names that no other living process uses.
  package static var processID: Int { Int(getpid()) }

  /// Repeats a call until it is not interrupted by a signal.
  /// - Throws: `errno`, when it returns a negative number.
  @discardableResult
  func attempt<Value: SignedInteger>(
    _ call: Call, _ body: () -> Value
  ) throws(SystemError) -> Value {
    try transfer(call, .max) { _ in body() }
  }

  /// The same for a call that moves up to `count` bytes, its argument.
  func transfer<Value: SignedInteger>(
    _ call: Call, _ count: Int, _ body: (Int) -> Value
  ) throws(SystemError) -> Value {
    while true {
      let code: Int32
      switch faults?(call) {
      case .error(let injected): code = injected
      case _ where call.opens && !System.hasUnreservedDescriptor: code = EMFILE
      case let fault:
        var limit = count
        if case .short(let bytes)? = fault { limit = min(limit, bytes) }
        let result = body(limit)
        if result >= 0 { return result }
        code = errno
      }
      if code != EINTR { throw SystemError(code: code) }
    }
  }

  /// Descriptors that Dispatch needs: three for its timers, and one for a moment every second. It
  /// ends the process when it gets none, so the last ones are left to it.
  static let reservedDescriptors = 5

  /// The lowest descriptor that is reserved.
  private static let firstReserved = csystem_open_files() - Int64(reservedDescriptors)

  /// Whether the next descriptor is not a reserved one. Checked before a file is created, so that
  /// none is left.
  private static var hasUnreservedDescriptor: Bool {
    // The next one has the lowest number that is free. Descriptor 2 always exists.
    let next = fcntl(2, F_DUPFD_CLOEXEC, 0)
    guard next >= 0 else { return false }
    close(next)
    return next < firstReserved
  }

  /// Closes the descriptor; never repeated: even after a failure it is no longer ours.
  func closeFile(_ descriptor: Int32) throws(SystemError) {
    let fault = faults?(.close)
    var code = close(descriptor) < 0 ? errno : 0
    if case .error(let injected)? = fault { code = injected }
    // An interrupted close has closed.
    if code != 0, code != EINTR { throw SystemError(code: code) }
  }

  /// Turns an error of `call` into a failure that states the action, the file and the purpose.
  static func explained<Value: ~Copyable>(
    _ doing: String, _ path: String, for purpose: SystemError.Purpose = .writing,
    _ call: @autoclosure () throws(SystemError) -> Value
  ) throws(Failure) -> Value {
    do {
      return try call()
    } catch {
      throw error.failure(doing: doing, path: path, purpose)
    }
  }
}

/// The reason for a failed system call: its `errno`.
package struct SystemError: Error, Sendable, Equatable {
  /// The purpose of a call, as far as the advice depends on it.
  package enum Purpose: Sendable {
    case reading, writing
    /// Writing the first file in a directory that the user has named.
    case creating
  }

  package let code: Int32

  static let missing = SystemError(code: ENOENT)

  package init(code: Int32) { self.code = code }

  package var words: String { System.words(of: code) }

  var isMissing: Bool { code == ENOENT }
  /// The path does not exist: nothing there, a file as a directory, or a link to itself.
  var leadsNowhere: Bool { code == ENOENT || code == ENOTDIR || code == ELOOP }
  /// The name is in use (for a directory: it is not empty).
  var isOccupied: Bool { code == EEXIST || code == ENOTEMPTY || code == ENOTDIR }
  var isUnsupported: Bool { code == EINVAL || code == ENOSYS || code == ENOTSUP }
  /// The file system does not support hard links, or the file has too many.
  var cannotLink: Bool { isUnsupported || code == EPERM || code == EMLINK }

  var isOtherDisk: Bool { code == EXDEV }

  func advice(_ purpose: Purpose) -> String {
    switch (purpose, code) {
    case (_, EMFILE), (_, ENFILE): "raise the limit of open files (ulimit -n) and run again"
    case (_, EAGAIN): "raise the limit of processes (ulimit -u, or TasksMax of a service)"
    case (_, ENOMEM): "run again when the machine has more free memory"
    case (_, EIO): "check the disk and run again"
    case (.reading, ENOENT), (.reading, ENOTDIR): "check the spelling of the path"
    case (.reading, EACCES), (.reading, EPERM):
      "check its permissions and those of the directories above it"
    case (.reading, ELOOP): "fix the symbolic links that form a loop"
    case (.reading, _): "fix the cause and run again"
    case (_, ENOSPC), (_, EDQUOT): "free some space and run again"
    case (_, EACCES), (_, EPERM): "make it writable for this user, or choose another path"
    case (_, EROFS): "choose a writable directory"
    case (_, EFBIG): "raise the limit of file sizes (ulimit -f) and run again"
    case (_, ENAMETOOLONG): "choose a shorter name"
    case (.creating, ENOENT): "create its directory, or choose another path"
    case (.writing, ENOENT): "make sure that nothing else changes the directory, and run again"
    default: "fix the cause and run again"
    }
  }

  /// Whether the same call may succeed later without any change by the user.
  package func mayPass(_ purpose: Purpose) -> Bool {
    switch code {
    // Missing in a directory that was there: something else is changing it.
    case ENOENT: purpose == .writing
    case ENOTDIR, ELOOP, EISDIR, EEXIST, ENOTEMPTY, ENAMETOOLONG, EXDEV, EMLINK,
      EACCES, EPERM, EROFS, EFBIG, EMFILE, EINVAL, EBADF, ENOSYS, ENOTSUP, EOVERFLOW,
      ENODEV, ENXIO, ENOEXEC, E2BIG:
      false
    default: true
    }
  }

  package func failure(doing: String, path: String, _ purpose: Purpose = .reading) -> Failure {
    Failure(
      .io, doing: doing, path: path, why: words, advice: advice(purpose), mayPass: mayPass(purpose))
  }
}
