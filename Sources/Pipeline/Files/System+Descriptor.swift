#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// `read(2)` under a name that no method hides.
private func systemRead(
  _ number: Int32, _ base: UnsafeMutableRawPointer?, _ count: Int
) -> Int {
  unsafe read(number, base, count)
}

/// `pread(2)` under a name that no method hides.
private func systemReadAt(
  _ number: Int32, _ base: UnsafeMutableRawPointer?, _ count: Int, _ offset: Int
) -> Int {
  unsafe pread(number, base, count, off_t(offset))
}

/// An open file, pipe or socket. It is closed at the end of its life, and no child process inherits
/// it.
package struct Descriptor: ~Copyable {
  /// The number of the descriptor. Whoever takes it must not keep it longer than this value lives.
  let number: Int32
  private let system: System

  /// Descriptors that the program opens get numbers from here on; below are the standard ones.
  static let firstFree: Int32 = 3

  init(owning number: Int32, system: System = .real) {
    self.number = number
    self.system = system
  }

  // Nothing is written by one: that closing it fails changes nothing.
  deinit { try? system.closeFile(number) }

  /// Opens `path` for reading. A pipe is waited for until somebody opens it for writing.
  package init(
    reading path: String, doing: String, system: System = .real
  ) throws(Failure) {
    do {
      // No terminal becomes ours by being read.
      number = try system.attempt(.open) {
        unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
      }
      self.system = system
    } catch {
      throw error.failure(doing: doing, path: path)
    }
  }

  /// A descriptor of its own for standard input, so that closing it closes nothing else.
  /// - Throws: `usage`, when nothing can be read there: it is closed, open for writing only, or a
  ///   directory; `io`.
  package static func standardInput(
    doing: String, system: System = .real
  ) throws(Failure) -> Descriptor {
    let number: Int32
    do {
      number = try system.attempt(.duplicate) {
        fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, Descriptor.firstFree)
      }
    } catch {
      throw error.failure(doing: doing, path: InputFile.standardInputName)
    }
    let descriptor = Descriptor(owning: number, system: system)
    if let why = try descriptor.whyUnreadable(doing) {
      throw Failure(
        .usage, doing: doing, path: InputFile.standardInputName, why: why,
        advice: "give it something to read, as in eventmill … - < FILE, or name files")
    }
    return descriptor
  }

  /// Why nothing can be read from standard input, which this is; nil when it can.
  private func whyUnreadable(_ doing: String) throws(Failure) -> String? {
    do {
      if try status().kind == .directory { return "it is a directory" }
    } catch {
      throw error.failure(doing: doing, path: InputFile.standardInputName)
    }
    // The program itself puts a descriptor that can only be written in the place of a closed one.
    let isReadable = fcntl(number, F_GETFL) & O_ACCMODE != O_WRONLY
    return isReadable ? nil : "it is closed, or open for writing only"
  }

  /// What is open here.
  package func status() throws(SystemError) -> FileStatus {
    try system.status(of: number)
  }

  /// Reads up to `limit` bytes to the end of `buffer` and returns how many; 0 at the end of the
  /// file. Waits for the first byte, also when the descriptor is set not to block.
  package func read(_ limit: Int, into buffer: inout ByteBuffer) throws(SystemError) -> Int {
    precondition(limit > 0, "nothing can be read into no room")
    while true {
      do {
        let before = buffer.count
        try unsafe buffer.append(room: limit) { room throws(SystemError) in
          try system.transfer(.read, room.count) {
            unsafe systemRead(number, room.baseAddress, $0)
          }
        }
        return buffer.count - before
      } catch {
        guard error.code == EAGAIN || error.code == EWOULDBLOCK else { throw error }
        var interests = [Interest(number, .reading)]
        try system.wait(for: &interests)
      }
    }
  }

  /// Reads up to `limit` bytes from `offset` on to the end of `buffer` and returns how many; 0 behind
  /// the end of the file. The place that ``read(_:into:)`` goes on from stays where it is.
  func read(
    _ limit: Int, at offset: Int, into buffer: inout ByteBuffer
  ) throws(SystemError) -> Int {
    precondition(limit > 0 && offset >= 0, "nothing can be read into no room")
    let before = buffer.count
    try unsafe buffer.append(room: limit) { room throws(SystemError) in
      try system.transfer(.read, room.count) { count in
        unsafe systemReadAt(number, room.baseAddress, count, offset)
      }
    }
    return buffer.count - before
  }

  /// Sends what the socket takes of `bytes` without waiting and returns how many bytes that was;
  /// nil when the other end is closed. A closed end raises no signal.
  func offer(_ bytes: ByteView) throws(SystemError) -> Int? {
    do {
      return try unsafe bytes.withUnsafeBytes { bytes throws(SystemError) in
        try system.transfer(.send, bytes.count) {
          unsafe send(number, bytes.baseAddress, $0, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
      }
    } catch {
      switch error.code {
      case EAGAIN, EWOULDBLOCK: return 0
      case EPIPE, ECONNRESET: return nil
      default: throw error
      }
    }
  }
}
