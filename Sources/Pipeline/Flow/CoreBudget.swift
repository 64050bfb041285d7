import Dispatch

/// The cores that a job may keep busy: `--jobs` of them, whatever the number of its queues.
///
/// Work comes in pieces the size of a block. A piece runs on the thread of the core that took it: a
/// core goes from piece to piece, and from queue to queue, without a thread being woken. Which
/// piece is next is ``CoreBudgetState``'s matter.
///
/// The threads are there before the work begins; with fewer of them there are fewer cores.
///
/// A piece that has to wait for the world outside says so (``whileWaiting(_:)``); its core goes on
/// with other work meanwhile. For any thread.
package final class CoreBudget: Sendable {
  /// Work that comes piece by piece: one piece of it at a time has a core, or waits for one.
  private struct Work {
    let priority: WorkPriority
    let step: Step
  }

  private enum Step {
    /// Tells whether another piece follows.
    case piece(@Sendable () -> Bool)
    /// A thread that waited for something and goes on now.
    case resumption(DispatchSemaphore)
  }

  private struct State {
    var budget: CoreBudgetState<Work>
    var idle = WaitingTime()
    /// Nanoseconds that pieces spent in `whileWaiting`.
    var waited: UInt64 = 0
    /// Threads that have nothing to do.
    var hosts: [WorkerThread] = []
    /// Number of threads: never fewer than cores and pieces that are away.
    var owned: Int
    /// Pieces that wait for the outside while others have their cores.
    var away = 0

    /// Notes how many cores are free from now on.
    mutating func noteFree() {
      idle.change(to: budget.free, now: DispatchTime.now().uptimeNanoseconds)
    }
  }

  private let state: Locked<State>
  private let threads: ThreadPool
  /// How many cores there are.
  package let count: Int

  /// A budget of `cores` cores, all of them free; of fewer, when there are not so many threads.
  /// - Throws: `limit`, when there is not even one.
  package init(cores: Int, threads: ThreadPool = .shared) throws(Failure) {
    var hosts = [try threads.takeNeeded()]
    while hosts.count < cores, let thread = try? threads.take() { hosts.append(thread) }
    count = hosts.count
    self.threads = threads
    var state = State(budget: CoreBudgetState(cores: hosts.count), hosts: hosts, owned: hosts.count)
    state.idle.change(to: hosts.count, now: DispatchTime.now().uptimeNanoseconds)
    self.state = Locked(state)
  }

  deinit { state.withLock { $0.hosts.forEach(threads.give) } }

  /// Nanoseconds for which cores had no work since the budget was made, summed over the cores.
  package var idle: UInt64 {
    state.withLock { $0.idle.total(now: DispatchTime.now().uptimeNanoseconds) }
  }

  /// Nanoseconds for which pieces waited for the outside, and then for a core again.
  var waited: UInt64 { state.withLock { $0.waited } }

  var waitingCount: Int { state.withLock { $0.budget.waitingCount } }

  /// Calls `piece` as soon as there is a core for it, and again as long as it returns true; each
  /// time when it has returned, perhaps on another thread.
  func run(_ priority: WorkPriority, _ piece: @escaping @Sendable () -> Bool) {
    if let begun = request(Work(priority: priority, step: .piece(piece))) { start(begun) }
  }

  /// Calls `wait`, which waits for something outside, while other work has the core of the calling
  /// piece, if there is another thread for it. Returns when there is a core for the piece again.
  func whileWaiting<Result: ~Copyable, Failure: Error>(
    _ wait: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard leave() else { return try wait() }
    let start = DispatchTime.now().uptimeNanoseconds
    if let next = release() { self.start(next) }
    defer {
      // The reader waits, or the end, on which the reader depends.
      waitForCore(.reader)
      state.withLock { state in
        state.away -= 1
        state.waited += DispatchTime.now().uptimeNanoseconds - start
      }
    }
    return try wait()
  }

  /// Provides a thread for the core of a piece that is going to wait; false without one.
  private func leave() -> Bool {
    let isEnough = state.withLock { state in
      state.away += 1
      return state.owned >= count + state.away
    }
    if isEnough { return true }
    let thread = try? threads.take()
    state.withLock { state in
      if let thread {
        state.hosts.append(thread)
        state.owned += 1
      } else {
        state.away -= 1
      }
    }
    return thread != nil
  }

  /// Calls `body` on this thread, which has no core yet, as a piece of work that has one.
  package func withCore<Result: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    waitForCore(.finish)
    defer { if let next = release() { start(next) } }
    return try body()
  }

  /// Returns when this thread, which has no core, has one.
  private func waitForCore(_ priority: WorkPriority) {
    let isGranted = DispatchSemaphore(value: 0)
    let granted = request(Work(priority: priority, step: .resumption(isGranted)))
    if granted == nil { isGranted.wait() }
  }

  /// Gives a core to `work`, on another thread than the calling one.
  private func start(_ work: Work) {
    switch work.step {
    case .resumption(let isGranted): isGranted.signal()
    case .piece:
      guard let host = state.withLock({ $0.hosts.popLast() }) else {
        preconditionFailure("there are fewer threads than cores")
      }
      host.start { self.workOff(work, on: host) }
    }
  }

  /// Keeps the core of `host`, this thread, busy until there is no work or a waiter takes it.
  private func workOff(_ first: Work, on host: WorkerThread) {
    var next: Work? = first
    while let work = next {
      switch work.step {
      case .piece(let piece):
        next = piece() ? yield(work) : release(of: host)
      case .resumption(let isGranted):
        state.withLock { $0.hosts.append(host) }
        isGranted.signal()
        return
      }
    }
  }

  private func request(_ work: Work) -> Work? {
    state.withLock { state in
      let begun = state.budget.request(work, work.priority)
      state.noteFree()
      return begun
    }
  }

  private func yield(_ work: Work) -> Work {
    state.withLock { $0.budget.yield(work, work.priority) }
  }

  /// Takes a core back, and `host`, when there is no work for it.
  private func release(of host: WorkerThread? = nil) -> Work? {
    state.withLock { state in
      let next = state.budget.release()
      if next == nil, let host { state.hosts.append(host) }
      state.noteFree()
      return next
    }
  }
}
