import Dispatch
import TestSupport
import Testing

@testable import Pipeline

@Suite struct CoreQueuesConcurrencyTests {
  @Test(arguments: [1, 2, 3]) func noMorePiecesAtATimeThanCores(count: Int) throws {
    // As many threads as for that number of cores, so that they are fewer than the processors are.
    let cores = try CoreQueues(count, threads: ThreadSupply.besidesCores + count)
    let crowd = Crowd()
    let group = DispatchGroup()
    let queues = (0..<8).map { cores.queue("queue \($0)", core: $0) }
    for number in 0..<400 {
      group.enter()
      queues[number % queues.count].submit {
        crowd.pass()
        group.leave()
      }
    }
    group.wait()
    // With as many cores as processors, Dispatch bounds the number of threads, but not strictly.
    let most = count >= System.processors ? 2 * System.processors : cores.count
    let figures = crowd.figures
    #expect(1...most ~= figures.most && figures.now == 0 && figures.done == 400)
  }

  @Test func piecesOfAQueueRunOneAfterTheOther() throws {
    final class Order {
      var numbers: [Int] = []
    }
    let cores = try CoreQueues(System.processors)
    let queue = cores.queue("queue", core: 0)
    let order = Exclusive(Order())
    let done = DispatchSemaphore(value: 0)
    for number in 0..<500 {
      queue.submit {
        order.use { $0.numbers.append(number) }
        if number == 499 { done.signal() }
      }
    }
    done.wait()
    #expect(order.use { $0.numbers } == Array(0..<500))
  }

  /// With one core: a piece that waits returns it, and gets it back.
  @Test func aPieceThatWaitsHasNoCore() throws {
    let cores = try CoreQueues(1, threads: ThreadSupply.besidesCores + 1)
    let outside = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    let order = Locked<[String]>([])
    let lane = cores.queue("lane", core: 0)
    cores.waitingQueue("reader").submit {
      lane.submit {
        order.withLock { $0.append("lane") }
        outside.signal()
      }
      cores.whileWaiting { outside.wait() }
      order.withLock { $0.append("reader") }
      lane.submit { done.signal() }
    }
    done.wait()
    #expect(order.withLock { $0 } == ["lane", "reader"])
    #expect(cores.waited > 0)
  }

  /// A piece of a core keeps it while it waits: there is no other thread for the core's work.
  @Test func aPieceOfACoreWaitsOnIt() throws {
    let cores = try CoreQueues(1, threads: ThreadSupply.besidesCores + 1)
    let order = Locked<[String]>([])
    let done = DispatchSemaphore(value: 0)
    cores.queue("queue", core: 0).submit {
      cores.queue("other", core: 0).submit {
        order.withLock { $0.append("other") }
        done.signal()
      }
      cores.whileWaiting { order.withLock { $0.append("waited") } }
    }
    done.wait()
    #expect(order.withLock { $0 } == ["waited", "other"])
  }

  /// A piece whose wait fails gets its core back: other pieces come after it.
  @Test func aWaitMayFail() throws {
    let cores = try CoreQueues(1, threads: ThreadSupply.besidesCores + 1)
    let other = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    let caught = Locked<Failure?>(nil)
    let hasCore = Locked(false)
    cores.waitingQueue("reader").submit {
      do throws(Failure) {
        try cores.whileWaiting { () throws(Failure) in throw Sample.failure(3) }
      } catch {
        caught.withLock { $0 = error }
      }
      cores.queue("lane", core: 0).submit { other.signal() }
      let isAlone = other.wait(timeout: .now() + 0.05) == .timedOut
      hasCore.withLock { $0 = isAlone }
      done.signal()
    }
    done.wait()
    #expect(caught.withLock { $0 } == Sample.failure(3) && hasCore.withLock { $0 })
  }

  @Test func aThreadFromOutsideBorrowsACore() throws {
    let cores = try CoreQueues(1, threads: ThreadSupply.besidesCores + 1)
    let order = Locked<[Int]>([])
    let isHeld = DispatchSemaphore(value: 0)
    let goesOn = DispatchSemaphore(value: 0)
    cores.queue("queue", core: 0).submit {
      isHeld.signal()
      goesOn.wait()
      order.withLock { $0.append(1) }
    }
    isHeld.wait()
    goesOn.signal()
    cores.withCore {
      order.withLock { $0.append(2) }
      // Its own: borrowing a second one would wait for it.
      cores.queue("queue", core: 0).submit { order.withLock { $0.append(3) } }
    }
    cores.withCore { order.withLock { $0.append(4) } }
    #expect(order.withLock { $0 } == [1, 2, 3, 4])
  }

  @Test func aQueueThatWorksDoesNotWait() throws {
    let queue = try CoreQueues(1).queue("queue", core: 0)
    let isSame = Locked(false)
    let done = DispatchSemaphore(value: 0)
    queue.submit {
      let before = queue.waited
      isSame.withLock { $0 = before == queue.waited }
      done.signal()
    }
    done.wait()
    #expect(isSame.withLock { $0 } && queue.waited > 0)
  }

  @Test(arguments: [1, 2, 5]) func aMapHasAllResultsInOrder(count: Int) throws {
    let cores = try CoreQueues(count)
    #expect(cores.map(100) { $0 * $0 } == (0..<100).map { $0 * $0 })
    #expect(cores.map(0) { $0 } == [])
  }

  @Test func waitingTimeAddsUpWhoWaitsForHowLong() {
    var time = WaitingTime()
    #expect(time.total(now: 1000) == 0)
    time.change(to: 2, now: 1000)
    #expect(time.total(now: 1010) == 20)
    time.change(to: 1, now: 1010)
    time.change(to: 0, now: 1015)
    #expect(time.total(now: 2000) == 25)
    time.change(to: 3, now: 3000)
    #expect(time.total(now: 3001) == 28)
  }

  @Test func fewerThreadsAreFewerCores() throws {
    let most = ThreadSupply.besidesCores
    #expect(try CoreQueues(64, threads: most + 1).count == (System.processors == 1 ? 64 : 1))
    #expect(try CoreQueues(1, threads: most + 8).count == 1)
    #expect(try CoreQueues(64, threads: most + System.processors).count == 64)
  }

  @Test(arguments: [0, 1, ThreadSupply.besidesCores]) func tooFewThreadsAreAFailure(threads: Int) {
    let failure = #expect(throws: Failure.self) { _ = try CoreQueues(4, threads: threads) }
    #expect(failure?.kind == .limit)
    #expect(failure?.message.contains("only \(threads) of the 5 threads") == true)
  }
}
