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

/// An open file, pipe or socket. It is closed at the end of its life, and no child process inherits
/// it.
package struct Descriptor: ~Copyable {
  /// The number of the descriptor. Whoever takes it must not keep it longer than this value lives.
  let number: Int32

  /// Descriptors that the program opens get numbers from here on; below are the standard ones.
  static let firstFree: Int32 = 3

  init(owning number: Int32) { self.number = number }

  deinit { _ = close(number) }

  /// Opens `path` for reading. A pipe is waited for until somebody opens it for writing.
  package init(reading path: String, doing: String) throws(Failure) {
    do {
      // No terminal becomes ours by being read.
      number = try System.call { unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) }
    } catch {
      throw error.failure(doing: doing, path: path)
    }
  }

  /// A descriptor of its own for standard input, so that closing it closes nothing else.
  package static func standardInput(doing: String) throws(Failure) -> Descriptor {
    do {
      return Descriptor(
        owning: try System.call {
          fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, Descriptor.firstFree)
        })
    } catch {
      throw error.failure(doing: doing, path: InputFile.standardInputName)
    }
  }

  /// What is open here.
  package func status() throws(SystemError) -> FileStatus {
    var raw = stat()
    _ = try System.call { unsafe fstat(number, &raw) }
    return FileStatus(raw)
  }

  /// Reads up to `limit` bytes to the end of `buffer` and returns how many; 0 at the end of the
  /// file. Waits for the first byte, also when the descriptor is set not to block.
  package func read(_ limit: Int, into buffer: inout ByteBuffer) throws(SystemError) -> Int {
    precondition(limit > 0, "nothing can be read into no room")
    while true {
      do {
        let before = buffer.count
        try unsafe buffer.append(room: limit) { room throws(SystemError) in
          try System.call { unsafe systemRead(number, room.baseAddress, room.count) }
        }
        return buffer.count - before
      } catch {
        guard error.code == EAGAIN || error.code == EWOULDBLOCK else { throw error }
        var interests = [Interest(number, .reading)]
        try System.wait(for: &interests)
      }
    }
  }

  /// Sends what the socket takes of `bytes` without waiting and returns how many bytes that was;
  /// nil when the other end is closed. A closed end raises no signal.
  func offer(_ bytes: ByteView) throws(SystemError) -> Int? {
    do {
      return try unsafe bytes.withUnsafeBytes { bytes throws(SystemError) in
        try System.call {
          unsafe send(
            number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
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
