import Pipeline

/// How the program ends. Scripts depend on these numbers; unknown ones mean failure.
enum ExitCode: Int32, Sendable {
  /// Done. Rejected lines, if any, are in the rejects file and named in the summary.
  case done = 0
  /// Failed: I/O, disk full, ledger mismatch, a bug; nothing was published.
  case failed = 1
  /// Wrong usage.
  case usage = 2
  /// Done, but `--max-rejects` was exceeded; only the rejects file and the report were written.
  case rejects = 3
  /// Corrupt or truncated input; with `--keep-going`, everything readable was published.
  case corrupt = 4
  /// Another run holds the output's lock.
  case locked = 5
  /// Ended by SIGHUP; nothing was published.
  case hungUp = 129
  /// Ended by SIGINT; nothing was published.
  case interrupted = 130
  /// Ended by SIGTERM; nothing was published.
  case terminated = 143

  /// The exit code of `kind`, when `signal` is the signal that was received, if any.
  init(_ kind: Failure.Kind, signal: EndingSignal?) {
    self =
      switch kind {
      case .usage: .usage
      case .io, .limit, .defect: .failed
      case .corrupt: .corrupt
      case .locked: .locked
      case .rejects: .rejects
      case .interrupted: signal?.exitCode ?? .interrupted
      }
  }

  /// The exit code of a job that is done but for inputs that could not be read to their end.
  init(lost: [Failure]) { self = lost.isEmpty ? .done : .corrupt }
}
