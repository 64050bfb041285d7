import Pipeline

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// A function of the C library under a name that no method hides.
private func systemExit(_ code: Int32) -> Never { exit(code) }

/// The kind of standard input, to decide whether it is to be read.
enum StandardInput: Sendable {
  /// A pipe, a socket or a file.
  case data
  case terminal
  /// `/dev/null`, another device, or nothing at all.
  case nothing
}

/// The calls of the C library for the command line. The only file here that imports it.
enum Terminal {
  enum Stream: Int32 {
    case output = 1
    case errors = 2
  }

  enum Outcome: Equatable {
    case written
    case closed
    case failed(SystemError)
  }

  static var input: StandardInput {
    if isatty(0) == 1 { return .terminal }
    switch try? System.real.status(of: 0).kind {
    case .regular, .stream: return .data
    // /dev/null, which also replaces a closed standard input.
    default: return .nothing
    }
  }

  private static let usualWidth = 80

  /// Makes a closed reader and an exceeded file size limit errors of `write`, not signals, and
  /// opens missing standard descriptors.
  static func prepare() {
    _ = signal(SIGPIPE, SIG_IGN)
    _ = signal(SIGXFSZ, SIG_IGN)
    System.openStandardDescriptors()
  }

  static func isTerminal(_ stream: Stream) -> Bool { isatty(stream.rawValue) == 1 }

  static func width(of stream: Stream) -> Int { System.columns(of: stream.rawValue) ?? usualWidth }

  static func write(_ bytes: ByteView, to stream: Stream) -> Outcome {
    do {
      try System.real.write(all: bytes, to: stream.rawValue)
      return .written
    } catch { return error.code == EPIPE || error.code == ECONNRESET ? .closed : .failed(error) }
  }

  private static let endingSignals = EndingSignal.allCases.map(\.rawValue)

  /// Blocks these signals, except ignored ones. Must be called before there are other threads.
  static func holdSignals() { System.block(endingSignals, true) }

  static func releaseSignals() { System.block(endingSignals, false) }

  /// Waits for a signal that ends the program; nil after that many milliseconds without one.
  static func nextSignal(within milliseconds: Int? = nil) -> EndingSignal? {
    System.nextSignal(of: endingSignals, within: milliseconds).flatMap(EndingSignal.init)
  }

  static func exit(_ code: ExitCode) -> Never { systemExit(code.rawValue) }

  /// Ends the process immediately, whatever its threads are doing.
  static func exitNow(_ code: ExitCode) -> Never { _exit(code.rawValue) }
}
