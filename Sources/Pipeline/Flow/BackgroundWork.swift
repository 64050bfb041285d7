import Dispatch

/// Work that mostly waits for a disk: done beside the cores, a few pieces at a time, in any order.
///
/// Bounded: who submits a piece while as many are under way as may be waits for one of them. One
/// thread at a time submits; with `cores`, pieces of work of that budget.
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

  /// Work of which at most `most` pieces are under way.
  package init(atMost most: Int, cores: CoreBudget?, threads: ThreadPool = .shared) {
    precondition(most > 0, "work needs room for one piece")
    self.cores = cores
    free = DispatchSemaphore(value: most)
    self.threads = threads
  }

  /// Adds a piece; it is done at once when there is no thread for it.
  /// - Throws: why an earlier piece failed; then this one is not done.
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

  /// Returns when nothing is under way any more.
  package func wait() { underWay.wait() }

  /// - Throws: why a piece failed; of several the one that was submitted first.
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
