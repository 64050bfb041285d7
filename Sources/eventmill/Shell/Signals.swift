import Jobs
import Pipeline

/// A signal that asks the program to end.
enum EndingSignal: Int32, CaseIterable, Sendable {
  /// The terminal was closed.
  case hangup = 1
  /// Ctrl-C.
  case interrupt = 2
  /// `kill`, a service manager, a shutdown.
  case terminate = 15

  var name: String {
    switch self {
    case .hangup: "SIGHUP"
    case .interrupt: "SIGINT"
    case .terminate: "SIGTERM"
    }
  }

  /// As shells report it: 128 and its number.
  var exitCode: ExitCode { ExitCode(rawValue: 128 + rawValue) ?? .interrupted }
}

/// Turns SIGHUP, SIGINT and SIGTERM into an orderly end.
///
/// The program's first thread only waits for them, so that they are handled whatever the others do.
/// It also ends the program when Dispatch gets no threads (``ThreadSupply``), and removes what a
/// job has written when memory runs out.
/// The first signal cancels the job, once; a job that does not end soon is abandoned. A second
/// Ctrl-C ends the process immediately, and so does any signal without a job. A second SIGTERM
/// changes nothing, because `timeout` and service managers send it to the process and to its group.
final class Signals: Sendable {
  /// Milliseconds in which a job must end by itself after a signal.
  private static let patience = 700

  struct Job: Sendable {
    let cancel: @Sendable (Failure) -> Void
    /// Removes what it has written; false when it is publishing or has published.
    var abandon: @Sendable (ExitCode) -> Bool = { _ in true }
  }

  private struct State {
    var received: EndingSignal?
    var job: Job?
    /// The line that reports a failure of the job.
    var words: (@Sendable (Failure, ExitCode) -> String)?
    /// The exit code of the program, because a job has published.
    var code: ExitCode?
  }

  private let state = Locked(State())

  var received: EndingSignal? { state.withLock { $0.received } }

  func begin(_ job: Job, words: @escaping @Sendable (Failure, ExitCode) -> String) {
    state.withLock { ($0.job, $0.words) = (job, words) }
  }

  /// Marks the job as ended; `code` is the exit code of the program if it is stopped now.
  func end(with code: ExitCode?) { state.withLock { ($0.job, $0.code) = (nil, code) } }

  func watch() -> Never {
    // From now on it is waited for (``System/isWithoutMemory``).
    _ = System.isWithoutMemory
    while true {
      if let signal = Terminal.nextSignal(within: ThreadSupply.tickInterval) {
        receive(signal)
      } else if System.isWithoutMemory {
        _ = state.withLock { $0.job }?.abandon(.failed)
        System.exitWithoutMemory()
      } else if let failure = ThreadSupply.shared.tick() {
        give(up: failure)
      }
    }
  }

  /// Ends the process because of `failure`, unless the job is publishing or has published.
  private func give(up failure: Failure) {
    let (job, words) = state.withLock { ($0.job, $0.words) }
    guard let job, job.abandon(.failed) else { return }
    // Not through the status line, which a thread may have locked.
    Console.writeError(words?(failure, .failed) ?? "")
    Terminal.exitNow(.failed)
  }

  private func receive(_ signal: EndingSignal) {
    let (isFirst, job, code) = state.withLock { state in
      defer { state.received = state.received ?? signal }
      return (state.received == nil, state.job, state.code)
    }
    if !isFirst, signal == .terminate, job != nil { return }
    guard isFirst, let job else { Terminal.exitNow(code ?? signal.exitCode) }
    job.cancel(
      Failure(
        .interrupted, doing: "running", why: "\(signal.name) was received",
        advice: "nothing was published"))
    let end = StopWatch()
    while true {
      let left = Signals.patience - Int(end.seconds * 1000)
      guard left > 0, let next = Terminal.nextSignal(within: left) else { break }
      if next != .terminate { Terminal.exitNow(signal.exitCode) }
    }
    if job.abandon(signal.exitCode) { Terminal.exitNow(signal.exitCode) }
  }
}
