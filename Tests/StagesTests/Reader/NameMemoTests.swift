import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct NameMemoTests {
  @Test func aNameIsLookedAtOncePerBlock() {
    let memo = NameMemo(0)
    let tape = Tape()
    var calls = 0
    func meaning(_ number: UInt16) -> Int {
      memo.meaning(of: number, in: tape) {
        calls += 1
        return calls
      }
    }
    tape.bind(to: "x")
    #expect(meaning(3) == 1 && meaning(3) == 1 && meaning(700) == 2 && meaning(3) == 1)
    // What stands between was never met.
    #expect(meaning(4) == 3 && meaning(4) == 3)
    tape.bind(to: "x")
    #expect(meaning(3) == 4 && meaning(3) == 4)
  }

  /// A reader works on the blocks of many units, each with a tape of its own.
  @Test func theNamesOfAnotherTapeAreOthers() {
    let memo = NameMemo(0)
    let tapes = [Tape(), Tape()]
    for tape in tapes { tape.bind(to: "x") }
    for (index, tape) in tapes.enumerated() {
      #expect(memo.meaning(of: 1, in: tape) { 10 + index } == 10 + index)
    }
    #expect(memo.meaning(of: 1, in: tapes[0]) { 20 } == 20)
  }

  @Test func nothingIsRememberedOfNamesWithoutANumber() {
    let memo = NameMemo("none" as StaticString)
    let tape = Tape()
    for name in ["a", "b"] as [StaticString] {
      let found = memo.meaning(of: 0, in: tape) { name }
      #expect(ByteView(found) == ByteView(name))
    }
  }
}
