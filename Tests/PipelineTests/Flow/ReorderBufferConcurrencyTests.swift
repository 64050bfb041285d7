import TestSupport
import Testing

@testable import Pipeline

@Suite struct ReorderBufferConcurrencyTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func unitsPassOnceThoseBeforeHaveCome(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    var gate = ReorderBuffer<Int>()
    let arrivals = Array(0..<100).shuffled(using: &random)
    var passed: [Int] = []
    for (number, unit) in arrivals.enumerated() {
      passed += gate.arrive(unit, sequence: unit)
      let come = Set(arrivals[...number])
      #expect(passed == Array((0..<100).prefix { come.contains($0) }), "seed \(seed)")
      #expect(gate.count == come.count - passed.count, "seed \(seed)")
    }
  }

  @Test func aNumberThatHasPassedTraps() async {
    await #expect(processExitsWith: .failure) {
      var gate = ReorderBuffer<Int>()
      _ = gate.arrive(1, sequence: 0)
      _ = gate.arrive(2, sequence: 0)
    }
  }
}
