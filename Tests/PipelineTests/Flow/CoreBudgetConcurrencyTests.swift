import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Pipeline

@Suite struct CoreBudgetConcurrencyTests {
  /// Many queues, few cores: never more pieces at a time than cores.
  @Test(arguments: [1, 2, 3])
  func noMorePiecesAtATimeThanCores(cores: Int) throws {
    let budget = try CoreBudget(cores: cores)
    let busy = Locked((now: 0, most: 0))
    let left = Locked([Int](repeating: 40, count: 8))
    let group = DispatchGroup()
    for number in 0..<8 {
      group.enter()
      budget.run(number % 2 == 0 ? .lane : .shard) {
        busy.withLock { busy in
          busy.now += 1
          busy.most = max(busy.most, busy.now)
        }
        let goesOn = left.withLock { left in
          left[number] -= 1
          return left[number] > 0
        }
        busy.withLock { $0.now -= 1 }
        if !goesOn { group.leave() }
        return goesOn
      }
    }
    group.wait()
    #expect(busy.withLock { (1...cores).contains($0.most) && $0.now == 0 })
    #expect(left.withLock { $0.allSatisfy { $0 == 0 } })
  }

  /// A piece is called again only when it has returned, whichever threads it runs on.
  @Test func aPieceIsNotCalledTwiceAtATime() throws {
    let budget = try CoreBudget(cores: 3)
    let group = DispatchGroup()
    for _ in 0..<5 {
      let left = Exclusive(LeftPieces())
      group.enter()
      budget.run(.lane) {
        let goesOn = left.use { $0.takeOne() }
        if !goesOn { group.leave() }
        return goesOn
      }
    }
    group.wait()
  }

  private final class LeftPieces {
    private var count = 100

    func takeOne() -> Bool {
      sched_yield()
      count -= 1
      return count > 0
    }
  }

  /// With one core: what waits for the outside gives it away, and gets it back before less urgent
  /// work.
  @Test func whoWaitsKeepsNoCore() throws {
    let budget = try CoreBudget(cores: 1)
    let order = Locked<[String]>([])
    let outside = DispatchSemaphore(value: 0)
    let isResuming = DispatchSemaphore(value: 0)
    let group = DispatchGroup()
    group.enter()
    budget.run(.reader) {
      for number in 0..<3 {
        group.enter()
        budget.run(.lane) {
          order.withLock { $0.append("lane \(number)") }
          // The first lane ends the wait; the reader asks for the core while the lane has it.
          if number == 0 {
            outside.signal()
            isResuming.wait()
            while budget.waitingCount < 3 {}
          }
          group.leave()
          return false
        }
      }
      budget.whileWaiting {
        outside.wait()
        isResuming.signal()
      }
      order.withLock { $0.append("reader") }
      group.leave()
      return false
    }
    group.wait()
    #expect(order.withLock { $0 } == ["lane 0", "reader", "lane 1", "lane 2"])
  }

  @Test func whoWaitsGetsAFreeCoreBack() throws {
    let budget = try CoreBudget(cores: 2)
    let done = DispatchSemaphore(value: 0)
    let left = Locked(100)
    budget.run(.reader) {
      budget.whileWaiting {}
      let goesOn = left.withLock { left in
        left -= 1
        return left > 0
      }
      if !goesOn { done.signal() }
      return goesOn
    }
    done.wait()
    #expect(left.withLock { $0 } == 0)
  }

  /// What the wait throws comes through, and the core is there again.
  @Test func aWaitMayFail() throws {
    let budget = try CoreBudget(cores: 1)
    let caught = Locked<Failure?>(nil)
    let done = DispatchSemaphore(value: 0)
    budget.run(.reader) {
      do throws(Failure) {
        try budget.whileWaiting { () throws(Failure) in throw Sample.failure(3) }
      } catch {
        caught.withLock { $0 = error }
      }
      done.signal()
      return false
    }
    done.wait()
    #expect(caught.withLock { $0 } == Sample.failure(3))
  }

  /// A thread from outside waits for a core like any other, and gives it back.
  @Test func aThreadFromOutsideHasACore() throws {
    let budget = try CoreBudget(cores: 1)
    let order = Locked<[Int]>([])
    let begun = DispatchSemaphore(value: 0)
    budget.run(.lane) {
      begun.signal()
      while budget.waitingCount == 0 { sched_yield() }
      order.withLock { $0.append(1) }
      return false
    }
    begun.wait()
    budget.withCore { order.withLock { $0.append(2) } }
    #expect(order.withLock { $0 } == [1, 2])
    budget.withCore { order.withLock { $0.append(3) } }
    #expect(order.withLock { $0.count } == 3)
  }

  /// Idle time is counted per core. It does not grow while all cores work.
  @Test func idleTimeIsThatOfFreeCores() throws {
    let budget = try CoreBudget(cores: 1)
    #expect(budget.idle > 0, "nothing was asked for yet")
    let done = DispatchSemaphore(value: 0)
    let isSame = Locked(false)
    budget.run(.lane) {
      let before = budget.idle
      isSame.withLock { $0 = before == budget.idle }
      done.signal()
      return false
    }
    done.wait()
    #expect(isSame.withLock { $0 })
  }
}
