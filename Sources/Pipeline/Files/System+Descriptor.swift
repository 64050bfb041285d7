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
  /// - Throws: `usage`, when it cannot be read: it is closed, open for writing only, or a
  ///   directory; `io`.
  package static func standardInput(
    doing: String, system: System = .real
  ) throws(Failure) -> Descriptor {
    let name = InputFile.standardInputName
    let descriptor = Descriptor(
      owning: try System.explained(doing, name, for: .reading, system.duplicate(STDIN_FILENO)),
      system: system)
    var why: String?
    if try System.explained(doing, name, for: .reading, descriptor.status()).kind == .directory {
      why = "it is a directory"
    } else if fcntl(descriptor.number, F_GETFL) & O_ACCMODE == O_WRONLY {
      // The program replaces a closed standard descriptor by one that can only be written.
      why = "it is closed, or open for writing only"
    }
    guard let why else { return descriptor }
    throw Failure(
      .usage, doing: doing, path: name, why: why,
      advice: "give it something to read, as in eventmill … - < FILE, or name files")
  }

  /// The status of the open file.
  package func status() throws(SystemError) -> FileStatus { try system.status(of: number) }

  /// Appends up to `limit` bytes to `buffer` and returns how many; 0 at the end of the file. Waits
  /// for the first byte, even if the descriptor is non-blocking.
  package func read(_ limit: Int, into buffer: inout ByteBuffer) throws(SystemError) -> Int {
    precondition(limit > 0, "a read needs a positive limit")
    while true {
      do {
        return try system.read(number, limit, into: &buffer)
      } catch {
        guard error.code == EAGAIN || error.code == EWOULDBLOCK else { throw error }
        var interests = [Interest(number, .reading)]
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
      case EAGAIN, EWOULDBLOCK: return 0
      case EPIPE, ECONNRESET: return nil
      default: throw error
      }
    }
  }
}

// MARK: - Syncing and locking

extension System {
  func synchronize(_ descriptor: Int32) throws(SystemError) {
    _ = try attempt(.synchronize) { fsync(descriptor) }
  }

  /// Lets the disk begin with what was written to `range`, so that ``synchronize(_:)`` waits less.
  func hasten(_ range: Range<Int>, of descriptor: Int32) {
    // It may be refused; then nothing is written earlier.
    _ = csystem_begin_writing(descriptor, Int64(range.lowerBound), Int64(range.count))
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
}
