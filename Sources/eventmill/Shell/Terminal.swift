import Pipeline

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// The C library's functions under names that no method hides.

private func systemWrite(_ number: Int32, _ base: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(number, base, count)
}

private func ignore(_ number: Int32) -> sighandler_t? { signal(number, SIG_IGN) }

private func systemExit(_ code: Int32) -> Never { exit(code) }

/// The kind of standard input, to decide whether it is to be read.
enum StandardInput: Sendable {
  /// A pipe, a socket or a file.
  case data
  case terminal
  /// `/dev/null`, another device, or nothing at all.
  case nothing
}

/// The calls of the C library for the command line: the standard streams, the environment, the
/// signals and the end of the process. The only file of this target that imports it.
enum Terminal {
  enum Stream: Int32 {
    case output = 1
    case errors = 2
  }

  /// The result of writing bytes.
  enum Outcome: Equatable {
    case written
    /// The reader has closed its end.
    case closed
    case failed(SystemError)
  }

  static var input: StandardInput {
    if isatty(0) == 1 { return .terminal }
    var status = stat()
    guard unsafe fstat(0, &status) == 0 else { return .nothing }
    switch status.st_mode & S_IFMT {
    case S_IFREG, S_IFIFO, S_IFSOCK: return .data
    // /dev/null, which also replaces a closed standard input.
    default: return .nothing
    }
  }

  /// Width in columns of a terminal that does not report it.
  private static let usualWidth = 80

  /// Makes a closed reader and an exceeded file size limit errors of `write`, not signals, and
  /// opens missing standard descriptors, so that no file of a run gets their numbers. None of those
  /// can be read: a closed standard input is not an empty one.
  static func prepare() {
    _ = ignore(SIGPIPE)
    _ = ignore(SIGXFSZ)
    for number in 0...2 where fcntl(Int32(number), F_GETFD) < 0 {
      // The lowest free number is that of the missing descriptor.
      _ = unsafe open("/dev/null", O_WRONLY)
    }
  }

  static func isTerminal(_ stream: Stream) -> Bool { isatty(stream.rawValue) == 1 }

  /// Columns of the terminal of `stream`.
  static func width(of stream: Stream) -> Int {
    var size = winsize()
    let result = unsafe ioctl(stream.rawValue, UInt(TIOCGWINSZ), &size)
    return result == 0 && size.ws_col > 0 ? Int(size.ws_col) : usualWidth
  }

  static func write(_ bytes: ByteView, to stream: Stream) -> Outcome {
    var rest = bytes
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { source in
        unsafe systemWrite(stream.rawValue, source.baseAddress, source.count)
      }
      if count >= 0 {
        rest = rest.dropFirst(count)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN: waitUntilWritable(stream)
      case EPIPE, ECONNRESET: return .closed
      default: return .failed(SystemError(code: errno))
      }
    }
    return .written
  }

  private static func waitUntilWritable(_ stream: Stream) {
    var interest = pollfd(fd: stream.rawValue, events: Int16(POLLOUT), revents: 0)
    _ = unsafe poll(&interest, 1, -1)
  }

  /// Blocks the signals that end the program for ``nextSignal(within:)``, except ignored ones. Must
  /// be called before there are other threads.
  static func holdSignals() { mask(SIG_BLOCK) }

  /// Restores the default handling of the signals.
  static func releaseSignals() { mask(SIG_UNBLOCK) }

  private static func mask(_ how: Int32) {
    var signals = endingSignals
    _ = unsafe pthread_sigmask(how, &signals, nil)
  }

  /// Waits for a signal that ends the program; nil after that many milliseconds without one.
  static func nextSignal(within milliseconds: Int? = nil) -> EndingSignal? {
    var held = endingSignals
    var timeout = timespec()
    if let milliseconds {
      timeout.tv_sec = milliseconds / 1000
      timeout.tv_nsec = milliseconds % 1000 * 1_000_000
    }
    while true {
      let number =
        unsafe milliseconds == nil
        ? sigwaitinfo(&held, nil) : sigtimedwait(&held, nil, &timeout)
      if let signal = EndingSignal(rawValue: number) { return signal }
      if errno == EAGAIN { return nil }
    }
  }

  /// The signals that end the program, without ignored ones.
  private static var endingSignals: sigset_t {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    for signal in EndingSignal.allCases {
      var present = sigaction()
      _ = unsafe sigaction(signal.rawValue, nil, &present)
      let handler = unsafe present.__sigaction_handler.sa_handler
      if unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
        continue
      }
      unsafe sigaddset(&signals, signal.rawValue)
    }
    return signals
  }

  static func exit(_ code: ExitCode) -> Never { systemExit(code.rawValue) }

  /// Ends the process immediately, whatever its threads are doing.
  static func exitNow(_ code: ExitCode) -> Never { _exit(code.rawValue) }
}
