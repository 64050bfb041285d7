import Dispatch
import Pipeline

/// A signal that asks the program to end.
enum EndingSignal: Int32, CaseIterable, Sendable {
  /// SIGHUP: the terminal was closed.
  case hangup = 1
  /// SIGINT: Ctrl-C.
  case interrupt = 2
  /// SIGTERM: `kill`, a service manager, a shutdown.
  case terminate = 15

  /// The name people know.
  var name: String {
    switch self {
    case .hangup: "SIGHUP"
    case .interrupt: "SIGINT"
    case .terminate: "SIGTERM"
    }
  }

  /// What the program ends with.
  var exitCode: ExitCode {
    switch self {
    case .hangup: .hungUp
    case .interrupt: .interrupted
    case .terminate: .terminated
    }
  }
}

/// Turns SIGHUP, SIGINT and SIGTERM into an orderly end.
///
/// The first signal cancels what runs, once; a second Ctrl-C ends the process at once. As long as
/// there is nothing that can be cancelled, signals do what they do to any process, and watching them
/// costs a short command nothing. A second SIGTERM changes nothing, because `timeout` and service
/// managers send it to the process and to its group.
final class Signals: Sendable {
  private struct State {
    var received: EndingSignal?
    var cancel: (@Sendable (Failure) -> Void)?
  }

  private let state = Locked(State())
  /// Empty until there is something to cancel.
  private let sources = Locked<[any DispatchSourceSignal]>([])

  /// Watches nothing yet.
  init() {}

  /// The first signal that was received.
  var received: EndingSignal? { state.withLock { $0.received } }

  /// Has `cancel` called with the reason when the first signal arrives, or now, if one has. On any
  /// thread; once.
  func onSignal(_ cancel: @escaping @Sendable (Failure) -> Void) {
    let earlier = state.withLock { state in
      state.cancel = cancel
      return state.received
    }
    if let earlier { cancel(Signals.failure(earlier)) }
    watch()
  }

  private func watch() {
    sources.withLock { sources in
      guard sources.isEmpty else { return }
      let queue = DispatchQueue(label: "eventmill.signals")
      for signal in EndingSignal.allCases where Terminal.takeOver(signal) {
        let source = DispatchSource.makeSignalSource(signal: signal.rawValue, queue: queue)
        source.setEventHandler { [weak self] in self?.receive(signal) }
        source.activate()
        sources.append(source)
      }
    }
  }

  private func receive(_ signal: EndingSignal) {
    let (isFirst, cancel) = state.withLock { state in
      let isFirst = state.received == nil
      if isFirst { state.received = signal }
      return (isFirst, state.cancel)
    }
    if !isFirst, signal == .terminate { return }
    guard isFirst, let cancel else { Terminal.exitNow(signal.exitCode) }
    cancel(Signals.failure(signal))
  }

  private static func failure(_ signal: EndingSignal) -> Failure {
    Failure(
      .interrupted, doing: "running", why: "\(signal.name) was received",
      advice: "nothing was published")
  }
}
