import Dispatch

/// Threads that do pieces of work, one after the other, and are kept for later ones.
///
/// Dispatch's own threads are not used: when it cannot have one, it waits for one, without end and
/// without a word. Here that is a failure, or less is done at a time. Any thread.
package final class ThreadPool: Sendable {
  /// The threads of this process.
  package static let shared = ThreadPool()

  private let idle = Locked<[WorkerThread]>([])
  private let system: System

  /// A pool without threads.
  package init(system: System = .real) { self.system = system }

  /// Calls `body` on a thread that has nothing to do; false when there is none to be had.
  package func run(_ body: @escaping @Sendable () -> Void) -> Bool {
    guard let thread = try? take() else { return false }
    thread.start {
      body()
      self.give(thread)
    }
    return true
  }

  /// The results of `body` for 0 to `count - 1`, in order, worked out on this thread and as many
  /// others as there is use for and can be had.
  package func map<Result: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) -> Result
  ) -> [Result] {
    let state = Locked((next: 0, results: [Result?](repeating: nil, count: count)))
    let work: @Sendable () -> Void = {
      while true {
        let index = state.withLock { state in
          defer { state.next += 1 }
          return state.next
        }
        if index >= count { return }
        let result = body(index)
        state.withLock { $0.results[index] = result }
      }
    }
    let others = DispatchGroup()
    for _ in 1..<max(1, count) {
      others.enter()
      let isBegun = run {
        work()
        others.leave()
      }
      if !isBegun {
        others.leave()
        break
      }
    }
    work()
    others.wait()
    return state.withLock { $0.results.compactMap(\.self) }
  }

  /// A thread of the caller's own, until it is given back.
  /// - Throws: why there is none to be had.
  func take() throws(Failure) -> WorkerThread {
    if let thread = idle.withLock({ $0.popLast() }) { return thread }
    let thread = WorkerThread()
    do throws(SystemError) {
      try system.startThread { thread.live() }
    } catch {
      throw Failure(
        .limit, doing: "starting a thread", why: error.words,
        advice: "raise the limit of processes (ulimit -u, or TasksMax of a service) or that of "
          + "memory (ulimit -v), and run again")
    }
    return thread
  }

  /// Takes a thread back that has done its work, or is about to have.
  func give(_ thread: WorkerThread) { idle.withLock { $0.append(thread) } }
}

/// A thread that waits for work.
final class WorkerThread: Sendable {
  private let body = Locked<(@Sendable () -> Void)?>(nil)
  private let hasBody = DispatchSemaphore(value: 0)

  /// Calls `body` on the thread, when it has ended what it does. To be called by the thread's owner.
  func start(_ body: @escaping @Sendable () -> Void) {
    self.body.withLock { present in
      precondition(present == nil, "a thread does one thing at a time")
      present = body
    }
    hasBody.signal()
  }

  /// What the thread does for as long as the process lives.
  fileprivate func live() {
    while true {
      hasBody.wait()
      takeBody()?()
    }
  }

  private func takeBody() -> (@Sendable () -> Void)? {
    body.withLock { body in
      defer { body = nil }
      return body
    }
  }
}
