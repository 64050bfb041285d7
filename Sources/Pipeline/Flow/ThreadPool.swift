import Dispatch

/// Threads that run pieces of work one after the other and are reused.
///
/// Dispatch's own threads are not used: when it cannot create one, it waits indefinitely and
/// silently. Here that is a failure, or less is done concurrently. Any thread.
package final class ThreadPool: Sendable {
  /// The pool of this process.
  package static let shared = ThreadPool()

  /// Milliseconds for which work waits for a thread it needs.
  private static let patience = 500

  private struct Spare {
    let thread: WorkerThread
    let stop: @Sendable () -> Void
    /// Signalled when the work has ended.
    let ended = DispatchSemaphore(value: 0)
  }

  private let idle = Locked<[WorkerThread]>([])
  /// Threads with work that ends when other work needs its thread.
  private let spares = Locked<[Spare]>([])
  private let system: System

  /// Creates an empty pool.
  package init(system: System = .real) { self.system = system }

  /// Calls `body` on an idle thread; false when none is available.
  package func run(_ body: @escaping @Sendable () -> Void) -> Bool {
    guard let thread = try? take() else { return false }
    thread.start {
      body()
      self.give(thread)
    }
    return true
  }

  /// Calls `body` as ``run(_:)`` does. Calls `stop`, on any thread, when other work cannot begin
  /// without that thread; then `body` should return soon.
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

  /// The results of `body` for 0 to `count - 1`, in order, computed by as many threads as are
  /// available.
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

  /// Returns a thread that the caller owns until it gives it back.
  /// - Throws: why none is available.
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

  /// Like ``take()``, for work that fails without a thread: work that can end makes way, and
  /// threads that are about to come back are awaited.
  /// - Throws: why none is available.
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

  /// Takes back a thread that has done its work, or is about to.
  func give(_ thread: WorkerThread) { idle.withLock { $0.append(thread) } }
}

final class WorkerThread: Sendable {
  private let body = Locked<(@Sendable () -> Void)?>(nil)
  private let hasBody = DispatchSemaphore(value: 0)

  /// Calls `body` on the thread when it is free. Must be called by the thread's owner.
  func start(_ body: @escaping @Sendable () -> Void) {
    self.body.withLock { present in
      precondition(present == nil, "a thread does one thing at a time")
      present = body
    }
    hasBody.signal()
  }

  /// The loop of the thread, which runs until the process ends.
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
