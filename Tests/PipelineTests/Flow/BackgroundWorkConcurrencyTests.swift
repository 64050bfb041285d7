import Dispatch
import TestSupport
import Testing

@testable import Pipeline

@Suite struct BackgroundWorkConcurrencyTests {
  @Test func everyPieceIsDoneAndFewAtATime() throws {
    let work = BackgroundWork(atMost: 3, cores: nil)
    let state = Locked((now: 0, most: 0, done: 0))
    for _ in 0..<200 {
      try work.submit {
        state.withLock { state in
          state.now += 1
          state.most = max(state.most, state.now)
        }
        state.withLock { state in
          state.now -= 1
          state.done += 1
        }
      }
    }
    work.wait()
    try work.check()
    #expect(state.withLock { $0.done } == 200)
    #expect(1...3 ~= state.withLock { $0.most })
  }

  /// A caller that waits for room releases its core. With one core, the work could not end
  /// otherwise.
  @Test func waitingGivesTheCoreAway() throws {
    let cores = try CoreBudget(cores: 1)
    let work = BackgroundWork(atMost: 1, cores: cores)
    let isDone = DispatchSemaphore(value: 0)
    try cores.withCore { () throws(Failure) in
      try work.submit { isDone.wait() }
      cores.run(.lane) {
        isDone.signal()
        return false
      }
      try work.submit {}
    }
    work.wait()
    #expect(cores.waited > 0)
  }

  @Test func theFirstFailureIsTold() throws {
    let work = BackgroundWork(atMost: 2, cores: nil)
    let goOn = DispatchSemaphore(value: 0)
    try work.submit { () throws(Failure) in
      goOn.wait()
      throw Sample.failure(1)
    }
    try work.submit { () throws(Failure) in
      goOn.signal()
      throw Sample.failure(2)
    }
    work.wait()
    #expect(throws: Sample.failure(1)) { try work.check() }
    #expect(throws: Sample.failure(1)) { try work.submit { Issue.record("not done") } }
  }
}
