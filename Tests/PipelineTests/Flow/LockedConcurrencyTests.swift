import Dispatch
import Testing

@testable import Pipeline

@Suite struct LockedConcurrencyTests {
  private struct Trouble: Error, Equatable {}

  @Test func anErrorUnlocks() {
    let locked = Locked(1)
    #expect(throws: Trouble()) {
      try locked.withLock { (value: inout Int) throws(Trouble) in
        value = 2
        throw Trouble()
      }
    }
    #expect(locked.withLock { $0 } == 2)
  }

  /// Two numbers that are changed under one lock are never seen to differ.
  @Test func oneThreadAtATime() {
    let locked = Locked((first: 0, second: 0))
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<5000 {
        locked.withLock { value in
          value.first += 1
          precondition(value.first == value.second + 1, "two threads were inside")
          value.second += 1
        }
      }
    }
    #expect(locked.withLock { $0 } == (20_000, 20_000))
  }
}
