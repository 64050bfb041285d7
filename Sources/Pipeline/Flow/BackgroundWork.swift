import Dispatch

/// Runs work that mostly waits for a disk beside the cores: a few tasks at a time, in any order.
///
/// Bounded: when the limit is reached, ``submit(_:)`` waits for a task to end. Only one thread may
/// submit. With `cores`, the tasks use cores of that budget.
package final class BackgroundWork: Sendable {
  private let cores: CoreBudget?
  private let free: DispatchSemaphore
  private let underWay = DispatchGroup()
  private let threads: ThreadPool
  private let state = Locked(State())

  private struct State {
    var submitted = 0
    var failure: (number: Int, Failure)?
  }

  /// Creates a runner for at most `most` concurrent tasks.
  package init(atMost most: Int, cores: CoreBudget?, threads: ThreadPool = .shared) {
    precondition(most > 0, "work needs room for one piece")
    self.cores = cores
    free = DispatchSemaphore(value: most)
    self.threads = threads
  }

  /// Submits a task. Without a free thread it runs immediately on the caller.
  /// - Throws: the failure of an earlier task; then this one does not run.
  package func submit(_ piece: @escaping @Sendable () throws(Failure) -> Void) throws(Failure) {
    try check()
    free.wait(giving: cores)
    let number = state.withLock { state in
      state.submitted += 1
      return state.submitted
    }
    underWay.enter()
    let work: @Sendable () -> Void = { [self] in
      do throws(Failure) { try piece() } catch { record(error, of: number) }
      free.signal()
      underWay.leave()
    }
    if !threads.run(work) { work() }
  }

  /// Waits until no task is running.
  package func wait() { underWay.wait() }

  /// - Throws: the failure of the task that was submitted first among those that failed.
  package func check() throws(Failure) {
    if let (_, failure) = state.withLock({ $0.failure }) { throw failure }
  }

  private func record(_ failure: Failure, of number: Int) {
    state.withLock { state in
      if let known = state.failure, known.number < number { return }
      state.failure = (number, failure)
    }
  }
}
