import Dispatch
import Testing

@testable import Pipeline

@Suite struct WorkQueueConcurrencyTests {
  private func queue(lanes: Int, cores: Int) throws -> WorkQueue {
    WorkQueue("lane", lanes: lanes, cores: try CoreQueues(cores))
  }

  @Test(arguments: [(1, 1), (2, 2), (5, 2), (2, 5)])
  func everyPieceIsDoneOnce(lanes: Int, cores: Int) throws {
    let seen = Locked<[Int]>([])
    let group = DispatchGroup()
    let queue = try queue(lanes: lanes, cores: cores)
    for number in 0..<300 {
      group.enter()
      queue.submit { _ in
        seen.withLock { $0.append(number) }
        group.leave()
      }
    }
    group.wait()
    let numbers = seen.withLock { $0 }
    #expect(numbers.sorted() == Array(0..<300))
    if lanes == 1 { #expect(numbers == Array(0..<300), "first in, first out") }
  }

  @Test func lanesWorkInParallel() throws {
    let lanes = System.processors
    let gates = (0..<lanes).map { _ in DispatchSemaphore(value: 0) }
    let used = Locked(Set<Int>())
    let group = DispatchGroup()
    let queue = try queue(lanes: lanes, cores: lanes)
    for number in 0..<lanes {
      group.enter()
      queue.submit { lane in
        used.withLock { _ = $0.insert(lane) }
        if number == lanes - 1 { gates.forEach { $0.signal() } }
        gates[number].wait()
        group.leave()
      }
    }
    group.wait()
    #expect(used.withLock { $0.count } == lanes)
  }
}
