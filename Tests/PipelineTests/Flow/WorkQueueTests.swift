import Dispatch
import Testing

@testable import Pipeline

@Suite struct WorkQueueTests {
  private final class Item: Sendable {
    let number: Int

    init(_ number: Int) { self.number = number }
  }

  @Test(arguments: [1, 2, 5])
  func everyUnitIsWorkedOnOnce(lanes: Int) {
    let seen = Locked<[Int]>([])
    let group = DispatchGroup()
    let queue = WorkQueue<Item>(name: "test", lanes: lanes) { _, unit in
      seen.withLock { $0.append(unit.number) }
      group.leave()
    }
    for number in 0..<300 {
      group.enter()
      queue.submit(Item(number))
    }
    group.wait()
    let numbers = seen.withLock { $0 }
    #expect(numbers.sorted() == Array(0..<300))
    if lanes == 1 { #expect(numbers == Array(0..<300), "first in, first out") }
  }

  @Test func aLaneWorksOnOneUnitAtATime() {
    let busy = Locked(Set<Int>())
    let group = DispatchGroup()
    let queue = WorkQueue<Item>(name: "test", lanes: 3) { lane, _ in
      let isFree = busy.withLock { $0.insert(lane).inserted }
      precondition(isFree, "a lane got a second unit")
      busy.withLock { _ = $0.remove(lane) }
      group.leave()
    }
    for number in 0..<300 {
      group.enter()
      queue.submit(Item(number))
    }
    group.wait()
    #expect(busy.withLock { $0.isEmpty })
  }

  /// With one lane held up, the others go on: each unit waits for the one before it to have begun.
  @Test func lanesWorkInParallel() {
    let lanes = 3
    let gates = (0..<lanes).map { _ in DispatchSemaphore(value: 0) }
    let used = Locked(Set<Int>())
    let group = DispatchGroup()
    let queue = WorkQueue<Item>(name: "test", lanes: lanes) { lane, unit in
      used.withLock { _ = $0.insert(lane) }
      // The last one lets the first go, and so on: only if all are under way at a time.
      if unit.number == lanes - 1 { gates.forEach { $0.signal() } }
      gates[unit.number].wait()
      group.leave()
    }
    for number in 0..<lanes {
      group.enter()
      queue.submit(Item(number))
    }
    group.wait()
    #expect(used.withLock { $0.count } == lanes)
  }

  @Test func aLaneThatBecameIdleWorksAgain() {
    let done = DispatchSemaphore(value: 0)
    let count = Locked(0)
    let queue = WorkQueue<Item>(name: "test", lanes: 1) { _, _ in
      count.withLock { $0 += 1 }
      done.signal()
    }
    for number in 0..<50 {
      queue.submit(Item(number))
      done.wait()
    }
    #expect(count.withLock { $0 } == 50)
  }

  @Test func aQueueWithoutLanesTraps() async {
    await #expect(processExitsWith: .failure) {
      _ = WorkQueue<WorkQueueCrash>(name: "test", lanes: 0) { _, _ in }
    }
  }
}

private final class WorkQueueCrash: Sendable {}
