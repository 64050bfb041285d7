import Dispatch

/// Work that can run once its input is set.
protocol ClaimableWork: ~Copyable {
  mutating func run()
}

/// Work that runs once, on the first thread that claims it: another core, or the one that needs the
/// result.
///
/// Filled and read by one thread at a time; ``run()`` may be called from any thread.
final class ClaimableJob<Work: ClaimableWork & ~Copyable>: @unchecked Sendable {
  // @unchecked because `state` decides who owns `work`: the thread that fills and reads it or,
  // while it is `running`, the thread that runs it.
  private enum State {
    case filling, waiting, running, done
  }

  /// The input of the work, and its result.
  var work: Work
  private let state = Locked(State.filling)
  private let isDone = DispatchSemaphore(value: 0)

  init(_ work: consuming Work) { self.work = work }

  /// Reclaims the work to be filled again. A stale run request is a no-op until ``offer()``.
  func reclaim() { state.withLock { $0 = .filling } }

  /// Marks the input as set.
  func offer() { state.withLock { $0 = .waiting } }

  var isFinished: Bool { state.withLock { $0 == .done } }

  /// Runs the work, unless its input is not set or another thread has claimed it.
  func run() {
    let isMine = state.withLock { state in
      defer { if state == .waiting { state = .running } }
      return state == .waiting
    }
    guard isMine else { return }
    work.run()
    state.withLock { $0 = .done }
    isDone.signal()
  }

  /// Runs the offered work, or waits for the thread that does; `cores` does other work meanwhile.
  /// Must be called once for each ``offer()``.
  func finish(giving cores: CoreBudget?) {
    run()
    isDone.wait(giving: cores)
  }
}

extension DispatchSemaphore {
  /// Waits; `cores` does other work meanwhile.
  func wait(giving cores: CoreBudget?) {
    if wait(timeout: .now()) == .success { return }
    if let cores { cores.whileWaiting { wait() } } else { wait() }
  }
}
