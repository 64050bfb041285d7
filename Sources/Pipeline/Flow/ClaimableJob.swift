import Dispatch

/// Work that can be done once its input is there.
protocol ClaimableWork: ~Copyable {
  mutating func run()
}

/// Work that is done once, by whoever comes first: another core, or the one who needs the result.
///
/// Filled and read by one thread at a time; ``run()`` is for any thread.
final class ClaimableJob<Work: ClaimableWork & ~Copyable>: @unchecked Sendable {
  // @unchecked because `state` says whose `work` is: of the one who fills and reads it, or, while
  // it is `running`, of the one who runs it.
  private enum State {
    case filling, waiting, running, done
  }

  /// The input of the work, and its result.
  var work: Work
  private let state = Locked(State.filling)
  private let isDone = DispatchSemaphore(value: 0)

  init(_ work: consuming Work) { self.work = work }

  /// Takes the work back to be filled again; a stale request to run does nothing until ``offer()``.
  func reclaim() { state.withLock { $0 = .filling } }

  /// Says that the input is there.
  func offer() { state.withLock { $0 = .waiting } }

  var isFinished: Bool { state.withLock { $0 == .done } }

  /// Does the work, unless there is no input yet or somebody has begun.
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

  /// Waits until the work, which was offered, is done, or does it; `cores` has other work
  /// meanwhile. To be called once for each ``offer()``.
  func finish(giving cores: CoreBudget?) {
    run()
    isDone.wait(giving: cores)
  }
}

extension DispatchSemaphore {
  /// Waits; `cores` has other work meanwhile.
  func wait(giving cores: CoreBudget?) {
    if wait(timeout: .now()) == .success { return }
    if let cores { cores.whileWaiting { wait() } } else { wait() }
  }
}
