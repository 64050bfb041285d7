import Dispatch
import TestSupport
import Testing

@testable import Pipeline

/// What one thread at a time uses: units come in order, and a second thread traps.
@Suite struct ExclusiveConcurrencyTests {
  final class Unit: FlowUnit { var sequence = 0 }

  /// A sink that counts without a lock.
  final class Sink {
    private(set) var taken: [Int] = []

    func take(_ unit: Unit) throws(Failure) {
      if unit.sequence == 400 { throw Sample.failure(400) }
      taken.append(unit.sequence)
    }
  }

  final class Source {
    private var filled = 0

    func fill(_ unit: Unit) -> Bool {
      filled += 1
      return filled <= 1000
    }
  }

  /// The sink of a flow needs no lock, and is asked when the flow has ended.
  @Test func unitsComeInOrder() throws {
    let source = Exclusive(Source())
    let sink = Exclusive(Sink())
    let flow = try Flow(
      units: 9, of: { Unit() },
      fill: source.part { $0.fill },
      lanes: (0..<4).map { _ in { _ in } }, finish: sink.part { $0.take })
    #expect(throws: Sample.failure(400)) { try flow.run() }
    #expect(sink.use { $0.taken } == Array(0..<400))
  }

  /// Several flows may end at one sink, one after the other.
  @Test func aSinkOutlivesAFlow() throws {
    let sink = Exclusive(Sink())
    for _ in 0..<3 {
      let flow = try Flow(
        units: 2, of: { Unit() },
        fill: { unit in unit.sequence < 2 },
        lanes: [{ _ in }], finish: sink.part { $0.take })
      try flow.run()
    }
    #expect(sink.use { $0.taken } == [0, 1, 0, 1, 0, 1])
  }

  @Test func aUseThatThrowsIsOver() {
    let sink = Exclusive(Sink())
    #expect(throws: Sample.failure(3)) {
      try sink.use { _ throws(Failure) in throw Sample.failure(3) }
    }
    #expect(sink.use { $0.taken }.isEmpty)
  }

  /// A flow has the sink, and another thread comes.
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

  /// Not even the thread that has the object gets it again.
  @Test func aUseWithinAnotherTraps() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let sink = Exclusive(Sink())
      let part: FlowPart<Unit, Void> = sink.part { $0.take }
      sink.use { _ in try? part(Unit()) }
    }
    Self.expectSentence(result)
  }

  private static func expectSentence(_ result: ExitTest.Result?) {
    let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(words.contains("Sink is used by two threads at once"))
  }
}

/// What is handed over has one owner.
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
