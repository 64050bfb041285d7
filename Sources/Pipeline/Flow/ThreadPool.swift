import Dispatch

/// Threads that do pieces of work, one after the other, and are kept for later ones.
///
/// Dispatch's own threads are not used: when it cannot have one, it waits for one, without end and
/// without a word. Here that is a failure, or less is done at a time. Any thread.
package final class ThreadPool: Sendable {
  /// The threads of this process.
  package static let shared = ThreadPool()

  /// Milliseconds that work waits for a thread it cannot do without.
  private static let patience = 500

  private struct Spare {
    let thread: WorkerThread
    let stop: @Sendable () -> Void
    /// Signalled when the work is done.
    let ended = DispatchSemaphore(value: 0)
  }

  private let idle = Locked<[WorkerThread]>([])
  /// Threads with work that ends when there is better use for its thread.
  private let spares = Locked<[Spare]>([])
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

  /// Calls `body` as ``run(_:)`` does. Calls `stop`, on any thread, when other work cannot begin
  /// without that thread: `body` should return soon then.
  package func runUntilNeeded(
    _ body: @escaping @Sendable () -> Void, stop: @escaping @Sendable () -> Void
  ) -> Bool {
    guard let thread = try? take() else { return false }
    let spare = Spare(thread: thread, stop: stop)
    spares.withLock { $0.append(spare) }
    thread.start {
      body()
      spare.ended.signal()
      let isOwn = self.spares.withLock { spares in
        let index = spares.firstIndex { $0.ended === spare.ended }
        if let index { spares.remove(at: index) }
        return index != nil
      }
      if isOwn { self.give(thread) }
    }
    return true
  }

  /// The results of `body` for 0 to `count - 1`, in order, by as many threads as can be had.
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

  /// A thread for work that fails without one: as ``take()``, but work that can end gives way, and
  /// threads that are about to come back are waited for.
  /// - Throws: why there is none to be had.
  func takeNeeded() throws(Failure) -> WorkerThread {
    let end = DispatchTime.now() + .milliseconds(Self.patience)
    while true {
      do throws(Failure) {
        return try take()
      } catch {
        if let spare = spares.withLock({ $0.popLast() }) {
          spare.stop()
          spare.ended.wait()
          return spare.thread
        }
        if DispatchTime.now() >= end { throw error }
      }
      _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(5))
    }
  }

  /// Takes a thread back that has done its work, or is about to have.
  func give(_ thread: WorkerThread) { idle.withLock { $0.append(thread) } }
}

final class WorkerThread: Sendable {
  private let body = Locked<(@Sendable () -> Void)?>(nil)
  private let hasBody = DispatchSemaphore(value: 0)

  /// Calls `body` on the thread when it is free. To be called by the thread's owner.
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
      let work = body.withLock { body in
        defer { body = nil }
        return body
      }
      work?()
    }
  }
}
