import CSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The system calls that change the file system, each in one place, so that a test can make any one
/// of them fail.
///
/// A call that a signal interrupts is made again. Paths are as the caller's working directory has
/// them. Any thread.
package struct SystemWriting: Sendable {
  /// A kind of system call.
  package enum Call: Sendable, CaseIterable {
    case create, write, synchronize, close, makeDirectory, setMode, move, exchange
    case removeFile, removeDirectory, open, list, status, lock
  }

  /// What a test makes of a call, instead of what the system would.
  package enum Fault: Sendable {
    /// The call does nothing and fails with this `errno`.
    case error(Int32)
    /// A write takes at most that many bytes.
    case short(Int)
  }

  /// Asked before every call; nil lets it happen.
  package typealias Faults = @Sendable (Call) -> Fault?

  private let faults: Faults?

  /// The system as it is.
  package static let real = SystemWriting()

  /// The system with `faults`, for tests.
  package init(faults: Faults? = nil) { self.faults = faults }

  /// The number of this process, for names that no other living process uses.
  package static var processID: Int { Int(getpid()) }

  /// Makes a call until no signal interrupts it.
  func attempt(_ call: Call, _ body: () -> Int32) throws(Trouble) -> Int32 {
    while true {
      var code: Int32 = 0
      if case .error(let injected)? = faults?(call) {
        code = injected
      } else {
        let result = body()
        if result >= 0 { return result }
        code = errno
      }
      if code != EINTR { throw Trouble(code: code) }
    }
  }
}

// MARK: - Files

extension SystemWriting {
  /// Creates the file `path`, which must not exist yet; returns its descriptor.
  func create(_ path: String) throws(Trouble) -> Int32 {
    try attempt(.create) { unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
  }

  /// Writes all of `bytes`, in as many calls as it takes.
  func write(all bytes: ByteView, to descriptor: Int32) throws(Trouble) {
    var rest = bytes
    while !rest.isEmpty {
      var length = rest.count
      var code: Int32 = 0
      var written = -1
      switch faults?(.write) {
      case .error(let injected): code = injected
      case .short(let limit):
        length = min(length, limit)
        fallthrough
      case nil:
        written = writeOnce(rest[0..<length], to: descriptor)
        // A write that takes nothing and says nothing would be repeated for ever.
        code = written < 0 ? errno : written == 0 ? EIO : 0
      }
      if code == 0 {
        rest = rest.dropFirst(written)
      } else if code != EINTR {
        throw Trouble(code: code)
      }
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
  func synchronize(_ descriptor: Int32) throws(Trouble) {
    _ = try attempt(.synchronize) { fsync(descriptor) }
  }

  /// Gives the descriptor back, whatever happens. Never made again: after a failure, too, the
  /// descriptor is no longer ours.
  func closeFile(_ descriptor: Int32) throws(Trouble) {
    let fault = faults?(.close)
    var code = close(descriptor) < 0 ? errno : 0
    if case .error(let injected)? = fault { code = injected }
    // An interrupted close has closed.
    if code != 0, code != EINTR { throw Trouble(code: code) }
  }

  /// Removes the name of a file or of a symbolic link; no such name is fine.
  func removeFile(_ path: String) throws(Trouble) {
    do {
      _ = try attempt(.removeFile) { unsafe unlink(path) }
    } catch {
      if !error.isMissing { throw error }
    }
  }
}

// MARK: - Directories

extension SystemWriting {
  /// Makes the directory `path`, which must not exist yet.
  func makeDirectory(_ path: String) throws(Trouble) {
    _ = try attempt(.makeDirectory) { unsafe mkdir(path, 0o777) }
  }

  /// Sets the permissions of `path`.
  func setMode(_ mode: UInt32, of path: String) throws(Trouble) {
    _ = try attempt(.setMode) { unsafe chmod(path, mode_t(mode)) }
  }

  /// Gives `path` the name `other`; atomic. An empty directory of that name is replaced by a
  /// directory.
  func move(_ path: String, to other: String) throws(Trouble) {
    _ = try attempt(.move) { unsafe rename(path, other) }
  }

  /// Exchanges two names; atomic.
  func exchange(_ one: String, _ other: String) throws(Trouble) {
    _ = try attempt(.exchange) { unsafe csystem_exchange(one, other) }
  }

  /// Brings the names in the directory `path` to the disk.
  func synchronize(directory path: String) throws(Trouble) {
    let descriptor = try attempt(.open) {
      unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    defer { close(descriptor) }
    do {
      try synchronize(descriptor)
    } catch {
      // Some network file systems keep names safe by themselves and know no such call.
      if error.code != EINVAL { throw error }
    }
  }
}

// MARK: - Locks

extension SystemWriting {
  /// Opens the lock file `path`, creating it when it is missing.
  func openLock(_ path: String) throws(Trouble) -> Int32 {
    try attempt(.open) {
      unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
    }
  }

  /// Locks the open file for this process alone; false when somebody else has it.
  func lock(_ descriptor: Int32) throws(Trouble) -> Bool {
    do {
      _ = try attempt(.lock) { flock(descriptor, LOCK_EX | LOCK_NB) }
      return true
    } catch {
      if error.code == EWOULDBLOCK { return false }
      throw error
    }
  }

  /// Puts `text` in the place of what the file holds.
  func replaceContent(of descriptor: Int32, with text: ByteView) throws(Trouble) {
    _ = try attempt(.write) { ftruncate(descriptor, 0) }
    try write(all: text, to: descriptor)
  }

  /// The beginning of a short file.
  func beginning(of descriptor: Int32, limit: Int) -> String {
    var buffer = ByteBuffer(capacity: limit)
    unsafe buffer.append(room: limit) { room in
      unsafe max(pread(descriptor, room.baseAddress, limit, 0), 0)
    }
    return buffer.view.text
  }
}
