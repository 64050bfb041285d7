import Testing

@testable import Pipeline

@Suite struct UnitPoolConcurrencyTests {
  private func pool(_ size: Int) -> UnitPool<Int> {
    var number = 0
    return UnitPool(size: size) {
      number += 1
      return number
    }
  }

  @Test func handsEveryUnitOutOnce() {
    var pool = pool(3)
    #expect(pool.size == 3)
    let taken = (0..<3).compactMap { _ in pool.take() }
    #expect(Set(taken) == [1, 2, 3])
    for unit in taken { pool.give(unit) }
    #expect(Set((0..<3).compactMap { _ in pool.take() }) == [1, 2, 3])
  }

  @Test func hasNoMoreUnitsThanItsSize() {
    var pool = pool(1)
    let unit = pool.take()
    #expect(unit != nil && pool.take() == nil)
    if let unit { pool.give(unit) }
    #expect(pool.take() == unit)
  }

  /// The unit that was used last has the warmest memory.
  @Test func theLastOneGivenIsTheNextOneTaken() {
    var pool = pool(4)
    let taken = (0..<4).compactMap { _ in pool.take() }
    for unit in taken { pool.give(unit) }
    #expect(pool.take() == taken.last)
  }

  @Test func anEmptyPoolTraps() async {
    await #expect(processExitsWith: .failure) { _ = UnitPool<Int>(size: 0) { 1 } }
  }

  @Test func aUnitTooManyTraps() async {
    await #expect(processExitsWith: .failure) {
      var pool = UnitPool<Int>(size: 1) { 1 }
      pool.give(2)
    }
  }
}
