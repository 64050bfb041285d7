import Dispatch
import TestSupport
import Testing

@testable import Pipeline

@Suite struct BackgroundWorkConcurrencyTests {
  @Test func everyPieceIsDoneAndFewAtATime() throws {
    let work = BackgroundWork(atMost: 3, threads: 3)
    let crowd = Crowd()
    for _ in 0..<200 { try work.submit { crowd.pass() } }
    work.wait()
    try work.check()
    #expect(crowd.figures.done == 200 && 1...3 ~= crowd.figures.most)
  }

  @Test func piecesWithoutAThreadRunOnTheCaller() throws {
    let work = BackgroundWork(atMost: 0, threads: 0)
    var done = 0
    for _ in 0..<10 {
      let isDone = Locked(false)
      try work.submit { isDone.withLock { $0 = true } }
      if isDone.withLock({ $0 }) { done += 1 }
    }
    work.wait()
    #expect(done == 10 && work.threads == 0)
    #expect(throws: Sample.failure(1)) {
      try work.submit { () throws(Failure) in throw Sample.failure(1) }
    }
  }

  @Test func theFirstFailureIsTold() throws {
    let work = BackgroundWork(atMost: 2, threads: 2)
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
