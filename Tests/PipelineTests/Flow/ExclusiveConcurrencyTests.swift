import Dispatch
import TestSupport
import Testing

@testable import Pipeline

@Suite struct ExclusiveConcurrencyTests {
  final class Unit: FlowUnit { var sequence = 0 }

  final class Sink { var taken: [Int] = [] }

  @Test func aUseThatThrowsIsOver() {
    let sink = Exclusive(Sink())
    #expect(throws: Sample.failure(3)) {
      try sink.use { _ throws(Failure) in throw Sample.failure(3) }
    }
    #expect(sink.use { $0.taken }.isEmpty)
  }

  @Test func aSecondThreadTraps() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let sink = Exclusive(Sink())
      let part: FlowPart<Unit, Void> = sink.part { _ in
        { _ in DispatchSemaphore(value: 0).wait() }
      }
      DispatchQueue.global().async { try? part(Unit()) }
      while true { sink.use { _ in } }
    }
    Self.expectSentence(result)
  }

  @Test func aUseWithinAnotherTraps() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let sink = Exclusive(Sink())
      let part: FlowPart<Unit, Void> = sink.part { _ in { _ in } }
      sink.use { _ in try? part(Unit()) }
    }
    Self.expectSentence(result)
  }

  private static func expectSentence(_ result: ExitTest.Result?) {
    let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(words.contains("Sink is used by two threads at once"))
  }
}

@Suite struct HandedOverConcurrencyTests {
  @Test func aSecondOwnerTraps() async {
    #expect(HandedOver([1, 2]).take() == [1, 2])
    await #expect(processExitsWith: .failure) {
      let value = HandedOver(1)
      _ = value.take()
      _ = value.take()
    }
  }
}

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
