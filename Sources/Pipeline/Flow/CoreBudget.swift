import Dispatch

/// The cores that a job may keep busy: `--jobs` of them, for any number of queues.
///
/// A piece of work is about the size of a block. It runs on the thread of the core that took it: a
/// core moves from piece to piece and from queue to queue without waking a thread.
/// ``CoreBudgetState`` decides which piece is next.
///
/// All threads are created before the work begins; with fewer threads there are fewer cores.
///
/// A piece that waits for something external declares it (``whileWaiting(_:)``); its core does
/// other work meanwhile. Any thread.
package final class CoreBudget: Sendable {
  /// Work that arrives in pieces: at most one of them has a core or waits for one.
  private struct Work {
    let priority: WorkPriority
    let step: Step
  }

  private enum Step {
    /// Returns whether another piece follows.
    case piece(@Sendable () -> Bool)
    /// A thread that has finished waiting and needs a core to continue.
    case resumption(DispatchSemaphore)
  }

  private struct State {
    var budget: CoreBudgetState<Work>
    var idle = WaitingTime()
    /// Nanoseconds that pieces spent in `whileWaiting`.
    var waited: UInt64 = 0
    /// Idle threads.
    var hosts: [WorkerThread] = []
    /// Number of threads: at least the cores plus the pieces that are away.
    var owned: Int
    /// Pieces that wait for something external while others use their cores.
    var away = 0

    /// Records how many cores are free from now on.
    mutating func noteFree() {
      idle.change(to: budget.free, now: DispatchTime.now().uptimeNanoseconds)
    }
  }

  private let state: Locked<State>
  private let threads: ThreadPool
  /// Number of cores.
  package let count: Int

  /// Creates a budget of `cores` free cores, or fewer if there are not enough threads.
  /// - Throws: `limit`, when no thread can be created.
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

  /// Nanoseconds without work since the budget was created, summed over the cores.
  package var idle: UInt64 {
    state.withLock { $0.idle.total(now: DispatchTime.now().uptimeNanoseconds) }
  }

  /// Nanoseconds in which pieces waited for something external, and then for a core.
  var waited: UInt64 { state.withLock { $0.waited } }

  var waitingCount: Int { state.withLock { $0.budget.waitingCount } }

  /// Calls `piece` as soon as a core is free, and again as long as it returns true; each call may
  /// be on another thread.
  func run(_ priority: WorkPriority, _ piece: @escaping @Sendable () -> Bool) {
    if let begun = request(Work(priority: priority, step: .piece(piece))) { start(begun) }
  }

  /// Calls `wait`, which waits for something external, while other work uses the core of the
  /// calling piece, if there is another thread for it. Returns when the piece has a core again.
  func whileWaiting<Result: ~Copyable, Failure: Error>(
    _ wait: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard leave() else { return try wait() }
    let start = DispatchTime.now().uptimeNanoseconds
    if let next = release() { self.start(next) }
    defer {
      // Only the reader waits, or the ordered end on which the reader depends.
      waitForCore(.reader)
      state.withLock { state in
        state.away -= 1
        state.waited += DispatchTime.now().uptimeNanoseconds - start
      }
    }
    return try wait()
  }

  /// Provides a thread for the core of a piece that is about to wait; false without one.
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

  /// Calls `body` on this thread, which has no core yet, as a piece that has one.
  package func withCore<Result: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    waitForCore(.finish)
    defer { if let next = release() { start(next) } }
    return try body()
  }

  /// Waits until this thread, which has no core, has one.
  private func waitForCore(_ priority: WorkPriority) {
    let isGranted = DispatchSemaphore(value: 0)
    let granted = request(Work(priority: priority, step: .resumption(isGranted)))
    if granted == nil { isGranted.wait() }
  }

  /// Gives a core to `work`, on a thread other than the calling one.
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

  /// Keeps the core of `host`, this thread, busy until there is no work or a waiting thread takes
  /// it.
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

  /// Takes back a core, and `host`, when there is no work for it.
  private func release(of host: WorkerThread? = nil) -> Work? {
    state.withLock { state in
      let next = state.budget.release()
      if next == nil, let host { state.hosts.append(host) }
      state.noteFree()
      return next
    }
  }
}
