import Dispatch
import Testing

@testable import Pipeline

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Work where threads are few or cannot be had.
@Suite struct ThreadPoolConcurrencyTests {
  /// A pool of `count` threads at most.
  private static func pool(of count: Int) -> ThreadPool {
    let left = Locked(count)
    return ThreadPool(
      system: System { call in
        guard call == .thread else { return nil }
        return left.withLock { left in
          left -= 1
          return left < 0 ? .error(EAGAIN) : nil
        }
      })
  }

  @Test func threadsAreUsedAgain() {
    let pool = Self.pool(of: 1)
    for _ in 0..<100 {
      let done = DispatchSemaphore(value: 0)
      // It may still be about to come back.
      while !pool.run({ done.signal() }) { sched_yield() }
      done.wait()
    }
  }

  @Test func withoutAThreadNothingIsBegun() {
    #expect(!Self.pool(of: 0).run { Issue.record("nobody can call this") })
  }

  @Test(arguments: [0, 1, 3])
  func aMapIsWorkedOutByWhoIsThere(threads: Int) {
    let results = Self.pool(of: threads).map(100) { $0 * $0 }
    #expect(results == (0..<100).map { $0 * $0 })
    #expect(Self.pool(of: threads).map(0) { $0 } == [])
  }

  @Test func fewerThreadsAreFewerCores() throws {
    #expect(try CoreBudget(cores: 4, threads: Self.pool(of: 3)).count == 3)
    #expect(try CoreBudget(cores: 2, threads: Self.pool(of: 3)).count == 2)
  }

  @Test func noThreadIsAFailure() {
    let failure = #expect(throws: Failure.self) {
      _ = try CoreBudget(cores: 4, threads: Self.pool(of: 0))
    }
    #expect(failure?.kind == .limit)
  }

  /// A core whose piece waits stays with it when there is no other thread.
  @Test(arguments: [1, 2])
  func waitingNeedsNoFurtherThread(threads: Int) throws {
    let budget = try CoreBudget(cores: 1, threads: Self.pool(of: threads))
    let group = DispatchGroup()
    let left = Locked(200)
    for _ in 0..<3 {
      group.enter()
      budget.run(.lane) {
        budget.whileWaiting { _ = sched_yield() }
        let goesOn = left.withLock { left in
          left -= 1
          return left > 0
        }
        if !goesOn { group.leave() }
        return goesOn
      }
    }
    group.wait()
    #expect(left.withLock { $0 } <= 0)
  }

  @Test func piecesWithoutAThreadAreDoneAtOnce() throws {
    let work = BackgroundWork(atMost: 2, cores: nil, threads: Self.pool(of: 0))
    let done = Locked(0)
    for _ in 0..<10 { try work.submit { done.withLock { $0 += 1 } } }
    #expect(done.withLock { $0 } == 10)
    work.wait()
  }

  /// Threads come back when a budget goes.
  @Test func budgetsShareThreads() throws {
    let pool = Self.pool(of: 2)
    for _ in 0..<50 { #expect(try CoreBudget(cores: 2, threads: pool).count == 2) }
  }

  /// A progress display keeps a thread only as long as the job can do without it.
  @Test func workThatCanEndGivesItsThreadToABudget() throws {
    let pool = Self.pool(of: 1)
    for _ in 0..<50 {
      let (stopped, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let body: @Sendable () -> Void = {
        stopped.wait()
        ended.signal()
      }
      while !pool.runUntilNeeded(body, stop: { stopped.signal() }) { sched_yield() }
      #expect(try CoreBudget(cores: 2, threads: pool).count == 1)
      ended.wait()
    }
  }

  @Test func workThatEndedByItselfGivesItsThreadBack() throws {
    let pool = Self.pool(of: 1)
    for _ in 0..<50 {
      while !pool.runUntilNeeded({}, stop: {}) { sched_yield() }
      #expect(try CoreBudget(cores: 1, threads: pool).count == 1)
    }
  }

  /// The threads of a budget come back a moment after its last work is done.
  @Test func aBudgetWaitsForAThreadThatIsComingBack() throws {
    let pool = Self.pool(of: 1)
    let goesOn = DispatchSemaphore(value: 0)
    #expect(pool.run { _ = goesOn.wait(timeout: .now() + .milliseconds(50)) })
    #expect(try CoreBudget(cores: 2, threads: pool).count == 1)
  }
}
