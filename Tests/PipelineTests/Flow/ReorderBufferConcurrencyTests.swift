import TestSupport
import Testing

@testable import Pipeline

@Suite struct ReorderBufferConcurrencyTests {
  @Test func passesUnitsThatComeInOrder() {
    var gate = ReorderBuffer<String>()
    #expect(gate.arrive("a", sequence: 0) == ["a"])
    #expect(gate.arrive("b", sequence: 1) == ["b"])
    #expect(gate.count == 0)
  }

  @Test func holdsUnitsThatComeTooEarly() {
    var gate = ReorderBuffer<String>()
    #expect(gate.arrive("c", sequence: 2) == [])
    #expect(gate.arrive("b", sequence: 1) == [])
    #expect(gate.count == 2)
    #expect(gate.arrive("a", sequence: 0) == ["a", "b", "c"])
    #expect(gate.arrive("e", sequence: 4) == [])
    #expect(gate.arrive("d", sequence: 3) == ["d", "e"])
    #expect(gate.count == 0)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func anyOrderBecomesTheOrder(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    var gate = ReorderBuffer<Int>()
    let arrivals = Array(0..<100).shuffled(using: &random)
    var passed: [Int] = []
    for (number, unit) in arrivals.enumerated() {
      passed += gate.arrive(unit, sequence: unit)
      #expect(gate.count == number + 1 - passed.count, "seed \(seed)")
    }
    #expect(passed == Array(0..<100), "seed \(seed)")
  }

  @Test func aNumberThatHasPassedTraps() async {
    await #expect(processExitsWith: .failure) {
      var gate = ReorderBuffer<Int>()
      _ = gate.arrive(1, sequence: 0)
      _ = gate.arrive(2, sequence: 0)
    }
  }
}
