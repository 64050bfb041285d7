import Dispatch
import Testing

@testable import Pipeline

@Suite struct UnitPoolTests {
  private final class Item: Sendable {
    let number: Int

    init(_ number: Int) { self.number = number }
  }

  private func pool(_ size: Int) -> UnitPool<Item> {
    var number = 0
    return UnitPool(size: size) {
      number += 1
      return Item(number)
    }
  }

  @Test func handsEveryUnitOutOnce() {
    let pool = pool(3)
    #expect(pool.size == 3)
    let taken = (0..<3).map { _ in pool.take() }
    #expect(Set(taken.map(\.number)) == [1, 2, 3])
    for unit in taken { pool.give(unit) }
    #expect(Set((0..<3).map { _ in pool.take().number }) == [1, 2, 3])
  }

  /// No free unit, no taking: the second taker gets its unit only from the first one.
  @Test func waitsUntilAUnitIsGivenBack() {
    let pool = pool(1)
    let order = Locked<[String]>([])
    let first = pool.take()
    let isAbout = DispatchSemaphore(value: 0)
    let isDone = DispatchSemaphore(value: 0)
    DispatchQueue(label: "taker").async {
      isAbout.signal()
      let unit = pool.take()
      order.withLock { $0.append("taken") }
      pool.give(unit)
      isDone.signal()
    }
    isAbout.wait()
    order.withLock { $0.append("given") }
    pool.give(first)
    isDone.wait()
    #expect(order.withLock { $0 } == ["given", "taken"])
  }

  @Test func neverMoreUnitsThanItHas() {
    let pool = pool(2)
    let out = Locked((now: 0, most: 0))
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<500 {
        let unit = pool.take()
        out.withLock { out in
          out.now += 1
          out.most = max(out.most, out.now)
        }
        out.withLock { $0.now -= 1 }
        pool.give(unit)
      }
    }
    #expect((1...2).contains(out.withLock { $0.most }))
  }

  /// A pool may go while units are out, as it does after a failure.
  @Test func mayEndWithUnitsOut() {
    var units: [Item] = []
    do {
      let pool = pool(3)
      units = [pool.take(), pool.take()]
    }
    #expect(units.count == 2)
  }

  @Test func anEmptyPoolTraps() async {
    await #expect(processExitsWith: .failure) {
      _ = UnitPool<UnitPoolCrash>(size: 0) { UnitPoolCrash() }
    }
  }
}

private final class UnitPoolCrash: Sendable {}
