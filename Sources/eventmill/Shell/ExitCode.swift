import Pipeline

/// The exit codes. Scripts depend on these numbers; unknown ones mean failure.
enum ExitCode: Int32, CaseIterable, Sendable {
  case done = 0
  case failed = 1
  case usage = 2
  case rejects = 3
  case corrupt = 4
  case locked = 5
  case different = 6
  case hungUp = 129
  case interrupted = 130
  case terminated = 143

  /// The exit code for `kind`; `signal` is the signal that was received, if any.
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

  var meaning: String {
    switch self {
    case .done: "Done. There may be rejected lines; the summary says how many."
    case .failed:
      "Failed: a file cannot be read or written, the disk is full; nothing was published. verify: the output has problems."
    case .usage: "Wrong usage."
    case .rejects: "--max-rejects was exceeded; only the rejects and the report were written."
    case .corrupt:
      "An input is damaged; nothing was published or, with --keep-going, what could be read."
    case .locked: "Another run holds the output."
    case .different:
      "diff and tracking diff: there are differences. tracking check: there are findings that --fail-on names. verify --requests: an id of a request is left in an intact output."
    case .hungUp: "Ended by SIGHUP; nothing more was published."
    case .interrupted: "Ended by SIGINT; nothing more was published."
    case .terminated: "Ended by SIGTERM; nothing more was published."
    }
  }

  /// The exit code of a successful job, considering inputs that could not be read to their end.
  init(lost: [Failure]) { self = lost.isEmpty ? .done : .corrupt }
}
